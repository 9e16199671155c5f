// Package fsnotify replaces the package of this name in the virtual node. A goroutine in inotify's read(2) is never
// durably blocked, so the real package would stop virtual time. Watchers report what the node itself does to files, by
// [Notify]: it changes the files of static pods. The kubelet also watches plugin sockets, which a virtual node does not
// have.
package fsnotify

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Op is what happened to a file.
type Op uint32

// What can happen to a file.
const (
	Create Op = 1 << iota
	Write
	Remove
	Rename
	Chmod
)

// The errors of the real package.
var (
	ErrNonExistentWatch = errors.New("fsnotify: can't remove non-existent watch")
	ErrEventOverflow    = errors.New("fsnotify: queue or buffer overflow")
	ErrClosed           = errors.New("fsnotify: watcher already closed")
)

// Event is what happened to a file.
type Event struct {
	Name string
	Op   Op
}

// Has reports whether the operation includes one of these.
func (e Event) Has(op Op) bool { return e.Op.Has(op) }

func (e Event) String() string { return e.Op.String() + " " + e.Name }

// Has reports whether the event's operation includes one of these.
func (o Op) Has(other Op) bool { return o&other != 0 }

func (o Op) String() string {
	var names []string
	for i, name := range []string{"CREATE", "WRITE", "REMOVE", "RENAME", "CHMOD"} {
		if o.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// watching are the watchers, in the order in which they were made.
var watching struct {
	sync.Mutex
	all []*Watcher
}

// Watcher reports what happens to the files of its folders.
type Watcher struct {
	Events chan Event
	Errors chan error

	folders []string
}

// NewWatcher returns a watcher.
func NewWatcher() (*Watcher, error) {
	w := &Watcher{Events: make(chan Event), Errors: make(chan error)}
	watching.Lock()
	defer watching.Unlock()
	watching.all = append(watching.all, w)
	return w, nil
}

// Add watches a folder.
func (w *Watcher) Add(folder string) error {
	watching.Lock()
	defer watching.Unlock()
	w.folders = append(w.folders, folder)
	return nil
}

// Remove watches a folder no longer.
func (w *Watcher) Remove(folder string) error {
	watching.Lock()
	defer watching.Unlock()
	w.folders = slices.DeleteFunc(w.folders, func(f string) bool { return f == folder })
	return nil
}

// Close ends the watcher.
func (w *Watcher) Close() error {
	watching.Lock()
	defer watching.Unlock()
	watching.all = slices.DeleteFunc(watching.all, func(other *Watcher) bool { return other == w })
	return nil
}

// WatchList returns the watched folders.
func (w *Watcher) WatchList() []string {
	watching.Lock()
	defer watching.Unlock()
	return slices.Clone(w.folders)
}

// Forget ends all watchers: those of a killed kubelet, or of an ended node.
func Forget() {
	watching.Lock()
	defer watching.Unlock()
	watching.all = nil
}

// Notify reports an operation on a file to the watchers of its folder. It returns when they have taken it.
func Notify(file string, op Op) {
	watching.Lock()
	var of []*Watcher
	for _, w := range watching.all {
		if slices.Contains(w.folders, filepath.Dir(file)) {
			of = append(of, w)
		}
	}
	watching.Unlock()
	for _, w := range of {
		w.Events <- Event{Name: file, Op: op}
	}
}

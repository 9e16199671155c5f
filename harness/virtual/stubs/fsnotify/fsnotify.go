// Package fsnotify replaces the package of this name in the virtual node. Its watchers never report anything. A
// goroutine in inotify's read(2) is never durably blocked, so the real package would stop virtual time. The
// kubelet uses it to watch plugin sockets and static pod files, which a virtual node does not have.
package fsnotify

import (
	"errors"
	"strings"
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

// Event never comes.
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

// Watcher reports nothing.
type Watcher struct {
	Events chan Event
	Errors chan error
}

// NewWatcher returns a watcher.
func NewWatcher() (*Watcher, error) {
	return &Watcher{Events: make(chan Event), Errors: make(chan error)}, nil
}

// Add watches nothing.
func (*Watcher) Add(string) error { return nil }

// Remove forgets nothing.
func (*Watcher) Remove(string) error { return nil }

// Close ends nothing.
func (*Watcher) Close() error { return nil }

// WatchList is empty.
func (*Watcher) WatchList() []string { return nil }

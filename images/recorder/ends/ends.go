//go:build linux

// Package ends sees the main processes of a node's containers end. It holds a pidfd of each, which the kernel makes
// readable at the end of the process. That needs the node's PID namespace, and no capability.
//
// It reads the cgroup and the process IDs of processes, and nothing else of them: no environment, no arguments, no file
// and no traffic.
package ends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/observe/wire"
)

// Watcher watches the containers of a node.
type Watcher struct {
	proc  procfs
	epoll int
	lines chan wire.Line
	// late is how late this program's timers were in the last seconds.
	late atomic.Int64

	lock sync.Mutex
	// watched has the containers of open pidfds, over the containers that have ended, with the time of their end.
	watched map[int32]string
	over    map[string]time.Time

	// known are the processes that need no second look, young those that may still move to their cgroup.
	known map[int]bool
	young map[int]int
}

const (
	// looksEvery is how often new processes are looked for. A container that lives shorter is missed.
	looksEvery = 100 * time.Millisecond
	// soon is how many looks a new process gets one after another, and rarely which of the later ones. After looks, it
	// belongs to no container. On a busy node, a runtime takes seconds from the start of a process to its container.
	soon, rarely, looks = 10, 10, 600
	// forgets is how long the ID of an ended container is kept, so that none of its processes counts as it again.
	forgets = 10 * time.Minute
	// unwritten is how many lines may wait for the reader of the standard output.
	unwritten = 1 << 14
)

// New returns a watcher of the processes below a folder, which is /proc.
func New(proc string) (*Watcher, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make an epoll instance: %w", err)
	}
	return &Watcher{
		proc: procfs(proc), epoll: epoll, lines: make(chan wire.Line, unwritten), watched: map[int32]string{},
		over: map[string]time.Time{}, known: map[int]bool{}, young: map[int]int{},
	}, nil
}

// Run writes the lines until ctx ends. epoch identifies this run.
func (w *Watcher) Run(ctx context.Context, epoch string, out io.Writer) error {
	failed := make(chan error, 1)
	go func() { failed <- w.await() }()
	go w.lateness(ctx)
	look, beat := time.NewTicker(looksEvery), time.NewTicker(wire.BeatsEvery)
	defer look.Stop()
	defer beat.Stop()
	to, seq := json.NewEncoder(out), uint64(0)
	write := func(l wire.Line) error {
		seq++
		l.Epoch, l.Seq, l.Watched = epoch, seq, w.count()
		return to.Encode(l)
	}
	if err := errors.Join(w.look(), write(w.now(""))); err != nil {
		return err
	}
	for {
		var err error
		select {
		case l := <-w.lines:
			err = write(l)
		case <-look.C:
			err = w.look()
		case <-beat.C:
			err = write(w.now(""))
		case err = <-failed:
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *Watcher) now(container string) wire.Line {
	return wire.Line{At: time.Now().UnixNano(), Late: w.late.Load(), Container: container}
}

func (w *Watcher) count() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	return len(w.watched)
}

// atOnce is how many ends one wake-up takes.
const atOnce = 256

// await waits for ends. It has a thread of its own, so no other work of this program delays it.
func (w *Watcher) await() error {
	runtime.LockOSThread()
	events := make([]unix.EpollEvent, atOnce)
	for {
		n, err := unix.EpollWait(w.epoll, events, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for ends: %w", err)
		}
		line := w.now("")
		for _, e := range events[:n] {
			w.lock.Lock()
			line.Container = w.watched[e.Fd]
			delete(w.watched, e.Fd)
			w.over[line.Container] = line.Time()
			w.lock.Unlock()
			_ = unix.Close(int(e.Fd)) // leaves the epoll instance
			w.lines <- line
		}
	}
}

// look watches the containers that have come since the last look.
func (w *Watcher) look() error {
	all, err := w.proc.pids()
	if err != nil {
		return fmt.Errorf("list the processes: %w", err)
	}
	known, young := make(map[int]bool, len(all)), map[int]int{}
	for _, pid := range all {
		switch again := w.young[pid]; {
		case w.known[pid] || again == looks:
			known[pid] = true
		case (again < soon || again%rarely == 0) && w.take(pid, again >= soon):
			known[pid] = true
		default:
			young[pid] = again + 1
		}
	}
	w.known, w.young = known, young
	w.lock.Lock()
	defer w.lock.Unlock()
	for id, at := range w.over {
		if time.Since(at) > forgets {
			delete(w.over, id)
		}
	}
	return nil
}

// take watches a process that is its container's first, and reports whether it needs no further look. A container in
// the node's PID namespace has no first one: the process is that which stays.
func (w *Watcher) take(pid int, stays bool) bool {
	id := w.proc.containerOf(pid)
	if id == "" {
		return false
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if _, ended := w.over[id]; ended || w.has(id) {
		return true
	}
	// Any other is what the runtime starts before it, or a child of a container that began before this program.
	if first, known := w.proc.first(pid); known && !first || !known && !stays {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false // it has ended
	}
	if w.proc.containerOf(pid) != id { // another process has its number
		_ = unix.Close(fd)
		return false
	}
	w.watched[int32(fd)] = id
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}
	if err := unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		delete(w.watched, int32(fd))
		_ = unix.Close(fd)
		return false
	}
	return true
}

// has reports whether a container is watched.
func (w *Watcher) has(id string) bool {
	for _, other := range w.watched {
		if other == id {
			return true
		}
	}
	return false
}

const (
	naps = 50 * time.Millisecond
	// remembered is how many naps bound the lateness of an end.
	remembered = 40
)

// lateness measures how late a thread wakes up that waits as the one that awaits ends does.
func (w *Watcher) lateness(ctx context.Context) {
	runtime.LockOSThread()
	last := make([]int64, remembered)
	for i := 0; ctx.Err() == nil; i = (i + 1) % remembered {
		began, nap := time.Now(), unix.NsecToTimespec(int64(naps))
		_ = unix.Nanosleep(&nap, nil)
		last[i] = max(0, int64(time.Since(began)-naps))
		most := int64(0)
		for _, l := range last {
			most = max(most, l)
		}
		w.late.Store(most)
	}
}

// Epoch returns a name for this run.
func Epoch() string { return strconv.FormatInt(time.Now().UnixNano(), 36) }

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
	"time"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/observe/wire"
)

// Watcher watches the containers of a node.
type Watcher struct {
	proc  procfs
	epoll int
	lines chan wire.Line

	lock sync.Mutex
	// watched has the processes of open pidfds, over the containers that have ended, with the time of their end.
	watched map[int32]process
	over    map[string]time.Time

	// known are the processes that need no second look, young those that may still move to their cgroup.
	known map[int]bool
	young map[int]int
	// newest is the newest process ID at the last look, skipped how many looks were left out since.
	newest  string
	skipped int
}

// process is the main process of a container. It was seen alive at the time alive, and is in the epoll instance since
// added.
type process struct {
	container    string
	alive, added time.Time
}

const (
	// looksEvery is how often new processes are looked for. A container that lives shorter is missed.
	looksEvery = 100 * time.Millisecond
	// soon is how many looks a new process gets one after another, and rarely which of the later ones. After looks, it
	// belongs to no container. On a busy node, a runtime takes seconds from the start of a process to its container.
	soon, rarely, looks = 10, 10, 600
	// mostSkipped is how many looks are left out while no new process ID is assigned. A process that is restored from a
	// checkpoint takes its old one.
	mostSkipped = 9
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
		proc: procfs(proc), epoll: epoll, lines: make(chan wire.Line, unwritten), watched: map[int32]process{},
		over: map[string]time.Time{}, known: map[int]bool{}, young: map[int]int{},
	}, nil
}

// Run writes the lines until ctx ends. epoch identifies this run.
func (w *Watcher) Run(ctx context.Context, epoch string, out io.Writer) error {
	failed := make(chan error, 1)
	go func() { failed <- w.await() }()
	look, beats := time.NewTicker(looksEvery), time.NewTicker(wire.BeatsEvery)
	defer look.Stop()
	defer beats.Stop()
	to, seq := json.NewEncoder(out), uint64(0)
	write := func(l wire.Line) error {
		seq++
		l.Epoch, l.Seq, l.Watched = epoch, seq, w.count()
		return to.Encode(l)
	}
	if err := errors.Join(w.look(), write(beat())); err != nil {
		return err
	}
	for {
		var err error
		select {
		case l := <-w.lines:
			err = write(l)
		case <-look.C:
			err = w.look()
		case <-beats.C:
			err = write(beat())
		case err = <-failed:
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// beat returns a line without an end.
func beat() wire.Line { return wire.Line{At: time.Now().UnixNano()} }

func (w *Watcher) count() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	return len(w.watched)
}

const (
	// atOnce is how many ends one wake-up takes.
	atOnce = 256
	// asksEvery is how often the kernel is asked who is still alive if nobody ends: the error of an end on an idle
	// node.
	asksEvery = 10 * time.Millisecond
)

// await waits for ends. It has a thread of its own, so no other work of this program delays it.
//
// Each answer of the kernel names all processes that have ended. So whoever is missing was alive when the question
// was asked, and if none is named, until the time that it was given had passed. However late this thread runs, an end
// lies between the last such time and its wake-up.
func (w *Watcher) await() error {
	runtime.LockOSThread()
	events := make([]unix.EpollEvent, atOnce)
	for alive := time.Now(); ; {
		asks := time.Now()
		n, err := unix.EpollWait(w.epoll, events, int(asksEvery.Milliseconds()))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for ends: %w", err)
		}
		woke := time.Now()
		for _, e := range events[:n] {
			w.lines <- w.end(e.Fd, alive, woke)
		}
		switch n {
		case 0:
			alive = asks.Add(asksEvery) // ep_poll looks once more after its timeout
		case atOnce: // more may have ended
		default:
			alive = asks
		}
	}
}

// end returns the line of a process that has ended. The kernel said at alive that it lived, if it was watched by then.
// The thread woke up at woke.
func (w *Watcher) end(fd int32, alive, woke time.Time) wire.Line {
	w.lock.Lock()
	defer w.lock.Unlock()
	p := w.watched[fd]
	if !alive.After(p.added) {
		alive = p.alive
	}
	delete(w.watched, fd)
	w.over[p.container] = woke
	_ = unix.Close(int(fd)) // leaves the epoll instance
	return wire.Line{At: woke.UnixNano(), Late: int64(woke.Sub(alive)), Container: p.container}
}

// look watches the containers that have come since the last look.
func (w *Watcher) look() error {
	newest := w.proc.newest()
	if newest != "" && newest == w.newest && len(w.young) == 0 && w.skipped < mostSkipped {
		w.skipped++
		return nil
	}
	w.newest, w.skipped = newest, 0
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
	alive := time.Now()
	if w.proc.containerOf(pid) != id || ended(fd) { // another process has its number, or nothing tells when it ended
		_ = unix.Close(fd)
		return false
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}
	if err := unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
		_ = unix.Close(fd)
		return false
	}
	w.watched[int32(fd)] = process{container: id, alive: alive, added: time.Now()}
	return true
}

// ended reports whether the process of a pidfd has ended.
func ended(pidfd int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 0)
	return n != 0 || err != nil
}

// has reports whether a container is watched.
func (w *Watcher) has(id string) bool {
	for _, p := range w.watched {
		if p.container == id {
			return true
		}
	}
	return false
}

// Epoch returns a name for this run.
func Epoch() string { return strconv.FormatInt(time.Now().UnixNano(), 36) }

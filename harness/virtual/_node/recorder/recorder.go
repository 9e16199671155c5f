// Package recorder is the recorder of a virtual node: it numbers marks as the recorder of a real node does
// (images/recorder/record), and hands each to whoever takes them, at the instant of virtual time at which
// it came. There is no wire between it and a process: a mark can't be late or lost.
package recorder

import (
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// Recorder numbers the marks of one node.
type Recorder struct {
	take func(mark.Record)

	mu    sync.Mutex
	seq   uint64
	conns uint64
	lives map[container]int
}

type container struct{ uid, name string }

// New makes a recorder whose records go to take, in the order of their numbers. take must not wait for anything.
func New(take func(mark.Record)) *Recorder {
	return &Recorder{take: take, lives: map[container]int{}}
}

// Connect is the arrival of a process: it belongs to the life that its main process begins, or, for a hook
// or probe, to the one that is running.
func (r *Recorder) Connect(id mark.Identity) *Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := container{id.UID, id.Container}
	if id.Role == mark.Run {
		r.lives[c]++
	}
	r.conns++
	p := &Process{recorder: r, about: mark.Record{Conn: r.conns, Identity: id, Life: r.lives[c]}}
	r.add(p.about, mark.Connected)
	return p
}

// Pulled marks an attempt to pull an image that can't be had, for a container of the pod namespace/pod.
func (r *Recorder) Pulled(namespace, pod, container string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(mark.Record{Identity: mark.Identity{Pod: namespace + "/" + pod, Container: container}}, mark.Pulled)
}

// add stamps and numbers a record and hands it on, under the lock so that numbers and times come in order.
func (r *Recorder) add(record mark.Record, kind mark.Kind) {
	r.seq++
	record.Seq, record.Kind, record.At = r.seq, kind, time.Now().UnixNano()
	r.take(record)
}

// Process is the connection of one process; its end is the process' death.
type Process struct {
	recorder *Recorder
	about    mark.Record

	// Under the recorder's lock.
	marks int
	gone  bool
}

// Life is the life of the container that the process belongs to.
func (p *Process) Life() int { return p.about.Life }

// Mark records what happened at a time. A process that is gone has nothing to say any more.
func (p *Process) Mark(kind mark.Kind, at time.Time, detail mark.Detail) {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	if p.gone {
		return
	}
	p.marks++
	record := p.about
	record.N, record.Sent, record.Detail = p.marks, at.UnixNano(), detail
	p.recorder.add(record, kind)
}

// Close is the death of the process, and marks it; a process dies once.
func (p *Process) Close() {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	if p.gone {
		return
	}
	p.gone = true
	p.recorder.add(p.about, mark.Gone)
}

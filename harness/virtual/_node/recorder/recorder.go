// Package recorder is the recorder of a virtual node. It numbers marks as images/recorder/record does, and passes
// each on at its instant. Processes call it directly: no mark can be late or lost.
package recorder

import (
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
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

// New makes a recorder that passes its records on in the order of their numbers. take must not wait.
func New(take func(mark.Record)) *Recorder {
	return &Recorder{take: take, lives: map[container]int{}}
}

// Connect is the arrival of a process. A main process begins a life; others belong to the running one.
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

// Pulled marks an attempt to pull an image that does not exist.
func (r *Recorder) Pulled(namespace, pod, container string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(mark.Record{Identity: mark.Identity{Pod: namespace + "/" + pod, Container: container}}, mark.Pulled)
}

// add's caller holds the lock, which orders numbers and times.
func (r *Recorder) add(record mark.Record, kind mark.Kind) {
	r.seq++
	record.Seq, record.Kind, record.At = r.seq, kind, time.Now().UnixNano()
	r.take(record)
}

// Process is the connection of one process. Its end is the process' death.
type Process struct {
	recorder *Recorder
	about    mark.Record

	// under the recorder's lock
	marks int
	gone  bool
}

func (p *Process) Life() int { return p.about.Life }

// Mark records an event at a time. It does nothing after the process' death.
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

// Close marks the death of the process, once.
func (p *Process) Close() {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	if p.gone {
		return
	}
	p.gone = true
	p.recorder.add(p.about, mark.Gone)
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/virtual/wire"
)

// tape holds what was recorded since the last answer.
type tape struct {
	mu       sync.Mutex
	recorded wire.Answer
	// changed holds a value when something was recorded.
	changed chan struct{}
}

func newTape() *tape { return &tape{changed: make(chan struct{}, 1)} }

func (t *tape) takeMark(r mark.Record) { t.take(func(a *wire.Answer) { a.Marks = append(a.Marks, r) }) }

func (t *tape) takePod(p wire.Pod) { t.take(func(a *wire.Answer) { a.Pods = append(a.Pods, p) }) }

func (t *tape) takeEvent(e wire.Event) {
	t.take(func(a *wire.Answer) { a.Events = append(a.Events, e) })
}

func (t *tape) takeConditions(c wire.Conditions) {
	t.take(func(a *wire.Answer) { a.Conditions = append(a.Conditions, c) })
}

func (t *tape) take(add func(*wire.Answer)) {
	t.mu.Lock()
	add(&t.recorded)
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// gathering is the time in which later records join an answer: a probe's mark and its answer, or a death and the
// API's changes after it.
const gathering = 7 * time.Millisecond

// await waits until something is recorded, at most until a time.
func (t *tape) await(until time.Time) {
	late := time.NewTimer(time.Until(until))
	defer late.Stop()
	select {
	case <-t.changed:
		time.Sleep(min(gathering, max(0, time.Until(until))))
	case <-late.C:
	}
}

// unwind moves what was recorded into an answer.
func (t *tape) unwind(a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.recorded
	a.Marks, a.Pods, a.Events, a.Conditions = r.Marks, r.Pods, r.Events, r.Conditions
	t.recorded = wire.Answer{}
	select {
	case <-t.changed:
	default:
	}
}

// answers writes answers, one at a time.
type answers struct {
	mu      sync.Mutex
	encoder *json.Encoder
}

func newAnswers(w io.Writer) *answers { return &answers{encoder: json.NewEncoder(w)} }

func (a *answers) send(answer wire.Answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.encoder.Encode(answer); err != nil {
		return fmt.Errorf("write to the lab: %w", err)
	}
	return nil
}

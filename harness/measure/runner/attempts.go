package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Selection is one trial on one subject.
type Selection struct {
	Trial   trial.Trial
	Subject string
}

// LongestFirst orders selections by their trials' Lasts.
func LongestFirst(selections []Selection) []Selection {
	ordered := slices.Clone(selections)
	slices.SortStableFunc(ordered, func(a, b Selection) int { return cmp.Compare(b.Trial.Lasts, a.Trial.Lasts) })
	return ordered
}

// TimeOn returns how long the trials of one worker take there: one after another if the worker is Alone, else as long
// as the longest.
func TimeOn(w trial.Worker, trials []trial.Trial) (takes time.Duration) {
	for _, t := range trials {
		if w.Alone {
			takes += t.Lasts
		} else {
			takes = max(takes, t.Lasts)
		}
	}
	return takes
}

// Phase is the progress of a selection.
type Phase string

// A further attempt goes back to Starting.
const (
	Waiting  Phase = "waiting"
	Starting Phase = "starting"
	Running  Phase = "running"
	Done     Phase = "done"
)

// State is a selection's progress.
type State struct {
	Selection
	Phase   Phase
	Attempt int
	Started time.Time
	Verdict trial.Verdict
	Why     string
}

// Attempts are the attempts of one selection, and their outcome.
type Attempts struct {
	Selection
	done    chan struct{}
	observe func(State)
	ended   func(trial.Outcome)

	mu      sync.Mutex
	state   State
	outcome trial.Outcome
	// results are those of the attempts, each judged alone.
	results []trial.Result
}

func (r *Attempts) change(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	if r.observe != nil {
		r.observe(r.state)
	}
}

// Begin notes that an attempt begins.
func (r *Attempts) Begin(attempt int) {
	r.change(func() { r.state.Phase, r.state.Attempt, r.state.Started = Starting, attempt, time.Now() })
}

// Started notes that the attempt's pods have started, or never will.
func (r *Attempts) Started() { r.change(func() { r.state.Phase = Running }) }

// Conclude ends a selection with a verdict that needs no further attempt.
func (r *Attempts) Conclude(v trial.Verdict, why string) {
	r.change(func() {
		r.outcome.Verdict, r.outcome.Why = v, why
		r.end()
	})
}

// end sets Done with the verdict. The caller holds the lock.
func (r *Attempts) end() {
	r.state.Phase, r.state.Verdict = Done, r.outcome.Verdict
	r.state.Why = cmp.Or(r.outcome.Why, r.outcome.Reason())
}

// Repeat makes attempts until they are conclusive together, ctx ends, or there were as many as allowed, those of
// earlier calls included. It reports whether another attempt could help.
func (r *Attempts) Repeat(ctx context.Context, most int, attempt func(number int) Completed) (open bool) {
	for number := len(r.results) + 1; number <= most; number++ {
		p := attempt(number)
		if p.Skipped != "" {
			r.cutShort(ctx.Err() != nil || p.Lost, p.Skipped)
			r.Conclude(p.Skipped, p.Why)
			return false
		}
		r.results = append(r.results, p.Result)
		pool := judge.Pool(r.results)
		r.cutShort(ctx.Err() != nil || p.Lost, pool.Verdict)
		r.mu.Lock()
		r.outcome.Attempts = append(slices.Clone(r.outcome.Attempts), p.Attempt)
		for i, result := range pool.Results {
			r.outcome.Attempts[i].Result = result
		}
		r.outcome.Verdict, r.outcome.Why = pool.Verdict, ""
		if p.Result.Verdict == pool.Verdict {
			r.outcome.Why = p.Why
		}
		r.mu.Unlock()
		if !pool.Open || ctx.Err() != nil {
			return false
		}
	}
	r.change(func() { r.state.Phase = Waiting })
	return true
}

func (r *Attempts) cutShort(cut bool, v trial.Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.CutShort = cut && v == trial.Inconclusive
}

// Finish ends the selection with the verdict of its attempts, and Await.
func (r *Attempts) Finish() {
	r.mu.Lock()
	open := len(r.results) > 0 && r.state.Phase != Done
	r.mu.Unlock()
	if open {
		r.change(r.end)
	}
	if r.ended != nil {
		r.ended(r.result())
	}
	close(r.done)
}

func (r *Attempts) result() trial.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.outcome
	o.Attempts = slices.Clone(o.Attempts)
	return o
}

// Selections are all selections of a lab, with their attempts.
type Selections struct {
	// Ended, which may be nil, gets every outcome when its trial ends. The trial waits for it.
	Ended   func(trial.Outcome)
	observe func(State)
	logs    atomic.Int32

	mu  sync.Mutex
	all map[string]*Attempts
}

// NewSelections returns an empty set. The observer, which may be nil, gets every new state, those of one selection in
// order. It must not block or call the selections.
func NewSelections(observe func(State)) *Selections {
	return &Selections{observe: observe, all: map[string]*Attempts{}}
}

func key(id, subject string) string { return id + " on " + subject }

// Add adds a selection, which waits for its first attempt.
func (all *Selections) Add(s Selection) *Attempts {
	r := &Attempts{
		Selection: s, done: make(chan struct{}), observe: all.observe, ended: all.Ended,
		state: State{Selection: s, Phase: Waiting},
		outcome: trial.Outcome{
			Trial: s.Trial.ID, About: s.Trial.About, Subject: s.Subject, Setup: s.Trial.Setup(),
			Verdict: trial.Inconclusive, Why: "it never ran",
		},
	}
	all.mu.Lock()
	all.all[key(s.Trial.ID, s.Subject)] = r
	all.mu.Unlock()
	r.change(func() {})
	return r
}

func (all *Selections) list() []*Attempts {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.Collect(maps.Values(all.all))
}

// Await waits for a selection's outcome. It fails if it was never started or ctx ends first.
func (all *Selections) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
	all.mu.Lock()
	r := all.all[key(id, subject)]
	all.mu.Unlock()
	if r == nil {
		return trial.Outcome{}, fmt.Errorf("trial %s was not started on %s", id, subject)
	}
	select {
	case <-r.done:
		return r.result(), nil
	case <-ctx.Done():
		return r.result(), fmt.Errorf("wait for trial %s on %s: %w", id, subject, context.Cause(ctx))
	}
}

// States returns the progress of every selection, in no order.
func (all *Selections) States() []State {
	var states []State
	for _, r := range all.list() {
		r.mu.Lock()
		states = append(states, r.state)
		r.mu.Unlock()
	}
	return states
}

// Outcomes returns all present outcomes, ordered by subject and trial.
func (all *Selections) Outcomes() []trial.Outcome {
	var outcomes []trial.Outcome
	for _, r := range all.list() {
		outcomes = append(outcomes, r.result())
	}
	slices.SortFunc(outcomes, func(a, b trial.Outcome) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Trial, b.Trial))
	})
	return outcomes
}

const mostLogs = 25

// KeepLog reports whether to keep one more deviation's node log.
func (all *Selections) KeepLog() bool { return all.logs.Add(1) <= mostLogs }

// ErrClosed is the cause of a lab's context after the lab is closed.
var ErrClosed = errors.New("the lab is closed")

// Ended returns why a lab's context ended before the lab was closed, or nil.
func Ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, ErrClosed) {
		return cause
	}
	return nil
}

package stage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/trial"
)

// Selection is one trial on one subject.
type Selection struct {
	Trial   trial.Trial
	Subject string
}

// LongestFirst orders selections by how long their trials last.
func LongestFirst(selections []Selection) []Selection {
	ordered := slices.Clone(selections)
	slices.SortStableFunc(ordered, func(a, b Selection) int { return cmp.Compare(b.Trial.Lasts, a.Trial.Lasts) })
	return ordered
}

// Phase is how far a selection has come.
type Phase string

// The phases, in order. A selection that is tried again goes back to Starting.
const (
	Waiting  Phase = "waiting"
	Starting Phase = "starting"
	Running  Phase = "running"
	Done     Phase = "done"
)

// State is a selection's progress.
type State struct {
	Selection
	Phase Phase
	// Attempt counts from 1; Started is when the present one began.
	Attempt int
	Started time.Time
	// Verdict and Why, its reason in one line, are those of a selection that is done.
	Verdict trial.Verdict
	Why     string
}

// Node is what is known of one node that trials ran on.
type Node struct {
	Name, Subject string
	// Delays is what its recorder measured of it, ClockError how exactly the harness' clock is placed on the recorder's.
	Delays     delay.Record
	ClockError time.Duration
}

// Run is one selection being run.
type Run struct {
	Selection
	done chan struct{}

	mu      sync.Mutex
	state   State
	outcome trial.Outcome
}

func newRun(s Selection) *Run {
	return &Run{
		Selection: s,
		done:      make(chan struct{}),
		state:     State{Selection: s, Phase: Waiting},
		outcome: trial.Outcome{
			Trial:   s.Trial.ID,
			About:   s.Trial.About,
			Subject: s.Subject,
			Verdict: trial.Inconclusive,
			Why:     "it never ran",
		},
	}
}

// Begin says that an attempt begins.
func (r *Run) Begin(attempt int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase, r.state.Attempt, r.state.Started = Starting, attempt, time.Now()
}

// Started says that the attempt's pods have started, or will not.
func (r *Run) Started() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase = Running
}

// Keep takes over an attempt. The reason is empty unless something kept it from being measured to the end.
func (r *Run) Keep(a trial.Attempt, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Attempts = append(r.outcome.Attempts, a)
	r.outcome.Verdict, r.outcome.Why = a.Result.Verdict, why
}

// Conclude ends a selection with a verdict that needs no further attempt.
func (r *Run) Conclude(v trial.Verdict, why string) {
	r.mu.Lock()
	r.outcome.Verdict, r.outcome.Why = v, why
	r.mu.Unlock()
	r.End()
}

// End ends a selection with what its last attempt came to.
func (r *Run) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase, r.state.Verdict = Done, r.outcome.Verdict
	r.state.Why = cmp.Or(r.outcome.Why, r.outcome.Reason())
}

// Finish wakes whoever awaits the outcome.
func (r *Run) Finish() { close(r.done) }

func (r *Run) result() trial.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.outcome
	o.Attempts = slices.Clone(o.Attempts)
	return o
}

// Runs are all that a lab was told to start.
type Runs map[string]*Run

func key(id, subject string) string { return id + " on " + subject }

// Add begins to keep account of a selection.
func (all Runs) Add(s Selection) *Run {
	r := newRun(s)
	all[key(s.Trial.ID, s.Subject)] = r
	return r
}

// Await waits for a selection's outcome. It fails only when the selection was never started or ctx ends first.
func (all Runs) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
	r := all[key(id, subject)]
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

// States tells how far every selection has come.
func (all Runs) States() []State {
	states := make([]State, 0, len(all))
	for _, r := range all {
		r.mu.Lock()
		states = append(states, r.state)
		r.mu.Unlock()
	}
	return states
}

// Outcomes are all outcomes as they stand, ordered by subject and trial.
func (all Runs) Outcomes() []trial.Outcome {
	outcomes := make([]trial.Outcome, 0, len(all))
	for _, r := range all {
		outcomes = append(outcomes, r.result())
	}
	slices.SortFunc(outcomes, func(a, b trial.Outcome) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Trial, b.Trial))
	})
	return outcomes
}

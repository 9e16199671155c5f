package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/fuzz/internal/choice"
	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Runner runs one trial.
type Runner interface {
	Run(ctx context.Context, t trial.Trial) (trial.Outcome, error)
}

// Campaign describes random scenarios on one subject.
type Campaign struct {
	Runner Runner
	// Seed is the seed of the first scenario. The following scenarios have the following seeds.
	Seed uint64
	// Scenarios is the number of scenarios, AtOnce how many of them run at the same time.
	Scenarios, AtOnce int
	// Kinds ends the campaign after this many kinds of violations. 0 is no limit.
	Kinds int
	// Shrinking is how long the campaign may shrink one counterexample.
	Shrinking time.Duration
	// Ran is called after each scenario with the number of those that ran, and of the kinds of violations so far. Found
	// is called with each kind's smallest violation. Both may be nil. They are never called at the same time.
	Ran   func(scenarios, kinds int)
	Found func(Violation)

	// draw is [scenario.Draw], or what a test draws.
	draw func(*choice.Source) scenario.Scenario
}

// running is the state that all checks of a campaign share.
type running struct {
	Campaign
	ctx context.Context

	mu     sync.Mutex // protects begun and report, and calls of Ran and Found
	begun  int
	report Report
}

// known counts a violation, and reports whether its kind was known before.
func (r *running) known(v *Violation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.report.Violations[v.Kind]
	if before == nil {
		r.report.Violations[v.Kind] = v // no other worker shrinks one of this kind
		return false
	}
	before.Times++
	if len(before.Others) < 5 {
		before.Others = append(before.Others, v.Seed)
	}
	return true
}

// replace replaces a violation by a smaller one of its kind.
func (r *running) replace(v *Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.report.Violations[v.Kind]
	v.Times, v.Others = before.Times, before.Others
	r.report.Violations[v.Kind] = v
	if r.Found != nil {
		r.Found(*v)
	}
}

// count adds a seed's own scenario to the report. Scenarios that it shrinks to do not count.
func (r *running) count(s scenario.Scenario, o trial.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Scenarios++
	r.report.Verdicts[cmp.Or(o.Verdict, NoVerdict)]++
	r.report.Claims += len(s.Trial.Claims)
	for _, tag := range s.Tags {
		r.report.Tags[tag]++
	}
	if last := o.Last(); last != nil {
		r.report.Virtual += last.Virtual
	}
	if r.Ran != nil {
		r.Ran(r.report.Scenarios, len(r.report.Violations))
	}
}

// check draws the scenario of a seed, runs it, and shrinks it if it fails in a new way. A scenario without a verdict
// is a violation as well.
func (r *running) check(seed uint64) {
	c := checking{running: r, before: map[string]ran{}}
	from := choice.FromSeed(seed)
	first := c.attempt(from)
	if r.ctx.Err() != nil {
		return
	}
	r.count(first.scenario, first.outcome)
	if first.violated == nil {
		return
	}
	v := first.violation(seed)
	if r.known(v) {
		return
	}
	if v.Scenario != "" {
		v = c.shrink(v, from.Made())
		c.again(v)
	}
	r.replace(v)
}

// checking is one scenario while it is checked and shrunk. It keeps the result of every run, so that the same scenario
// always ends the same.
type checking struct {
	*running
	before map[string]ran // by description
}

type ran struct {
	outcome  trial.Outcome
	violated *Violation
}

// attempted is a scenario that was drawn, described and run. If that failed, it has no description.
type attempted struct {
	scenario  scenario.Scenario
	described string
	ran
}

// violation returns the violation with its scenario.
func (a attempted) violation(seed uint64) *Violation {
	v := *a.violated
	v.Seed, v.Scenario, v.trial, v.Times = seed, a.described, a.scenario.Trial, 1
	return &v
}

// attempt draws a scenario, describes it, and runs it unless it already ran.
func (c *checking) attempt(from *choice.Source) (a attempted) {
	a.scenario, a.violated = try("drawing it", func() (scenario.Scenario, error) { return c.draw(from), nil })
	if a.violated != nil {
		return a
	}
	described, v := try("describing it", func() (string, error) { return scenario.Describe(a.scenario.Trial) })
	if v != nil {
		a.violated = v
		return a
	}
	a.described = described
	var known bool
	if a.ran, known = c.before[described]; !known {
		a.ran = c.run(a.scenario.Trial)
		c.before[described] = a.ran
	}
	return a
}

func (c *checking) run(t trial.Trial) ran {
	var failed error
	outcome, v := try("running it", func() (o trial.Outcome, err error) {
		o, failed = c.Runner.Run(c.ctx, t)
		return o, nil
	})
	if v == nil {
		v = violated(t, outcome, failed)
	}
	return ran{outcome: outcome, violated: v}
}

// shrink returns the smallest violation of the same kind that it finds in time. made are the choices of v.
func (c *checking) shrink(v *Violation, made []choice.Choice) *Violation {
	ctx, cancel := context.WithTimeout(c.ctx, c.Shrinking)
	defer cancel()
	smallest := choice.Smallest(ctx, made, func(given []choice.Choice) ([]choice.Choice, bool) {
		from := choice.From(given)
		a := c.attempt(from)
		return from.Made(), c.ctx.Err() == nil && a.violated != nil && a.violated.Kind == v.Kind
	})
	return c.attempt(choice.From(smallest)).violation(v.Seed)
}

// again runs a counterexample again and counts how often it fails in the same way.
func (c *checking) again(v *Violation) {
	for range Repeats {
		if c.ctx.Err() != nil {
			return
		}
		if again := c.run(v.trial).violated; again != nil && again.Kind == v.Kind {
			v.Again++
		}
	}
}

// try calls do. If do fails or panics, try returns a violation: the campaign itself depends on do.
func try[T any](what string, do func() (T, error)) (result T, v *Violation) {
	defer func() {
		if panicked := recover(); panicked != nil {
			v = harness(fmt.Sprintf("%s panicked: %v", what, panicked), fmt.Sprintf("%v\n%s", panicked, debug.Stack()))
		}
	}()
	result, err := do()
	if err != nil {
		v = harness(fmt.Sprintf("%s failed: %v", what, err), err.Error())
	}
	return result, v
}

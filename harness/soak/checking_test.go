package soak

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/trial"
)

// Runner runs one trial.
type Runner interface {
	Run(ctx context.Context, t trial.Trial) (trial.Outcome, error)
}

// hunting is the state that all checks of a hunt share.
type hunting struct {
	ctx      context.Context
	runner   Runner
	progress io.Writer
	// seeding protects rapid's seed, which is a global flag, until the check has read it.
	seeding sync.Mutex

	mu     sync.Mutex // protects begun and report
	begun  int
	report Report
}

// seen reports whether a kind of violation is already known, and counts it if so.
func (h *hunting) seen(kind string, seed uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.report.Violations[kind]
	if v == nil {
		// Reserve the kind, so that no other worker shrinks the same violation.
		h.report.Violations[kind] = &Violation{Kind: kind, Seed: seed}
		return false
	}
	v.Times++
	if len(v.Others) < 5 {
		v.Others = append(v.Others, seed)
	}
	return true
}

func (h *hunting) add(v *Violation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.report.Violations[v.Kind]
	v.Times, v.Others = before.Times+1, before.Others
	h.report.Violations[v.Kind] = v
	if h.progress != nil {
		_, _ = fmt.Fprintf(h.progress, "%s\n", v)
	}
}

// check draws the scenario of a seed, runs it, and shrinks it if it fails in a new way. If the scenario gets no verdict
// at all, that is a violation as well.
func (h *hunting) check(seed uint64) {
	c := checking{hunting: h, seed: seed, ran: map[string]ran{}}
	var listener listener
	var read sync.Once
	h.seeding.Lock()
	_ = flag.Set("rapid.seed", fmt.Sprint(seed))
	defer read.Do(h.seeding.Unlock)
	_, broken := try("rapid", func() (struct{}, error) {
		rapid.Check(&listener, func(t *rapid.T) {
			read.Do(h.seeding.Unlock)
			c.property(t)
		})
		return struct{}{}, nil
	})
	if c.found != nil {
		c.again()
		h.add(c.found)
	}
	if broken == nil && listener.complaint != "" && c.found == nil && h.ctx.Err() == nil {
		broken = harness("rapid: "+listener.complaint, listener.complaint)
	}
	if broken != nil {
		c.count(Scenario{}, trial.Outcome{})
		broken.Seed = seed
		if !h.seen(broken.Kind, seed) {
			h.add(broken)
		}
	}
}

// checking is one scenario while it is checked and shrunk. It keeps the result of every run, so that the same scenario
// always ends the same.
type checking struct {
	*hunting
	seed    uint64
	ran     map[string]ran // by description
	counted bool
	kind    string
	found   *Violation
}

type ran struct {
	outcome  trial.Outcome
	violated *Violation
}

func (c *checking) property(t *rapid.T) {
	s, described, r := c.attempt(t)
	if c.ctx.Err() != nil {
		return
	}
	first := !c.counted
	c.count(s, r.outcome)
	if r.violated == nil {
		return
	}
	v := *r.violated
	switch {
	case c.kind != "" && v.Kind != c.kind, first && c.seen(v.Kind, c.seed):
		return // a smaller scenario counts only if it fails in the same way
	}
	c.kind = v.Kind
	v.Seed, v.Scenario, v.trial, v.Times = c.seed, described, s.Trial, 1
	c.found = &v
	t.Fatalf("%s", v.Kind)
}

// attempt draws a scenario, describes it, and runs it unless it already ran.
func (c *checking) attempt(t *rapid.T) (Scenario, string, ran) {
	s, v := try("drawing it", func() (Scenario, error) { return Draw(t), nil })
	if v != nil {
		return s, "", ran{violated: v}
	}
	described, v := try("describing it", func() (string, error) { return describe(s.Trial) })
	if v != nil {
		return s, "", ran{violated: v}
	}
	r, known := c.ran[described]
	if !known {
		r = c.run(s.Trial)
		c.ran[described] = r
	}
	return s, described, r
}

func (c *checking) run(t trial.Trial) ran {
	var failed error
	outcome, v := try("running it", func() (o trial.Outcome, err error) {
		o, failed = c.runner.Run(c.ctx, t)
		return o, nil
	})
	if v == nil {
		v = violated(t, outcome, failed)
	}
	return ran{outcome: outcome, violated: v}
}

// try calls do. If do fails or panics, try returns a violation: the hunt itself depends on do.
func try[T any](what string, do func() (T, error)) (result T, v *Violation) {
	defer func() {
		panicked := recover()
		switch {
		case panicked == nil:
		case ofRapid(panicked):
			panic(panicked)
		default:
			v = harness(fmt.Sprintf("%s panicked: %v", what, panicked), fmt.Sprintf("%v\n%s", panicked, debug.Stack()))
		}
	}()
	result, err := do()
	if err != nil {
		v = harness(fmt.Sprintf("%s failed: %v", what, err), err.Error())
	}
	return result, v
}

// again runs a counterexample again and counts how often it fails in the same way.
func (c *checking) again() {
	if c.found.Scenario == "" {
		return // there is nothing to run
	}
	for range repeats {
		if v := c.run(c.found.trial).violated; v != nil && v.Kind == c.kind {
			c.found.Again++
		}
	}
}

// count adds a seed's own scenario to the report once. Scenarios that it shrinks to do not count.
func (c *checking) count(s Scenario, o trial.Outcome) {
	if c.counted {
		return
	}
	c.counted = true
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Scenarios++
	c.report.Verdicts[cmp.Or(o.Verdict, NoVerdict)]++
	c.report.Claims += len(s.Trial.Claims)
	for _, tag := range s.Tags {
		c.report.Tags[tag]++
	}
	if last := o.Last(); last != nil {
		c.report.Virtual += last.Virtual
	}
}

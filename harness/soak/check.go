package soak

import (
	"cmp"
	"flag"
	"fmt"
	"runtime/debug"
	"sync"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/trial"
)

// check draws the scenario of a seed, runs it, and shrinks it if it fails in a way that is new. Whatever
// keeps it from a verdict is a violation as well.
func (h *hunting) check(seed uint64) {
	c := checking{hunting: h, seed: seed, ran: map[string]ran{}}
	var said listener
	var reading sync.Once
	h.seeding.Lock()
	_ = flag.Set("rapid.seed", fmt.Sprint(seed))
	defer reading.Do(h.seeding.Unlock)
	_, broken := try("rapid", func() (struct{}, error) {
		rapid.Check(&said, func(t *rapid.T) {
			reading.Do(h.seeding.Unlock)
			c.property(t)
		})
		return struct{}{}, nil
	})
	if c.found != nil {
		c.again()
		h.add(c.found)
	}
	if broken == nil && said.complaint != "" && c.found == nil && h.ctx.Err() == nil {
		broken = harness("rapid: "+said.complaint, said.complaint)
	}
	if broken != nil {
		c.count(Scenario{}, trial.Outcome{})
		broken.Seed = seed
		if !h.seen(broken.Kind, seed) {
			h.add(broken)
		}
	}
}

// checking is one scenario being checked and shrunk. All that is run on the way is kept, so that the same
// scenario always ends the same.
type checking struct {
	*hunting
	seed    uint64
	ran     map[string]ran
	counted bool
	kind    string
	found   *Violation
}

// ran is how the run of a scenario ended.
type ran struct {
	outcome  trial.Outcome
	violated *Violation
}

func (c *checking) property(t *rapid.T) {
	s, source, r := c.attempt(t)
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
	v.Seed, v.Source, v.trial, v.Times = c.seed, source, s.Trial, 1
	c.found = &v
	t.Fatalf("%s", v.Kind)
}

// attempt draws a scenario, writes it, and runs it if it was not run already.
func (c *checking) attempt(t *rapid.T) (Scenario, string, ran) {
	s, v := try("drawing it", func() (Scenario, error) { return Draw(t), nil })
	if v != nil {
		return s, "", ran{violated: v}
	}
	source, v := try("writing it", func() (string, error) { return Source(s.Trial) })
	if v != nil {
		return s, "", ran{violated: v}
	}
	r, known := c.ran[source]
	if !known {
		r = c.run(s.Trial)
		c.ran[source] = r
	}
	return s, source, r
}

// run runs a trial and judges how it ended.
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

// try does what the hunt itself depends on. If it fails or panics, that is a violation, of whichever scenario it was.
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

// repeats is how often a counterexample is run again.
const repeats = 5

// again runs a counterexample again, to say how sure it is.
func (c *checking) again() {
	if c.found.Source == "" {
		return // there is nothing to run
	}
	for range repeats {
		if v := c.run(c.found.trial).violated; v != nil && v.Kind == c.kind {
			c.found.Again++
		}
	}
}

// count takes a seed's own scenario into the report, once, and none that it shrinks to.
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
	for _, trait := range s.Traits {
		c.report.Traits[trait]++
	}
	if last := o.Last(); last != nil {
		c.report.Virtual += last.Virtual
	}
}

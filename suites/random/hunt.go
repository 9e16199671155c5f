package random

import (
	"context"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/trial"
)

// Runner runs one trial.
type Runner interface {
	Run(ctx context.Context, t trial.Trial) (trial.Outcome, error)
}

// Hunt runs scenarios in search of claims that do not hold.
type Hunt struct {
	Runner Runner
	// Seed is the first scenario's, the next ones' follow; Scenarios is how many there are, AtOnce how many run at one time.
	Seed      uint64
	Scenarios int
	AtOnce    int
	// Kinds ends the hunt when so many kinds of violations were found; 0 is never.
	Kinds int
	// Shrinking is how long a counterexample may be shrunk.
	Shrinking time.Duration
	// Progress is told how far the hunt is, every few seconds; nil for nobody.
	Progress io.Writer
}

// Go runs the hunt until it is through or its context ends.
func (h Hunt) Go(ctx context.Context) Report {
	hunting := &hunting{Hunt: h, ctx: ctx, report: Report{Violations: map[string]*Violation{}, Traits: map[string]int{}, Verdicts: map[trial.Verdict]int{}}}
	restore := set(map[string]string{"rapid.checks": checks(), "rapid.nofailfile": "true", "rapid.shrinktime": h.Shrinking.String()})
	defer restore()
	begun := time.Now()
	done := make(chan struct{})
	var telling sync.WaitGroup
	if h.Progress != nil {
		telling.Go(func() { hunting.tell(begun, done) })
	}
	var workers sync.WaitGroup
	for range max(1, h.AtOnce) {
		workers.Go(hunting.work)
	}
	workers.Wait()
	close(done)
	telling.Wait()
	hunting.report.Took = time.Since(begun)
	return hunting.report
}

// checks is the number of checks of which rapid makes one: it does a fifth of them in short tests.
func checks() string {
	if short := flag.Lookup("test.short"); short != nil && short.Value.String() == "true" {
		return "5"
	}
	return "1"
}

// set sets flags and returns what puts them back: rapid has no other way to be told.
func set(flags map[string]string) (restore func()) {
	before := map[string]string{}
	for name, value := range flags {
		before[name] = flag.Lookup(name).Value.String()
		_ = flag.Set(name, value) // a name and a value that rapid knows
	}
	return func() {
		for name, value := range before {
			_ = flag.Set(name, value)
		}
	}
}

// hunting is a hunt under way.
type hunting struct {
	Hunt
	ctx    context.Context
	mu     sync.Mutex
	begun  int
	report Report
	// seeding keeps rapid's seed, which is a flag, for the check that is about to read it.
	seeding sync.Mutex
}

// work checks one scenario after another.
func (h *hunting) work() {
	for {
		h.mu.Lock()
		enough := h.begun >= h.Scenarios || h.ctx.Err() != nil || h.Kinds > 0 && len(h.report.Violations) >= h.Kinds
		seed := h.Seed + uint64(h.begun)
		h.begun++
		h.mu.Unlock()
		if enough {
			return
		}
		h.check(seed)
	}
}

// check draws the scenario of a seed, runs it, and shrinks it if it fails in a way that is new.
func (h *hunting) check(seed uint64) {
	c := checking{hunting: h, seed: seed, ran: map[string]ran{}}
	var reading sync.Once
	h.seeding.Lock()
	_ = flag.Set("rapid.seed", fmt.Sprint(seed))
	defer reading.Do(h.seeding.Unlock)
	defer func() {
		if r := recover(); r != nil && r != any(stopped) {
			panic(r)
		}
		if c.found != nil {
			c.again()
			h.add(c.found)
		}
	}()
	rapid.Check(silent{}, func(t *rapid.T) {
		reading.Do(h.seeding.Unlock)
		c.property(t)
	})
}

// checking is one scenario being checked and shrunk. All that is run on the way is kept, so that the same scenario always ends the same.
type checking struct {
	*hunting
	seed  uint64
	ran   map[string]ran
	kind  string
	found *Violation
}

type ran struct {
	outcome trial.Outcome
	err     error
}

func (c *checking) property(t *rapid.T) {
	s := Draw(t)
	source, err := Source(s.Trial)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r, known := c.ran[source]
	if !known {
		r.outcome, r.err = c.Runner.Run(c.ctx, s.Trial)
		c.ran[source] = r
	}
	if c.ctx.Err() != nil {
		return
	}
	first := len(c.ran) == 1 && !known
	if first {
		c.count(s, r.outcome)
	}
	v := violated(r.outcome, r.err)
	switch {
	case v == nil, c.kind != "" && v.Kind != c.kind, first && c.seen(v.Kind, c.seed):
		return // a smaller scenario counts only if it fails in the same way
	}
	c.kind = v.Kind
	v.Seed, v.Source, v.trial, v.Times = c.seed, source, s.Trial, 1
	c.found = v
	t.Fatalf("%s", v.Kind)
}

// repeats is how often a counterexample is run again.
const repeats = 5

// again runs a counterexample again, to say how sure it is.
func (c *checking) again() {
	for range repeats {
		outcome, err := c.Runner.Run(c.ctx, c.found.trial)
		if v := violated(outcome, err); v != nil && v.Kind == c.kind {
			c.found.Again++
		}
	}
}

// count takes a scenario and its verdict into the report.
func (h *hunting) count(s Scenario, o trial.Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.Scenarios++
	h.report.Verdicts[o.Verdict]++
	h.report.Claims += len(s.Trial.Claims)
	for _, trait := range s.Traits {
		h.report.Traits[trait]++
	}
	if last := o.Last(); last != nil {
		h.report.Virtual += last.Virtual
	}
}

// seen counts one more violation of a kind that was found already.
func (h *hunting) seen(kind string, seed uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.report.Violations[kind]
	if v == nil {
		h.report.Violations[kind] = &Violation{Kind: kind, Seed: seed} // whoever finds the same meanwhile need not shrink it, too
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
	if h.Progress != nil {
		_, _ = fmt.Fprintf(h.Progress, "%s\n", v)
	}
}

// tell tells how far the hunt is.
func (h *hunting) tell(begun time.Time, done <-chan struct{}) {
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			h.mu.Lock()
			_, _ = fmt.Fprintf(h.Progress, "%d of %d scenarios, %.1f a second, %d kinds of violations\n",
				h.report.Scenarios, h.Scenarios, float64(h.report.Scenarios)/time.Since(begun).Seconds(), len(h.report.Violations))
			h.mu.Unlock()
		}
	}
}

// stopped is how rapid's check ends that failed.
type stop struct{}

var stopped = &stop{}

// silent is a test that nobody reads: what fails is in the report.
type silent struct{}

func (silent) Helper()               {}
func (silent) Name() string          { return "scenario" }
func (silent) Logf(string, ...any)   {}
func (silent) Log(...any)            {}
func (silent) Skipf(string, ...any)  {}
func (silent) Skip(...any)           {}
func (silent) SkipNow()              {}
func (silent) Errorf(string, ...any) {}
func (silent) Error(...any)          {}
func (silent) Fatalf(string, ...any) { panic(stopped) }
func (silent) Fatal(...any)          { panic(stopped) }
func (silent) FailNow()              { panic(stopped) }
func (silent) Fail()                 {}
func (silent) Failed() bool          { return false }

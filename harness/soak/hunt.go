package soak

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Runner runs one trial.
type Runner interface {
	Run(ctx context.Context, t trial.Trial) (trial.Outcome, error)
}

// Hunt runs scenarios in search of claims that do not hold.
type Hunt struct {
	Runner Runner
	// Seed is the first scenario's, the next ones' follow; Scenarios is how many there are, AtOnce how many
	// run at one time.
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
	hunting := &hunting{
		Hunt: h,
		ctx:  ctx,
		report: Report{
			Violations: map[string]*Violation{},
			Traits:     map[string]int{},
			Verdicts:   map[trial.Verdict]int{},
		},
	}
	restore := set(
		map[string]string{
			"rapid.checks":     checks(),
			"rapid.nofailfile": "true",
			"rapid.shrinktime": h.Shrinking.String(),
		},
	)
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

// seen counts one more violation of a kind that was found already.
func (h *hunting) seen(kind string, seed uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.report.Violations[kind]
	if v == nil {
		// whoever finds the same meanwhile need not shrink it, too
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
				h.report.Scenarios, h.Scenarios, float64(h.report.Scenarios)/time.Since(begun).Seconds(),
				len(h.report.Violations))
			h.mu.Unlock()
		}
	}
}

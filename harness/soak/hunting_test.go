package soak

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Hunt runs random scenarios and looks for claims that do not hold.
type Hunt struct {
	Runner Runner
	// Seed is the seed of the first scenario. The following scenarios have the following seeds.
	Seed uint64
	// Scenarios is the number of scenarios, AtOnce how many of them run at the same time.
	Scenarios, AtOnce int
	// Kinds ends the hunt after this many kinds of violations. 0 is no limit.
	Kinds int
	// Shrinking is how long the hunt may shrink one counterexample.
	Shrinking time.Duration
	// Progress receives a line about the progress every ten seconds, and every violation. It may be nil.
	Progress io.Writer
}

// Go runs the hunt until all scenarios ran or ctx ends.
func (h Hunt) Go(ctx context.Context) Report {
	report := Report{Violations: map[string]*Violation{}, Tags: map[string]int{}, Verdicts: map[trial.Verdict]int{}}
	hunting := &hunting{ctx: ctx, runner: h.Runner, progress: h.Progress, report: report}
	restore := set(map[string]string{
		"rapid.checks":     checks(),
		"rapid.nofailfile": "true",
		"rapid.shrinktime": h.Shrinking.String(),
	})
	defer restore()
	begun := time.Now()
	done := make(chan struct{})
	var progress sync.WaitGroup
	if h.Progress != nil {
		progress.Go(func() { h.printProgress(hunting, begun, done) })
	}
	var workers sync.WaitGroup
	for range max(1, h.AtOnce) {
		workers.Go(func() { h.work(hunting) })
	}
	workers.Wait()
	close(done)
	progress.Wait()
	hunting.report.Took = time.Since(begun)
	return hunting.report
}

func (h Hunt) work(hunting *hunting) {
	for {
		hunting.mu.Lock()
		found := len(hunting.report.Violations)
		enough := hunting.begun >= h.Scenarios || hunting.ctx.Err() != nil || h.Kinds > 0 && found >= h.Kinds
		seed := h.Seed + uint64(hunting.begun)
		hunting.begun++
		hunting.mu.Unlock()
		if enough {
			return
		}
		hunting.check(seed)
	}
}

// printProgress prints a line every ten seconds until done is closed.
func (h Hunt) printProgress(hunting *hunting, begun time.Time, done <-chan struct{}) {
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			hunting.mu.Lock()
			r, took := hunting.report, time.Since(begun)
			_, _ = fmt.Fprintf(h.Progress, "%d of %d scenarios, %.1f per second, %d kinds of violations\n",
				r.Scenarios, h.Scenarios, float64(r.Scenarios)/took.Seconds(), len(r.Violations))
			hunting.mu.Unlock()
		}
	}
}

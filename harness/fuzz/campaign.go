// Package fuzz runs random scenarios of package scenario on virtual nodes, and looks for claims that do not hold. A
// scenario that violates a claim is shrunk to a small one. The package must not know how a report is written.
package fuzz

import (
	"context"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Run runs the campaign until all scenarios ran, enough kinds of violations are found, or ctx ends.
func (c Campaign) Run(ctx context.Context) Report {
	report := Report{Violations: map[string]*Violation{}, Tags: map[string]int{}, Verdicts: map[trial.Verdict]int{}}
	if c.draw == nil {
		c.draw = scenario.Draw
	}
	r := &running{Campaign: c, ctx: ctx, report: report}
	begun := time.Now()
	var workers sync.WaitGroup
	for range max(1, c.AtOnce) {
		workers.Go(r.work)
	}
	workers.Wait()
	r.report.Took = time.Since(begun)
	return r.report
}

func (r *running) work() {
	for {
		r.mu.Lock()
		found := len(r.report.Violations)
		enough := r.begun >= r.Scenarios || r.ctx.Err() != nil || r.Kinds > 0 && found >= r.Kinds
		seed := r.Seed + uint64(r.begun)
		r.begun++
		r.mu.Unlock()
		if enough {
			return
		}
		r.check(seed)
	}
}

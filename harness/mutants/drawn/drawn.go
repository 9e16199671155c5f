// Package drawn tests mutants that nobody chose. It makes every mutant of the lifecycle code that the trials execute,
// draws some of them by a seed, and plays the trials that execute the changed code. A mutant is different if its traces
// are not those of the unchanged kubelet. It is killed if a claim deviates.
package drawn

import (
	"context"
	"time"
)

// Test draws mutants and plays them. If ctx ends, the report has those that were judged.
func Test(ctx context.Context, o Options) (Report, error) {
	r := Report{Version: o.Reach.Version, Seeds: o.Seeds, Started: time.Now()}
	if err := o.draw(ctx, &r); err != nil {
		return r, err
	}
	began := time.Now()
	binary, err := o.build(ctx, r.Mutants)
	r.Build = time.Since(began)
	if err != nil {
		return r, err
	}
	if err := o.play(ctx, binary, r.Mutants); err != nil {
		return r, err
	}
	r.Ended = time.Now()
	return r, nil
}

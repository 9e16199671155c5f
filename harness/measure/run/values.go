package run

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge/sample"
	"github.com/podclock/podclock/harness/measure/trial"
)

// values judges the times that all trials of a subject measured, together, its random waits, and the misses that delay
// excuses. A disturbance makes them unusual.
func values(r Run, s Subject) []trial.Finding {
	if r.Disturbance != "" {
		return nil
	}
	all := Values(r, s)
	return slices.Concat(sample.Judge(all), sample.Waits(all), sample.Excused(all))
}

// Values returns all findings of a subject's trials, with the delays of their nodes.
func Values(r Run, s Subject) (all []sample.Value) {
	delays := map[string]*delay.Record{}
	for i := range r.Nodes {
		delays[r.Nodes[i].Name] = &r.Nodes[i].Delays
	}
	for _, o := range r.Outcomes {
		if o.Subject != s.Name {
			continue
		}
		for i, a := range o.Attempts {
			for _, f := range a.Result.Findings {
				all = append(all, sample.Value{
					Attempt: fmt.Sprint(o.Trial, i), Finding: f, Delays: delays[r.RanOn(o, a)],
				})
			}
		}
	}
	return all
}

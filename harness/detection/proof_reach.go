package detection

import (
	"slices"
)

// unjudged are the trials that some control came to no verdict on, each once.
func (l LaneProof) Unjudged() (trials []string) {
	for _, c := range l.Controls {
		for _, o := range c.Open {
			trials = append(trials, o.Trial)
		}
	}
	slices.Sort(trials)
	return slices.Compact(trials)
}

package suites

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// probeTicks are the trials of when the ticker of a probe begins.
func probeTicks() []trial.Trial {
	// All containers must have started well within a period.
	seldom := fixtures.Liveness(
		fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 15, TimeoutSeconds: 2, FailureThreshold: 3},
	)
	firstTick := func(container string) trial.Claim {
		return trial.Claim{
			Measure: trial.Between(
				trial.PodStartTime,
				trial.FirstProbe(victim.Liveness).Of(container),
			),
			Formula: formula.FirstTick,
			Rivals:  []formula.Rival{formula.FirstTickAtRandom},
		}
	}
	return []trial.Trial{
		{
			ID:    "probes/first-tick",
			About: "The probes of a pod's three containers begin together, a whole period after the pod's first sync: only a kubelet that was just started puts them off by a random part of it.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(obeying(victim.Run{}), seldom),
				fixtures.Named("second", obeying(victim.Run{}), seldom),
				fixtures.Named("third", obeying(victim.Run{}), seldom)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims:    []trial.Claim{firstTick(trial.Main), firstTick("second"), firstTick("third")},
		},
	}
}

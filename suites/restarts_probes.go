package suites

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// probeLoops are containers that a probe kills again and again: their series depends on how long they live.
// The probe fails from the first time on.
func probeLoops() []trial.Trial {
	every := func(periodSeconds int32) fixtures.Probe {
		return fixtures.Probe{
			Handler:          fixtures.HTTP,
			PeriodSeconds:    periodSeconds,
			TimeoutSeconds:   1,
			FailureThreshold: 3,
		}
	}
	failing := obeying(victim.Run{Liveness: "F", Startup: "F"})
	byProbe := ordinary.of(formula.RestartDelayAfterProbe)
	return []trial.Trial{
		{
			ID:        "restarts/liveness-every-15s",
			About:     "A container killed by its probe every 15 s is restarted three times without waiting, then after 20 s: documented are 0, 10, 20 and 40 s.",
			Pod:       fixtures.Pod(5, fixtures.Victim(failing, fixtures.Liveness(every(5)))),
			Labels:    []string{"crash-loop", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     95 * time.Second,
			Claims:    byProbe.delays(0, 0, 0, 20),
		},
		{
			ID:        "restarts/liveness-every-3s",
			About:     "A container killed by its probe every three seconds is restarted twice without waiting, then after 10 and 20 s: documented are 0, 10, 20 and 40 s.",
			Pod:       fixtures.Pod(5, fixtures.Victim(failing, fixtures.Liveness(every(1)))),
			Labels:    []string{"crash-loop", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     58 * time.Second,
			Claims:    byProbe.delays(0, 0, 10, 20),
		},
		{
			ID:        "restarts/startup-every-3s",
			About:     "A container killed by its startup probe is restarted like one killed by its liveness probe: after 0, 0 and 10 s.",
			Pod:       fixtures.Pod(5, fixtures.Victim(failing, fixtures.Startup(every(1)))),
			Labels:    []string{"crash-loop", "startup"},
			KillCause: formula.ByStartup,
			Lasts:     28 * time.Second,
			Claims:    byProbe.delays(0, 0, 10),
		},
		{
			ID:        "restarts/liveness-to-300s",
			About:     "The whole series of a container killed by its probe every three seconds: 0, 0, 10, 20, 40, 80, 160 and 300 s, and then none again.",
			Pod:       fixtures.Pod(5, fixtures.Victim(failing, fixtures.Liveness(every(1)))),
			Labels:    []string{"crash-loop", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     11*time.Minute + 30*time.Second,
			Claims:    byProbe.delays(0, 0, 10, 20, 40, 80, 160, 300, 0),
		},
	}
}

package suites

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// critical is the pod that does not fit, and its container.
const critical = "critical"

// preemption is pods that are ended for a critical one. What both ask for is storage, of which the node has
// what its worker's file system has.
func preemption() []trial.Trial {
	share := fixtures.Request(corev1.ResourceEphemeralStorage, "80Mi")
	preemptor := func() *corev1.Pod {
		return companion(
			critical,
			fixtures.With(
				fixtures.Pod(1, fixtures.Named(critical, obeying(victim.Run{}), share)),
				fixtures.Priority("system-node-critical"),
			),
		)
	}
	create := trial.Cue{Action: trial.CreatePod, Pod: critical, After: 3 * time.Second}
	probe := atOnce
	probe.TerminationGracePeriodSeconds = fixtures.Seconds(40)
	preempting := trial.Event("Preempting")
	return []trial.Trial{
		{
			ID:         "eviction/preemption",
			About:      "A critical pod that does not fit beside a pod has it ended, with all of its grace period of six seconds, and starts after its death.",
			Pod:        fixtures.Pod(6, fixtures.Victim(ignoring, share)),
			Companions: []*corev1.Pod{preemptor()},
			Worker:     smallDisk,
			KillCause:  formula.ByPreemption,
			Cues:       []trial.Cue{create},
			Lasts:      22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: formula.PreemptionStart},
				{Measure: trial.Between(preempting, trial.SIGTERM), Formula: formula.EventThenKill},
				{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
				{
					Measure: trial.Between(trial.Gone, trial.Started.Of(critical)),
					Formula: formula.PreemptorStart,
					Rivals:  []formula.Rival{formula.PreemptorFirst},
				},
			}, endedForGood),
		},
		{
			ID:         "eviction/preemption-exceeds-grace",
			About:      "A critical pod that has a pod of twelve seconds ended, while a liveness probe's kill with forty of its own is under way, waits for eighteen, says so, and shortens nothing.",
			Pod:        fixtures.Pod(12, fixtures.Victim(failing, fixtures.Liveness(probe), share)),
			Companions: []*corev1.Pod{preemptor()},
			Labels:     []string{"liveness"},
			Worker:     smallDisk,
			KillCause:  formula.ByLiveness,
			Cues:       []trial.Cue{create.At(trial.SIGTERM, time.Second)},
			Lasts:      48 * time.Second,
			// What follows the death is not claimed: the kill's own sync may still begin a life, which gets
			// the pod's twelve seconds.
			Claims: []trial.Claim{
				{
					Measure: trial.Between(
						preempting,
						trial.Event("ExceededGracePeriod"),
					),
					Formula:   formula.ExceededGrace,
					KillCause: formula.ByPreemption,
					Rivals:    []formula.Rival{formula.WaitsOneGrace},
				},
				{
					Measure: trial.Between(trial.SIGTERM, trial.Gone),
					Formula: formula.Remainder,
					Rivals:  []formula.Rival{formula.PodGraceOnProbe},
				},
				{Measure: trial.StopSignals(), Formula: formula.StopSignals},
			},
		},
	}
}

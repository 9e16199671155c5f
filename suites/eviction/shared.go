package eviction

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// fillAfter is when a victim fills its folder. Its pod's status has settled by then.
const fillAfter = 2 * time.Second

// filling returns a main process that also fills a folder with a number of MiB.
func filling(run victim.Run, dir string, mib int64, after time.Duration) victim.Run {
	run.FillDir, run.FillAfter, run.FillBytes = dir, after, mib<<20
	return run
}

var failing = victim.Run{Term: victim.Ignore, Liveness: "F"}

// killing returns a liveness probe whose first failure kills, with its own grace period in seconds.
func killing(grace int64) fixtures.Option {
	return fixtures.Liveness(fixtures.Probe{
		PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1, TerminationGracePeriodSeconds: &grace,
	})
}

func companion(name string, pod *corev1.Pod) *corev1.Pod {
	pod.Name = name
	return pod
}

// endedForGood is for every pod that the kubelet ends. No claim is on the exit code: for an evicted pod the kubelet
// sometimes shows ContainerStatusUnknown and a restart that never happened: see lostEnds.
var endedForGood = slices.Concat(
	claims.Needing(formula.TerminalPhaseLast, []trial.Claim{
		claims.Between(trial.Gone, trial.Phase("Failed"), formula.PhaseAfterDeath, formula.FailedWhileDying),
	}),
	[]trial.Claim{
		claims.New(
			trial.HasCondition("DisruptionTarget", trial.Phase("Failed"), 2*time.Second), formula.DisruptionTarget,
		),
		claims.New(
			trial.Starts(trial.Main, trial.Phase("Failed"), 5*time.Second),
			formula.EndedForGood, formula.EvictedAndRestarted,
		),
		claims.New(trial.Objects(trial.Phase("Failed"), 5*time.Second), formula.ObjectStays),
	},
)

// evictedForGood is for an evicted pod whose process had to be killed.
var evictedForGood = slices.Concat(endedForGood, []trial.Claim{
	claims.New(trial.HasReason("Evicted", trial.Phase("Failed"), 2*time.Second), formula.EvictedReason),
})

// eventThenKill is for an eviction whose first sign is SIGTERM.
var eventThenKill = claims.Between(trial.Event("Evicted"), trial.SIGTERM, formula.EventThenKill)

func evictedIgnoring(container string, mistakes ...formula.Mistake) []trial.Claim {
	return claims.Death(container, formula.EvictionRemainder, mistakes...)
}

// evictedWithoutGrace is for an eviction that leaves two seconds.
func evictedWithoutGrace() []trial.Claim {
	return evictedIgnoring(trial.Main, formula.PodGraceOnEviction, formula.NoMinimum)
}

func hookHangs(container string) []trial.Claim {
	return []trial.Claim{
		claims.New(trial.HookRuns().Of(container), formula.HookRuns),
		claims.New(trial.Between(trial.HookBegan, trial.SIGTERM).Of(container), formula.EvictionHookBound),
	}
}

// smallDisk has 128 MiB and a soft threshold at half of it. The soft grace period is longer than one check.
// evictionMaxPodGracePeriod is not set.
var smallDisk = &trial.Worker{
	Name: "eviction-disk", NodeFSMiB: 128, NodeFSInodes: 20_000, Alone: true,
	KubeletConfig: map[string]any{
		"evictionSoft":            map[string]any{"nodefs.available": "50%"},
		"evictionSoftGracePeriod": map[string]any{"nodefs.available": "15s"},
	},
}

package restarts

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// outOfMemory returns the trials of containers that the kernel kills because a limit of memory is exceeded.
func outOfMemory() []trial.Trial {
	const calm = "calm"
	greedy := victim.Run{OOMAfter: time.Second}
	killed := func(life int) []trial.Claim {
		return []trial.Claim{
			claims.New(trial.EndReason("OOMKilled").Life(life), formula.OutOfMemory),
			claims.New(trial.DeathCode().Life(life), formula.OutOfMemoryCode),
			claims.New(trial.HookRuns().Life(life), formula.HookSkipped),
			claims.New(trial.StopSignals().Life(life), formula.NoSignal),
		}
	}
	whole := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")}
	return []trial.Trial{
		{
			ID: "restarts/out-of-memory",
			About: "A container that exceeds its memory limit gets no SIGTERM and no preStop hook. Its restarts wait " +
				"as long as those of one that crashes.",
			Pod: fixtures.Single(30, greedy,
				fixtures.Limit(corev1.ResourceMemory, "64Mi"), fixtures.ExecPreStop(victim.Hook{})),
			Labels: []string{"crash-loop"},
			Lasts:  24 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), counted(3), killed(1), killed(2)),
		},
		{
			ID: "restarts/out-of-memory-of-pod",
			About: "A pod exceeds its own memory limit. Only the container that allocates is killed, and shown as " +
				"one that exceeds a limit of its own.",
			Pod: fixtures.With(
				fixtures.Pod(30,
					fixtures.Victim(greedy, fixtures.ExecPreStop(victim.Hook{})), fixtures.Named(calm, victim.Run{})),
				fixtures.Resources(corev1.ResourceRequirements{Requests: whole, Limits: whole})),
			Labels:   []string{"crash-loop"},
			Needs:    []formula.Change{formula.PodLevelResources},
			NodeOnly: "a virtual node has no cgroup of a pod",
			Lasts:    24 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), counted(3), killed(1), killed(2), []trial.Claim{
				claims.New(trial.EndsWithin(18*time.Second).Of(calm), formula.Undisturbed),
			}),
		},
	}
}

package deletion

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// preconditions returns the trial of requests that mean another version of the pod, or nothing at all.
func preconditions() []trial.Trial {
	dry := func(a trial.Action) trial.Fault {
		return trial.Fault{Action: a, GracePeriodSeconds: fixtures.Seconds(1)}
	}
	faults := []trial.Fault{
		trial.Delete().If(trial.OtherPod), trial.Delete().If(trial.FirstVersion),
		trial.Evict().If(trial.OtherPod), trial.Evict().If(trial.FirstVersion),
	}
	var all []trial.Claim
	for i := range faults {
		faults[i].Refused = true
		all = append(all, claims.New(trial.FaultStatus(i+1), formula.PreconditionFailed))
	}
	faults = append(faults, dry(trial.DryDelete), dry(trial.DryEvict), trial.Evict().If(trial.NewestVersion))
	last := len(faults)
	for i := 1; i < last; i++ {
		faults[i] = faults[i].At(trial.Injected.Number(i), 500*time.Millisecond)
	}
	late := trial.Evict().If(trial.FirstVersion).At(trial.SIGTERM, 500*time.Millisecond)
	late.Refused = true
	faults = append(faults, late)
	all = append(all, claims.New(trial.FaultStatus(last+1), formula.PreconditionFailed))
	return []trial.Trial{{
		ID: "deletion/preconditions",
		About: "A delete or an eviction that demands another UID or an old resourceVersion is refused, during a " +
			"deletion, too. Dry runs do nothing. An eviction that demands the newest version has the pod's grace period.",
		Pod:    fixtures.Single(4, fixtures.Ignoring),
		Faults: faults, Lasts: 15 * time.Second,
		Claims: slices.Concat(all, []trial.Claim{
			claims.New(trial.DeletionGrace(last), formula.DeletionGrace),
			claims.Between(
				trial.Injected.Number(last), trial.Condition("DisruptionTarget"), formula.DisruptionCondition,
			),
			claims.Between(trial.Injected.Number(last), trial.SIGTERM, formula.KillStart),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			claims.New(trial.StopSignals(), formula.StopSignals),
		}, claims.DeletedGracefully),
	}}
}

// demands returns a disruption budget that demands so many healthy pods.
func demands(healthy int32, policy ...policyv1.UnhealthyPodEvictionPolicyType) *policyv1.PodDisruptionBudgetSpec {
	b := &policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(healthy))}
	if len(policy) > 0 {
		b.UnhealthyPodEvictionPolicy = &policy[0]
	}
	return b
}

// budgets returns the trials of evictions about which a disruption budget decides. A second pod is healthy.
func budgets() []trial.Trial {
	const healthy = "healthy"
	other := func() []*corev1.Pod {
		p := fixtures.Pod(1, fixtures.Named(healthy, victim.Run{}))
		p.Name = healthy
		return []*corev1.Pod{p}
	}
	unready := fixtures.Single(3, victim.Run{Term: victim.Ignore, Readiness: "F"},
		fixtures.Readiness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1}))
	livesOn := claims.New(trial.Ended(healthy, trial.Injected, 8*time.Second), formula.LivesOn)
	allowed := func(fault int) []trial.Claim {
		return slices.Concat([]trial.Claim{
			claims.New(trial.FaultStatus(fault), formula.EvictionAllowed),
			claims.New(trial.DeletionGrace(fault), formula.DeletionGrace),
			claims.Between(trial.Injected.Number(fault), trial.SIGTERM, formula.KillStart),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			livesOn,
		}, claims.DeletedGracefully)
	}
	refused := trial.Evict()
	refused.Refused = true
	removed := func(fault int) []trial.Claim {
		return []trial.Claim{
			claims.New(trial.FaultStatus(fault), formula.EvictionAllowed),
			claims.New(trial.DeletionGrace(fault), formula.DeletionGrace),
			claims.Between(trial.Injected.Number(fault), trial.ObjectDeleted, formula.ObjectEnded),
		}
	}
	ended := func(phase corev1.PodPhase, exitCode int) trial.Trial {
		run := victim.Run{ExitAfter: []time.Duration{2 * time.Second}, ExitCode: exitCode}
		what := strings.ToLower(string(phase))
		return trial.Trial{
			ID:    "deletion/eviction-" + what,
			About: "A pod that has " + what + " is evicted and removed at once, whatever the disruption budget.",
			Pod: fixtures.With(
				fixtures.Single(30, run), fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Companions: other(),
			Budgets:    1, Budget: demands(2),
			Nightly: phase == corev1.PodFailed,
			Faults:  []trial.Fault{trial.Evict().At(trial.Phase(string(phase)), 2*time.Second)},
			Lasts:   9 * time.Second,
			Claims:  removed(1),
		}
	}
	return []trial.Trial{
		ended(corev1.PodSucceeded, 0), ended(corev1.PodFailed, 1),
		{
			ID: "deletion/eviction-budget",
			About: "A disruption budget that demands one of two healthy pods allows an eviction. A dry run before it " +
				"uses up nothing.",
			Pod:        fixtures.Single(3, fixtures.Ignoring),
			Companions: other(),
			Budgets:    1, Budget: demands(1),
			Faults: []trial.Fault{
				{Action: trial.DryEvict, After: 3 * time.Second}, trial.Evict().At(trial.Injected, time.Second),
			},
			Lasts:  13 * time.Second,
			Claims: append(allowed(2), claims.New(trial.FaultStatus(1), formula.EvictionAllowed)),
		},
		{
			ID: "deletion/eviction-unready",
			About: "A pod that is not ready may be evicted while as many pods are healthy as the budget demands. An " +
				"eviction that means another pod is refused, but as if the budget did not allow it.",
			Pod:        unready,
			Companions: other(),
			Budgets:    1, Budget: demands(1),
			Faults: []trial.Fault{
				refused.If(trial.OtherPod), trial.Evict().If(trial.AnyPod).At(trial.Injected, time.Second),
			},
			Lasts:  14 * time.Second,
			Claims: append(allowed(2), claims.New(trial.FaultStatus(1), formula.UnreadyPreconditionFailed)),
		},
		{
			ID: "deletion/eviction-unready-refused",
			About: "A pod that is not ready may not be evicted while fewer pods are healthy than the budget demands. " +
				"No budget forbids the delete after it.",
			Pod:        unready,
			Companions: other(),
			Budgets:    1, Budget: demands(2, policyv1.IfHealthyBudget),
			Faults: []trial.Fault{refused, trial.Delete().At(trial.Injected, 2*time.Second)},
			Lasts:  14 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.FaultStatus(1), formula.EvictionRefused),
				claims.Between(trial.Injected.Number(2), trial.SIGTERM, formula.KillStart),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			}, claims.DeletedGracefully),
		},
		{
			ID: "deletion/eviction-unready-always",
			About: "With unhealthyPodEvictionPolicy AlwaysAllow, a pod that is not ready may be evicted even if the " +
				"budget demands more healthy pods.",
			Pod:        unready,
			Companions: other(),
			Budgets:    1, Budget: demands(2, policyv1.AlwaysAllow),
			Faults: []trial.Fault{trial.Evict()}, Lasts: 12 * time.Second,
			Claims: allowed(1),
		},
		{
			ID: "deletion/eviction-unscheduled",
			About: "A pod that has no node is evicted and removed at once, whatever the disruption budget, unless the " +
				"eviction demands an older version of the pod.",
			Pod: fixtures.With(
				fixtures.Single(30, fixtures.Ignoring),
				fixtures.NodeSelector("podclock.dev/no-such-node", "true"),
			),
			Companions:  other(),
			Unscheduled: true,
			Budgets:     1, Budget: demands(2),
			Faults: []trial.Fault{
				trial.Set("podclock.dev/changed", corev1.ConditionTrue),
				refused.If(trial.FirstVersion).At(trial.Injected, time.Second),
				trial.Evict().At(trial.Injected.Number(2), time.Second),
			},
			Lasts:  9 * time.Second,
			Claims: append(removed(3), claims.New(trial.FaultStatus(2), formula.PreconditionFailed)),
		},
	}
}

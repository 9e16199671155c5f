// Package deletion holds the trials of the API server's part in a pod's end: what it stores of a delete, an
// eviction or a taint, and when the object goes. A missing object is never taken for dead processes.
package deletion

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

// Trials returns the trials of the area.
func Trials() []trial.Trial {
	return slices.Concat(firstDeletes(), deletesOfTheEnded(), secondDeletes(), preconditions(), evictions(), budgets(),
		taints(), traffic())
}

var oneDelete = []trial.Fault{trial.Delete()}

func firstDeletes() []trial.Trial {
	return []trial.Trial{
		{
			ID:     "deletion/default",
			About:  "A delete without options takes the pod's grace period. The object outlives the process.",
			Pod:    fixtures.Single(3, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 11 * time.Second,
			Claims: slices.Concat(stored, claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "deletion/unset",
			About:  "A pod without a grace period of its own has thirty seconds.",
			Pod:    fixtures.With(fixtures.Single(30, fixtures.Ignoring), fixtures.UnsetGracePeriod),
			Faults: oneDelete, Lasts: 38 * time.Second,
			Claims: slices.Concat(stored, claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "deletion/option",
			About:  "A delete's own grace period replaces the pod's.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{trial.DeleteWithin(3)}, Lasts: 11 * time.Second,
			Claims: slices.Concat(stored, killedAgainst(formula.SpecGrace), claims.DeletedGracefully),
		},
		{
			ID:     "deletion/option-negative",
			About:  "A delete's negative grace period is stored as one second. The process has two.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{trial.DeleteWithin(-5)}, Lasts: 10 * time.Second,
			Claims: slices.Concat(
				stored, killedAgainst(formula.NoMinimum, formula.SpecGrace), claims.DeletedGracefully,
			),
		},
		{
			ID:     "deletion/spec-negative",
			About:  "A pod's negative grace period is stored as one second.",
			Pod:    fixtures.Single(-5, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 10 * time.Second,
			Claims: slices.Concat(stored, killedAgainst(formula.NoMinimum), claims.DeletedGracefully),
		},
		{
			ID:     "deletion/spec-zero",
			About:  "A pod with a grace period of zero leaves the API at once, two seconds before its process.",
			Pod:    fixtures.Single(0, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 9 * time.Second,
			Claims: slices.Concat(stored, killedAgainst(formula.NoMinimum), claims.DeletedAtOnce, outlived),
		},
		{
			ID:     "deletion/force",
			About:  "A force delete removes the object at once. The process dies later.",
			Pod:    fixtures.Single(8, fixtures.Ignoring),
			Faults: []trial.Fault{trial.DeleteWithin(0)}, Lasts: 9 * time.Second,
			Claims: slices.Concat(
				stored, killedAgainst(formula.NoMinimum, formula.SpecGrace), claims.DeletedAtOnce, outlived,
			),
		},
	}
}

func killedAgainst(mistakes ...formula.Mistake) []trial.Claim {
	return claims.Against(claims.KilledWithoutHook, mistakes...)
}

func deletesOfTheEnded() []trial.Trial {
	const prepare = "prepare"
	once := func(exitCode int) *corev1.Pod {
		run := victim.Run{ExitAfter: []time.Duration{2 * time.Second}, ExitCode: exitCode}
		return fixtures.With(fixtures.Single(30, run), fixtures.RestartPolicy(corev1.RestartPolicyNever))
	}
	removed := []trial.Claim{claims.Between(trial.Injected, trial.ObjectDeleted, formula.ObjectEnded)}
	neverInitialised := fixtures.With(once(0), fixtures.Init(fixtures.Named("init",
		victim.Run{ExitAfter: []time.Duration{2 * time.Second}, ExitCode: 5})))
	return []trial.Trial{
		{
			ID:    "deletion/unscheduled",
			About: "A pod that has no node is removed at once, whatever its grace period.",
			Pod: fixtures.With(
				fixtures.Single(30, fixtures.Ignoring),
				fixtures.NodeSelector("podclock.dev/no-such-node", "true"),
			),
			Unscheduled: true,
			Faults:      oneDelete, Lasts: 5 * time.Second,
			Claims: slices.Concat(stored, removed),
		},
		{
			ID:     "deletion/succeeded",
			About:  "A pod that has succeeded is removed at once, whatever its grace period.",
			Pod:    once(0),
			Faults: []trial.Fault{trial.Delete().At(trial.Phase("Succeeded"), 2*time.Second)},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(stored, removed),
		},
		{
			ID:     "deletion/failed",
			About:  "A pod that has failed is removed at once, even if the request asks for a grace period.",
			Pod:    once(7),
			Faults: []trial.Fault{trial.DeleteWithin(20).At(trial.Phase("Failed"), 2*time.Second)},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(stored, removed),
		},
		{
			ID:     "deletion/failed-init",
			About:  "A pod whose init container has failed for good is removed at once, whatever its grace period.",
			Pod:    neverInitialised,
			Faults: []trial.Fault{trial.Delete().At(trial.Phase("Failed"), 2*time.Second)},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(stored, removed),
		},
		{
			ID: "deletion/after-init",
			About: "A pod that is deleted after its init container has succeeded, but before another container could " +
				"start, does not use its grace period.",
			Pod: fixtures.With(
				fixtures.Single(30, fixtures.Ignoring, fixtures.NeedsConfigMap()),
				fixtures.Init(fixtures.Named(prepare, victim.Run{ExitAfter: []time.Duration{2 * time.Second}})),
			),
			Labels:  []string{"config-error"},
			Nightly: true,
			Faults:  []trial.Fault{trial.Delete().At(trial.Gone.Of(prepare), 5*time.Second)},
			Lasts:   13 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.ObjectDeleted, formula.DeletedBeforeStart),
				claims.New(trial.Starts(prepare, trial.Injected, 2*time.Second), formula.Starts),
			},
		},
	}
}

func secondDeletes() []trial.Trial {
	again := func(c trial.Fault, after time.Duration) trial.Fault { return c.At(trial.SIGTERM, after) }
	return []trial.Trial{
		{
			ID:     "deletion/second-shorter",
			About:  "A second delete shortens the object's deletion from twenty seconds to five, but not the process'.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Delete(), again(trial.DeleteWithin(5), time.Second)},
			Lasts:  28 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), shortened, claims.DeletedGracefully),
		},
		{
			ID: "deletion/second-expired",
			About: "A second delete whose time is over moves the object's deletion to now. The process still has its " +
				"twelve seconds.",
			Pod:    fixtures.Single(12, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Delete(), again(trial.DeleteWithin(2), 5*time.Second)},
			Lasts:  20 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), shortened, claims.DeletedGracefully),
		},
		{
			ID:     "deletion/second-negative",
			About:  "A negative second delete asks for one second. The process still has its nine.",
			Pod:    fixtures.Single(9, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Delete(), again(trial.DeleteWithin(-5), 3*time.Second)},
			Lasts:  17 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), shortened, claims.DeletedGracefully),
		},
		{
			ID:    "deletion/second-longer",
			About: "A later delete without an option, with an equal or with a longer grace period changes nothing.",
			Pod:   fixtures.Single(6, fixtures.Ignoring),
			Faults: []trial.Fault{
				trial.Delete(),
				again(trial.Delete(), 500*time.Millisecond),
				again(trial.DeleteWithin(6), time.Second),
				again(trial.DeleteWithin(40), time.Second),
			},
			Lasts: 14 * time.Second,
			Claims: slices.Concat(
				stored, storedNext(2), storedNext(3), storedNext(4), claims.KilledWithoutHook, claims.DeletedGracefully,
			),
		},
		{
			ID: "deletion/second-equal",
			About: "A second, equal delete changes nothing. The hook took all of the time, and the process has two " +
				"more seconds.",
			Pod:    fixtures.Single(3, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true})),
			Faults: []trial.Fault{trial.Delete(), again(trial.DeleteWithin(3), time.Second)},
			Lasts:  13 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), claims.DeletedGracefully),
		},
		{
			ID: "deletion/second-zero",
			About: "A force delete during a deletion removes the object at once. The process still has its first " +
				"grace period.",
			Pod:    fixtures.Single(9, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Delete(), again(trial.DeleteWithin(0), 2*time.Second)},
			Lasts:  16 * time.Second,
			Claims: slices.Concat(stored, shortened, outlived, []trial.Claim{
				claims.New(trial.DeletionGrace(2), formula.DeletionGrace),
				claims.Between(trial.Injected.Number(2), trial.ObjectDeleted, formula.ObjectForced),
			}),
		},
		{
			ID: "deletion/second-shorter-in-hook",
			About: "A second, shorter delete during a hook does not cut it. After the hook, the process still has " +
				"what is left of its fourteen seconds.",
			Pod: fixtures.Single(14, fixtures.Ignoring,
				fixtures.ExecPreStop(victim.Hook{Sleep: 4500 * time.Millisecond})),
			Faults: []trial.Fault{trial.Delete(), trial.DeleteWithin(8).At(trial.HookBegan, time.Second)},
			Lasts:  22 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), hookGoesOn, claims.HookCompletes,
				claims.Death(trial.Main, formula.ShortenedRemainder, formula.ShorteningObeyed),
				claims.DeletedGracefully),
		},
		{
			ID: "deletion/second-zero-in-hook",
			About: "A force delete during a hook that hangs removes the object at once. The hook still has its six " +
				"seconds, and the process two.",
			Pod:    fixtures.Single(6, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true})),
			Faults: []trial.Fault{trial.Delete(), trial.DeleteWithin(0).At(trial.HookBegan, 1500*time.Millisecond)},
			Lasts:  16 * time.Second,
			Claims: slices.Concat(stored, hookGoesOn, outlived, []trial.Claim{
				claims.New(trial.DeletionGrace(2), formula.DeletionGrace),
				claims.Between(trial.HookBegan, trial.SIGTERM, formula.HookBound),
				claims.Between(trial.Injected.Number(2), trial.ObjectDeleted, formula.ObjectForced),
			}, claims.Death(trial.Main, formula.Remainder)),
		},
	}
}

// hookGoesOn is for a hook that a second delete does not touch.
var hookGoesOn = []trial.Claim{
	claims.Between(trial.Injected, trial.HookBegan, formula.KillStart),
	claims.New(trial.HookRuns(), formula.HookRuns),
}

// stored is what the API server makes of the first request.
var stored = []trial.Claim{
	claims.New(trial.DeletionGrace(1), formula.DeletionGrace),
	claims.Between(trial.Injected, trial.DeletionBegan, formula.DeletionBegan),
}

// storedNext is what the API server makes of a later request.
func storedNext(fault int) []trial.Claim {
	return []trial.Claim{
		claims.New(trial.DeletionGrace(fault), formula.DeletionGrace),
		claims.New(trial.DeletionShift(fault), formula.DeletionShift),
	}
}

// shortened is for a process that ignores SIGTERM, and a shorter second request.
var shortened = slices.Concat([]trial.Claim{
	claims.Between(trial.Injected, trial.SIGTERM, formula.KillStart),
}, claims.Death(trial.Main, formula.ShortenedRemainder, formula.ShorteningObeyed))

// outlived is for a process that outlives its pod's object.
var outlived = []trial.Claim{claims.Between(trial.ObjectDeleted, trial.Gone, formula.DeathAfterObject)}

func evictions() []trial.Trial {
	within := trial.Evict()
	within.GracePeriodSeconds = fixtures.Seconds(3)
	refused := trial.Evict()
	refused.Refused = true
	refusedWithin := within
	refusedWithin.Refused = true
	evicted := func(fault trial.Point) []trial.Claim {
		return []trial.Claim{claims.Between(fault, trial.Condition("DisruptionTarget"), formula.DisruptionCondition)}
	}
	condition, again := evicted(trial.Injected), within.At(trial.SIGTERM, 2*time.Second)
	again.GracePeriodSeconds = fixtures.Seconds(6)
	expired := within.At(trial.SIGTERM, 5*time.Second)
	equal := within.At(trial.SIGTERM, time.Second)
	refusedThenDeleted := []trial.Fault{refused, trial.Delete().At(trial.Injected, 6*time.Second)}
	refusedBy := func(rule formula.Formula, mistakes ...formula.Mistake) []trial.Claim {
		return slices.Concat([]trial.Claim{
			claims.New(trial.FaultStatus(1), rule, mistakes...),
			claims.New(trial.DeletionGrace(2), formula.DeletionGrace),
			claims.Between(trial.Injected.Number(2), trial.SIGTERM, formula.KillStart),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
		}, claims.DeletedGracefully)
	}
	return []trial.Trial{
		{
			ID:     "deletion/eviction",
			About:  "An eviction through the API is a delete with the pod's own grace period, and sets a condition.",
			Pod:    fixtures.Single(4, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Evict()}, Lasts: 12 * time.Second,
			Claims: slices.Concat(stored, condition, claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "deletion/eviction-option",
			About:  "An eviction's own grace period replaces the pod's.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{within}, Lasts: 11 * time.Second,
			Claims: slices.Concat(stored, condition, killedAgainst(formula.SpecGrace), claims.DeletedGracefully),
		},
		{
			ID:     "deletion/eviction-unset",
			About:  "An eviction of a pod without a grace period of its own leaves thirty seconds.",
			Pod:    fixtures.With(fixtures.Single(30, fixtures.Ignoring), fixtures.UnsetGracePeriod),
			Faults: []trial.Fault{trial.Evict()}, Lasts: 38 * time.Second,
			Claims: slices.Concat(stored, condition, claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "deletion/eviction-option-longer",
			About:  "An eviction's own grace period may be longer than the pod's.",
			Pod:    fixtures.Single(1, fixtures.Ignoring),
			Faults: []trial.Fault{within}, Lasts: 11 * time.Second,
			Claims: slices.Concat(stored, condition, killedAgainst(formula.SpecGrace), claims.DeletedGracefully),
		},
		{
			ID: "deletion/eviction-refused",
			About: "An eviction that the disruption budget does not allow is refused. No budget forbids the delete " +
				"after it.",
			Pod:     fixtures.Single(3, fixtures.Ignoring),
			Budgets: 1,
			Faults:  refusedThenDeleted, Lasts: 17 * time.Second,
			Claims: refusedBy(formula.EvictionRefused),
		},
		{
			ID: "deletion/eviction-refused-option",
			About: "An eviction with a grace period of its own is refused like any other. The delete after it has " +
				"its own two seconds.",
			Pod:     fixtures.Single(20, fixtures.Ignoring),
			Budgets: 1,
			Faults:  []trial.Fault{refusedWithin, trial.DeleteWithin(2).At(trial.Injected, 3*time.Second)},
			Lasts:   13 * time.Second,
			Claims:  refusedBy(formula.EvictionRefused),
		},
		{
			ID: "deletion/eviction-two-budgets",
			About: "An eviction is refused as a misconfiguration if two disruption budgets select the pod. The " +
				"delete after it is obeyed.",
			Pod:     fixtures.Single(3, fixtures.Ignoring),
			Budgets: 2,
			Faults:  refusedThenDeleted, Lasts: 17 * time.Second,
			Claims: refusedBy(formula.EvictionOfTwoBudgets, formula.SecondBudgetIgnored),
		},
		{
			ID:      "deletion/eviction-two-budgets-option",
			About:   "Two disruption budgets also misconfigure an eviction with a grace period of its own.",
			Pod:     fixtures.Single(20, fixtures.Ignoring),
			Budgets: 2,
			Faults:  []trial.Fault{refusedWithin, trial.DeleteWithin(2).At(trial.Injected, 3*time.Second)},
			Lasts:   13 * time.Second,
			Claims:  refusedBy(formula.EvictionOfTwoBudgets, formula.SecondBudgetIgnored),
		},
		{
			ID: "deletion/eviction-while-deleted",
			About: "An eviction during a delete shortens the object's deletion from twenty seconds to six, whatever " +
				"the disruption budget. The process still has its twenty.",
			Pod:     fixtures.Single(20, fixtures.Ignoring),
			Budgets: 1,
			Faults:  []trial.Fault{trial.Delete(), again}, Lasts: 28 * time.Second,
			Claims: slices.Concat(
				stored, storedNext(2), evicted(trial.Injected.Number(2)), shortened, claims.DeletedGracefully,
			),
		},
		{
			ID: "deletion/eviction-expired",
			About: "An eviction during a delete whose time is over moves the object's deletion to now. The process " +
				"still has its eleven seconds.",
			Pod:    fixtures.Single(11, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Delete(), expired}, Lasts: 19 * time.Second,
			Claims: slices.Concat(
				stored, storedNext(2), evicted(trial.Injected.Number(2)), shortened, claims.DeletedGracefully,
			),
		},
		{
			ID: "deletion/eviction-equal",
			About: "An eviction with the grace period of the delete before it changes nothing. The hook took all of " +
				"the time, and the process has two more seconds.",
			Pod:    fixtures.Single(20, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true})),
			Faults: []trial.Fault{trial.DeleteWithin(3), equal}, Lasts: 13 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), claims.DeletedGracefully),
		},
		{
			ID:     "deletion/eviction-while-evicted",
			About:  "A second eviction shortens the object's deletion like a second delete. The process has its twenty.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{trial.Evict(), again}, Lasts: 28 * time.Second,
			Claims: slices.Concat(stored, condition, storedNext(2), shortened, claims.DeletedGracefully),
		},
	}
}

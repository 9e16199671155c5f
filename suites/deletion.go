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

// Deletion is the area of the API server's part in a pod's end: what it stores of a delete, an eviction, a
// taint, and when the object goes. That is never taken for the death of its processes.
func Deletion() []trial.Trial {
	return slices.Concat(firstDeletes(), deletesOfTheEnded(), secondDeletes(), evictions(), taints())
}

// firstDeletes are single delete requests.
func firstDeletes() []trial.Trial {
	return []trial.Trial{
		{
			ID:     "deletion/default",
			About:  "A delete without options takes the pod's grace period, and the object outlives the process.",
			Pod:    fixtures.Pod(3, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  11 * time.Second,
			Claims: slices.Concat(stored, killedWithoutHook, deletedGracefully),
		},
		{
			ID: "deletion/option", About: "A delete's own grace period stands in the place of the pod's.",
			Pod:    fixtures.Pod(20, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.DeleteWithin(3)},
			Lasts:  11 * time.Second,
			Claims: slices.Concat(stored, against(killedWithoutHook, formula.SpecGrace), deletedGracefully),
		},
		{
			ID:    "deletion/option-negative",
			About: "A negative grace period of a delete request becomes one second at the API server, and two at the kubelet.",
			Pod:   fixtures.Pod(20, fixtures.Victim(ignoring)),
			Cues:  []trial.Cue{trial.DeleteWithin(-5)},
			Lasts: 10 * time.Second,
			Claims: slices.Concat(
				stored,
				against(killedWithoutHook, formula.NoMinimum, formula.SpecGrace),
				deletedGracefully,
			),
		},
		{
			ID:     "deletion/spec-negative",
			About:  "A negative grace period of a pod is accepted, and stored as one second.",
			Pod:    fixtures.Pod(-5, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  10 * time.Second,
			Claims: slices.Concat(stored, against(killedWithoutHook, formula.NoMinimum), deletedGracefully),
		},
		{
			ID:     "deletion/spec-zero",
			About:  "A pod whose own grace period is zero is gone from the API at once, two seconds before its process.",
			Pod:    fixtures.Pod(0, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(stored, against(killedWithoutHook, formula.NoMinimum), deletedAtOnce, outlived),
		},
		{
			ID:    "deletion/force",
			About: "A force delete removes the object at once; its disappearance is not the process' death.",
			Pod:   fixtures.Pod(8, fixtures.Victim(ignoring)),
			Cues:  []trial.Cue{trial.DeleteWithin(0)},
			Lasts: 9 * time.Second,
			Claims: slices.Concat(
				stored,
				against(killedWithoutHook, formula.NoMinimum, formula.SpecGrace),
				deletedAtOnce,
				outlived,
			),
		},
	}
}

// deletesOfTheEnded are deletes of pods that have no process to be killed.
func deletesOfTheEnded() []trial.Trial {
	once := func(exitCode int) *corev1.Pod {
		return fixtures.With(
			fixtures.Pod(
				30,
				fixtures.Victim(victim.Run{ExitAfter: []time.Duration{2 * time.Second}, ExitCode: exitCode}),
			),
			fixtures.RestartPolicy(corev1.RestartPolicyNever),
		)
	}
	removed := []trial.Claim{{Measure: trial.Between(trial.Cued, trial.ObjectDeleted), Formula: formula.ObjectEnded}}
	return []trial.Trial{
		{
			ID:    "deletion/unscheduled",
			About: "A pod that no node was found for is removed at once, whatever its grace period.",
			Pod: fixtures.With(
				fixtures.Pod(30, fixtures.Victim(ignoring)),
				fixtures.NodeSelector("podclock.dev/no-such-node", "true"),
			),
			Unscheduled: true,
			Cues:        []trial.Cue{trial.Delete()},
			Lasts:       5 * time.Second,
			Claims:      slices.Concat(stored, removed),
		},
		{
			ID: "deletion/succeeded", About: "A pod that has succeeded is removed at once, whatever its grace period.",
			Pod:    once(0),
			Cues:   []trial.Cue{trial.Delete().At(trial.Phase("Succeeded"), 2*time.Second)},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(stored, removed),
		},
		{
			ID:     "deletion/failed",
			About:  "A pod that has failed is removed at once, even if the request asks for a grace period.",
			Pod:    once(7),
			Cues:   []trial.Cue{trial.DeleteWithin(20).At(trial.Phase("Failed"), 2*time.Second)},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(stored, removed),
		},
	}
}

// secondDeletes are two or more requests for one pod.
func secondDeletes() []trial.Trial {
	again := func(c trial.Cue, after time.Duration) trial.Cue { return c.At(trial.SIGTERM, after) }
	return []trial.Trial{
		{
			ID:     "deletion/second-shorter",
			About:  "A second delete moves the object's deletion from twenty seconds to five; the process lives out its twenty.",
			Pod:    fixtures.Pod(20, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete(), again(trial.DeleteWithin(5), time.Second)},
			Lasts:  28 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), shortened, deletedGracefully),
		},
		{
			ID:     "deletion/second-expired",
			About:  "A second delete whose time would be over already moves the object's deletion to now, with one second; the process lives out its twelve.",
			Pod:    fixtures.Pod(12, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete(), again(trial.DeleteWithin(2), 5*time.Second)},
			Lasts:  20 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), shortened, deletedGracefully),
		},
		{
			ID:     "deletion/second-negative",
			About:  "A negative second delete asks for one second, which the process does not obey.",
			Pod:    fixtures.Pod(9, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete(), again(trial.DeleteWithin(-5), 3*time.Second)},
			Lasts:  17 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), shortened, deletedGracefully),
		},
		{
			ID:    "deletion/second-longer",
			About: "Nothing lengthens a deletion: no second request without an option, an equal or a longer one.",
			Pod:   fixtures.Pod(6, fixtures.Victim(ignoring)),
			Cues: []trial.Cue{
				trial.Delete(),
				again(
					trial.Delete(),
					500*time.Millisecond,
				),
				again(trial.DeleteWithin(6), time.Second),
				again(trial.DeleteWithin(40), time.Second),
			},
			Lasts: 14 * time.Second,
			Claims: slices.Concat(
				stored,
				storedNext(2),
				storedNext(3),
				storedNext(4),
				killedWithoutHook,
				deletedGracefully,
			),
		},
		{
			ID:     "deletion/second-equal",
			About:  "A second delete with the same grace period moves nothing, not even when its time is over, as the hook took all of it, and the process lives on for two seconds.",
			Pod:    fixtures.Pod(3, fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true}))),
			Cues:   []trial.Cue{trial.Delete(), again(trial.DeleteWithin(3), time.Second)},
			Lasts:  13 * time.Second,
			Claims: slices.Concat(stored, storedNext(2), deletedGracefully),
		},
		{
			ID:    "deletion/second-zero",
			About: "A force delete of a pod that is being deleted removes the object at once; the process lives out its first grace period.",
			Pod:   fixtures.Pod(9, fixtures.Victim(ignoring)),
			Cues:  []trial.Cue{trial.Delete(), again(trial.DeleteWithin(0), 2*time.Second)},
			Lasts: 16 * time.Second,
			Claims: slices.Concat(stored, shortened, outlived, []trial.Claim{
				{Measure: trial.DeletionGrace(2), Formula: formula.DeletionGrace},
				{Measure: trial.Between(trial.Cued.Number(2), trial.ObjectDeleted), Formula: formula.ObjectForced},
			}),
		},
	}
}

// stored is what must be true of what the API server makes of the first request.
var stored = []trial.Claim{
	{Measure: trial.DeletionGrace(1), Formula: formula.DeletionGrace},
	{Measure: trial.Between(trial.Cued, trial.DeletionBegan), Formula: formula.DeletionBegan},
}

// storedNext is what must be true of what the API server makes of a later one.
func storedNext(cue int) []trial.Claim {
	return []trial.Claim{
		{Measure: trial.DeletionGrace(cue), Formula: formula.DeletionGrace},
		{Measure: trial.DeletionShift(cue), Formula: formula.DeletionShift},
	}
}

// shortened is what must be true of a process that ignores SIGTERM when a second request shortens its grace period.
var shortened = []trial.Claim{
	{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: formula.KillStart},
	{
		Measure: trial.Between(trial.SIGTERM, trial.Gone),
		Formula: formula.ShortenedRemainder,
		Rivals:  []formula.Rival{formula.ShorteningObeyed},
	},
	{Measure: trial.StopSignals(), Formula: formula.StopSignals},
}

// outlived is what must be true of a process that ignores SIGTERM when its pod's object is removed before.
var outlived = []trial.Claim{
	{Measure: trial.Between(trial.ObjectDeleted, trial.Gone), Formula: formula.DeathAfterObject},
}

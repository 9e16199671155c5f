package suites

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// evictions are deletes by the Eviction API.
func evictions() []trial.Trial {
	within := func(seconds int64) trial.Cue {
		c := trial.Evict()
		c.GracePeriodSeconds = &seconds
		return c
	}
	refused := trial.Evict()
	refused.Refused = true
	condition := []trial.Claim{
		{Measure: trial.Between(trial.Cued, trial.Condition("DisruptionTarget")), Formula: formula.DisruptionCondition},
	}
	return []trial.Trial{
		{
			ID:     "deletion/eviction",
			About:  "An eviction through the API is a delete with the pod's own grace period, and says so in a condition.",
			Pod:    fixtures.Pod(4, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Evict()},
			Lasts:  12 * time.Second,
			Claims: slices.Concat(stored, condition, killedWithoutHook, deletedGracefully),
		},
		{
			ID: "deletion/eviction-option", About: "An eviction's own grace period stands in the place of the pod's.",
			Pod:    fixtures.Pod(20, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{within(3)},
			Lasts:  11 * time.Second,
			Claims: slices.Concat(stored, condition, against(killedWithoutHook, formula.SpecGrace), deletedGracefully),
		},
		{
			ID:     "deletion/eviction-refused",
			About:  "An eviction that the pod's disruption budget does not allow is refused, and the pod lives on until somebody deletes it, which no budget forbids.",
			Pod:    fixtures.Pod(3, fixtures.Victim(ignoring)),
			Budget: true,
			Cues:   []trial.Cue{refused, trial.Delete().At(trial.Cued, 6*time.Second)},
			Lasts:  17 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.CueStatus(1), Formula: formula.EvictionRefused},
				{Measure: trial.DeletionGrace(2), Formula: formula.DeletionGrace},
				{Measure: trial.Between(trial.Cued.Number(2), trial.SIGTERM), Formula: formula.KillStart},
				{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
			}, deletedGracefully),
		},
	}
}

// tainted is a node that is tainted: its trials disturb each other and everything else.
var tainted = &trial.Worker{Name: "tainted", Alone: true}

// taints are deletes by the taint eviction controller.
func taints() []trial.Trial {
	const another = "podclock.dev/another"
	deletion := trial.Claim{Measure: trial.Between(trial.Cued, trial.DeletionBegan), Formula: formula.TaintDeletion}
	tolerated := deletion
	tolerated.Rivals = []formula.Rival{formula.TolerationIgnored}
	deleted := slices.Concat([]trial.Claim{
		{Measure: trial.DeletionGrace(1), Formula: formula.DeletionGrace},
		{Measure: trial.Between(trial.DeletionBegan, trial.SIGTERM), Formula: formula.KillStart},
		{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
	}, deletedGracefully)
	return []trial.Trial{
		{
			ID:     "deletion/taint-untolerated",
			About:  "A pod that does not tolerate its node's taint is deleted at once, with its own grace period.",
			Pod:    fixtures.With(fixtures.Pod(3, fixtures.Victim(ignoring)), fixtures.Tolerate(another, nil)),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint()},
			Lasts:  12 * time.Second,
			Claims: slices.Concat([]trial.Claim{deletion}, deleted),
		},
		{
			ID:    "deletion/taint-tolerated-5s",
			About: "A pod that tolerates its node's taint for five seconds is deleted after them.",
			Pod: fixtures.With(
				fixtures.Pod(3, fixtures.Victim(ignoring)),
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(5)),
			),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint()},
			Lasts:  17 * time.Second,
			Claims: slices.Concat([]trial.Claim{tolerated}, deleted),
		},
		{
			ID:    "deletion/taint-tolerated-twice",
			About: "Of two tolerations of one taint the first one counts, though it is the longer: the pod is deleted after six seconds, not after two.",
			Pod: fixtures.With(
				fixtures.Pod(3, fixtures.Victim(ignoring)),
				fixtures.Tolerate(
					trial.TaintKey,
					fixtures.Seconds(6),
				),
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(2)),
			),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint()},
			Lasts:  18 * time.Second,
			Claims: slices.Concat([]trial.Claim{tolerated}, deleted),
		},
		{
			ID:    "deletion/taint-removed",
			About: "A taint that is taken away before tolerationSeconds are over deletes nobody.",
			Pod: fixtures.With(
				fixtures.Pod(3, fixtures.Victim(ignoring)),
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(4)),
			),
			Worker: tainted,
			Cues: []trial.Cue{
				trial.Taint(),
				trial.Cue{Action: trial.UntaintNode}.At(trial.Cued, 1500*time.Millisecond),
			},
			Lasts:  16 * time.Second,
			Claims: []trial.Claim{{Measure: trial.EndsWithin(15 * time.Second), Formula: formula.LivesOn}},
		},
	}
}

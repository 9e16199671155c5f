package deletion

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/suites/claims"
)

// evictions returns the trials of the Eviction API.
func evictions() []trial.Trial {
	within := trial.Evict()
	within.GracePeriodSeconds = fixtures.Seconds(3)
	refused := trial.Evict()
	refused.Refused = true
	condition := []trial.Claim{
		claims.Between(trial.Cued, trial.Condition("DisruptionTarget"), formula.DisruptionCondition),
	}
	return []trial.Trial{
		{
			ID: "deletion/eviction",
			About: "An eviction through the API is a delete with the pod's own grace period. " +
				"The pod has a condition that names the eviction.",
			Pod:    fixtures.Pod(4, fixtures.Victim(fixtures.Ignoring)),
			Cues:   []trial.Cue{trial.Evict()},
			Lasts:  12 * time.Second,
			Claims: slices.Concat(stored, condition, claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "deletion/eviction-option",
			About:  "An eviction's own grace period replaces the pod's.",
			Pod:    fixtures.Pod(20, fixtures.Victim(fixtures.Ignoring)),
			Cues:   []trial.Cue{within},
			Lasts:  11 * time.Second,
			Claims: slices.Concat(stored, condition, killedAgainst(formula.SpecGrace), claims.DeletedGracefully),
		},
		{
			ID: "deletion/eviction-refused",
			About: "The API server refuses an eviction that the pod's disruption budget does not allow. " +
				"The pod lives until a delete, which no budget forbids.",
			Pod:    fixtures.Pod(3, fixtures.Victim(fixtures.Ignoring)),
			Budget: true,
			Cues:   []trial.Cue{refused, trial.Delete().At(trial.Cued, 6*time.Second)},
			Lasts:  17 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.CueStatus(1), formula.EvictionRefused),
				claims.New(trial.DeletionGrace(2), formula.DeletionGrace),
				claims.Between(trial.Cued.Number(2), trial.SIGTERM, formula.KillStart),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			}, claims.DeletedGracefully),
		},
	}
}

// tainted is a node that gets a taint: its trials disturb each other and everything else.
var tainted = &trial.Worker{Name: "tainted", Alone: true}

// taints returns the trials of deletes by the taint eviction controller.
func taints() []trial.Trial {
	ignoring := func(tolerations ...fixtures.PodOption) *corev1.Pod {
		return fixtures.With(fixtures.Pod(3, fixtures.Victim(fixtures.Ignoring)), tolerations...)
	}
	deleted := func(rivals ...formula.Rival) []trial.Claim {
		return slices.Concat([]trial.Claim{
			claims.Between(trial.Cued, trial.DeletionBegan, formula.TaintDeletion, rivals...),
			claims.New(trial.DeletionGrace(1), formula.DeletionGrace),
			claims.Between(trial.DeletionBegan, trial.SIGTERM, formula.KillStart),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
		}, claims.DeletedGracefully)
	}
	untaint := trial.Cue{Action: trial.UntaintNode}
	return []trial.Trial{
		{
			ID:     "deletion/taint-untolerated",
			About:  "A pod that does not tolerate its node's taint is deleted at once, with its own grace period.",
			Pod:    ignoring(fixtures.Tolerate("podclock.dev/another", nil)),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint()},
			Lasts:  12 * time.Second,
			Claims: deleted(),
		},
		{
			ID:     "deletion/taint-tolerated-5s",
			About:  "A pod that tolerates its node's taint for five seconds is deleted after them.",
			Pod:    ignoring(fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(5))),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint()},
			Lasts:  17 * time.Second,
			Claims: deleted(formula.TolerationIgnored),
		},
		{
			ID: "deletion/taint-tolerated-twice",
			About: "The first of two tolerations of one taint counts, though it is the longer: " +
				"the pod is deleted after six seconds, not after two.",
			Pod: ignoring(
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(6)),
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(2)),
			),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint()},
			Lasts:  18 * time.Second,
			Claims: deleted(formula.TolerationIgnored),
		},
		{
			ID:     "deletion/taint-removed",
			About:  "A taint that is removed before tolerationSeconds are over deletes no pod.",
			Pod:    ignoring(fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(4))),
			Worker: tainted,
			Cues:   []trial.Cue{trial.Taint(), untaint.At(trial.Cued, 1500*time.Millisecond)},
			Lasts:  16 * time.Second,
			Claims: []trial.Claim{claims.New(trial.EndsWithin(15*time.Second), formula.LivesOn)},
		},
	}
}

package deletion

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// tainted is a node that gets a taint.
var tainted = &trial.Worker{Name: "tainted", Alone: true}

func taints() []trial.Trial {
	ignoring := func(tolerations ...fixtures.PodOption) *corev1.Pod {
		return fixtures.With(fixtures.Single(3, fixtures.Ignoring), tolerations...)
	}
	deletedBy := func(f formula.Formula, mistakes ...formula.Mistake) []trial.Claim {
		return slices.Concat([]trial.Claim{
			claims.Between(trial.Injected, trial.DeletionBegan, f, mistakes...),
			claims.New(trial.DeletionGrace(1), formula.DeletionGrace),
			claims.Between(trial.DeletionBegan, trial.SIGTERM, formula.KillStart),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
		}, claims.DeletedGracefully)
	}
	deleted := func(mistakes ...formula.Mistake) []trial.Claim { return deletedBy(formula.TaintDeletion, mistakes...) }
	untaint := trial.Fault{Action: trial.UntaintNode}
	const second, third = trial.TaintKey + "-2", trial.TaintKey + "-3"
	// twice has a pod that tolerates the first taint for ten seconds, and for some or none the second one, which comes
	// after a time.
	twice := func(
		what, about string, after time.Duration, tolerated int64, mistakes ...formula.Mistake,
	) trial.Trial {
		pod := ignoring(fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(10)))
		if tolerated > 0 {
			fixtures.With(pod, fixtures.Tolerate(second, &tolerated))
		}
		again := trial.Fault{Action: trial.TaintNode, When: trial.Injected, After: after}
		again.Taint = corev1.Taint{Key: second, Effect: corev1.TaintEffectNoExecute}
		return trial.Trial{
			ID: "deletion/taint-second-" + what, About: about, Pod: pod, Worker: tainted,
			Faults: []trial.Fault{trial.Taint(), again}, Lasts: 22 * time.Second,
			Claims: deletedBy(formula.SecondTaint(tolerated), append(mistakes, formula.TolerationIgnored)...),
		}
	}
	tolerating := func(what, about string, seconds int64, lasts time.Duration, claims []trial.Claim) trial.Trial {
		return trial.Trial{
			ID: "deletion/taint-tolerated-" + what, About: about,
			Pod:    ignoring(fixtures.Tolerate(trial.TaintKey, &seconds)),
			Worker: tainted,
			Faults: []trial.Fault{trial.Taint()}, Lasts: lasts,
			Claims: claims,
		}
	}
	return []trial.Trial{
		{
			ID:     "deletion/taint-untolerated",
			About:  "A pod that does not tolerate its node's taint is deleted at once, with its own grace period.",
			Pod:    ignoring(fixtures.Tolerate("podclock.dev/another", nil)),
			Worker: tainted,
			Faults: []trial.Fault{trial.Taint()}, Lasts: 12 * time.Second,
			Claims: deleted(),
		},
		tolerating("5s", "A pod that tolerates its node's taint for five seconds is deleted after them.",
			5, 17*time.Second, deleted(formula.TolerationIgnored)),
		tolerating("0s", "A pod that tolerates its node's taint for no time is deleted at once.",
			0, 12*time.Second, deleted()),
		{
			ID: "deletion/taint-harmless",
			About: "A taint with NoSchedule deletes no pod. One with NoExecute deletes no pod that tolerates it " +
				"without tolerationSeconds.",
			Pod:    ignoring(fixtures.Tolerate(second, nil)),
			Worker: tainted,
			Faults: []trial.Fault{
				{Action: trial.TaintNode, Taint: corev1.Taint{Key: second, Effect: corev1.TaintEffectNoExecute}},
				{Action: trial.TaintNode, Taint: corev1.Taint{Key: third, Effect: corev1.TaintEffectNoSchedule}},
			},
			Lasts:  14 * time.Second,
			Claims: []trial.Claim{claims.New(trial.EndsWithin(13*time.Second), formula.LivesOn)},
		},
		tolerating("negative", "A negative tolerationSeconds counts as zero: the pod is deleted at once.",
			-5, 12*time.Second, deleted()),
		{
			ID: "deletion/taint-harmless-to-all",
			About: "A taint with PreferNoSchedule or NoSchedule deletes no pod. One with NoExecute deletes no pod " +
				"that tolerates every key.",
			Pod:    ignoring(fixtures.Tolerate("", nil)),
			Worker: tainted,
			Faults: []trial.Fault{
				{Action: trial.TaintNode, Taint: corev1.Taint{Key: third, Effect: corev1.TaintEffectPreferNoSchedule}},
				{Action: trial.TaintNode, Taint: corev1.Taint{Key: second, Effect: corev1.TaintEffectNoSchedule}},
				{Action: trial.TaintNode, When: trial.Injected, After: 2 * time.Second},
			},
			Lasts:  14 * time.Second,
			Claims: []trial.Claim{claims.New(trial.EndsWithin(13*time.Second), formula.LivesOn)},
		},
		{
			ID: "deletion/taint-tolerated-twice",
			About: "The first of two tolerations of one taint counts: the pod is deleted after six seconds, not " +
				"after two.",
			Pod: ignoring(
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(6)),
				fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(2)),
			),
			Worker: tainted,
			Faults: []trial.Fault{trial.Taint()}, Lasts: 18 * time.Second,
			Claims: deleted(formula.TolerationIgnored),
		},
		{
			ID:     "deletion/taint-removed",
			About:  "A taint that is removed before tolerationSeconds are over deletes no pod.",
			Pod:    ignoring(fixtures.Tolerate(trial.TaintKey, fixtures.Seconds(4))),
			Worker: tainted,
			Faults: []trial.Fault{trial.Taint(), untaint.At(trial.Injected, 1500*time.Millisecond)},
			Lasts:  16 * time.Second,
			Claims: []trial.Claim{claims.New(trial.EndsWithin(15*time.Second), formula.LivesOn)},
		},
		twice("longer",
			"A second taint that the pod tolerates for longer delays nothing: the first one's ten seconds count.",
			5*time.Second, 20, formula.TaintBeginsAgain(20)),
		twice("shorter",
			"A second taint that the pod tolerates for three seconds should delete it after them. The first one's ten "+
				"seconds still count.",
			time.Second, 3, formula.TaintBeginsAgain(3)),
		twice("untolerated",
			"A second taint that the pod does not tolerate deletes it at once, during the first one's ten seconds.",
			2*time.Second, 0),
		twice("untolerated-later",
			"A second taint that the pod does not tolerate deletes it at once, also late in the first one's time.",
			6*time.Second, 0),
		twice("shorter-later",
			"A second taint that comes after four seconds and is tolerated for two should delete the pod after them.",
			4*time.Second, 2, formula.TaintBeginsAgain(2)),
	}
}

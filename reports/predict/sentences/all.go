package sentences

import (
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// All answers all questions about a workload, one sentence each. Init containers are left out.
func All(w predict.Prediction) []Sentence {
	if w.NotCovered != "" {
		return nil
	}
	_, job := jobText(w)
	kills := each(w, func(c predict.Container) string { return killText(c, Event{Cause: formula.ByDelete}) })
	ready := each(w, func(c predict.Container) string { return readyText(w, c) })
	loops := each(w, func(c predict.Container) string { return crashLoopText(c, len(c.Answers.CrashLoop)) })
	return answered(
		Sentence{"Job", job},
		Sentence{"Delete", kills},
		Sentence{"Traffic", trafficText(w)},
		Sentence{"Hung", hungText(w)},
		Sentence{"Ready", listed(ready, postStartText(w), deadlineText(w))},
		Sentence{"Crash loop", listed(loops, restartAllText(w))},
		Sentence{"Eviction", evictionText(w)},
		Sentence{"Rollout", rolloutText(w)},
		Sentence{"Scale-down", scaleDownText(w)},
		Sentence{"Drain", drainText(w)},
		Sentence{"Shutdown", shutdownText(w)},
		Sentence{"Limits", limitsSay(w)},
		Sentence{"Lost node", lostNodeText(w)},
	)
}

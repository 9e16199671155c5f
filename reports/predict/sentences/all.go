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
	_, job := jobSays(w)
	kills := each(w, func(c predict.Container) string { return killSays(c, Event{Cause: formula.ByDelete}) })
	ready := each(w, func(c predict.Container) string { return readySays(w, c) })
	loops := each(w, func(c predict.Container) string { return crashLoopSays(c, len(c.Answers.CrashLoop)) })
	return answered(
		Sentence{"Job", job},
		Sentence{"Delete", kills},
		Sentence{"Hung", hungSays(w)},
		Sentence{"Ready", listed(ready, postStartSays(w), deadlineSays(w))},
		Sentence{"Crash loop", listed(loops, restartAllSays(w))},
		Sentence{"Eviction", evictionSays(w)},
		Sentence{"Rollout", rolloutSays(w)},
		Sentence{"Scale-down", scaleDownSays(w)},
		Sentence{"Drain", drainSays(w)},
		Sentence{"Shutdown", shutdownSays(w)},
		Sentence{"Limits", limitsSay(w)},
		Sentence{"Lost node", lostNodeSays(w)},
	)
}

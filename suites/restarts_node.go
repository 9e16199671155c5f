package suites

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// reducedBackOff is a worker with the reduced series. Its gate is an alpha one everywhere, so the patch is
// the same for all kubelets that have it.
var reducedBackOff = trial.Worker{
	Name:          "reduced-back-off",
	KubeletConfig: map[string]any{"featureGates": map[string]any{formula.ReducedBackOff.Gate: true}},
}

// restartPeriod is a worker whose containers wait no longer than so many seconds. Its gate is off in
// kubelets before 1.35, and may be set in later ones.
func restartPeriod(seconds int) *trial.Worker {
	return &trial.Worker{
		Name: fmt.Sprintf("restart-period-%ds", seconds),
		KubeletConfig: map[string]any{
			"featureGates":     map[string]any{formula.NodeRestartPeriod.Gate: true},
			"crashLoopBackOff": map[string]any{"maxContainerRestartPeriod": fmt.Sprintf("%ds", seconds)},
		},
	}
}

// nodeRestartPeriods are crash loops on nodes that change the series.
func nodeRestartPeriods() []trial.Trial {
	var trials []trial.Trial
	for _, t := range []struct {
		seconds int
		waits   []int
		about   string
		lasts   time.Duration
	}{
		{1, []int{0, 1, 1, 1}, "A node's maxContainerRestartPeriod of one second makes every restart but the first wait one second.", 20 * time.Second},
		{5, []int{0, 5, 5, 5}, "A node's maxContainerRestartPeriod of five seconds is the first value of the series, too.", 35 * time.Second},
		{20, []int{0, 10, 20, 20}, "A node's maxContainerRestartPeriod of 20 s cuts the series to 0, 10, 20 and 20 s.", 75 * time.Second},
	} {
		trials = append(trials, trial.Trial{
			ID:    fmt.Sprintf("restarts/node-period-%ds", t.seconds),
			About: t.about,
			Pod:   fixtures.Pod(5, fixtures.Victim(crashing(1, 4))),
			Labels: []string{
				"crash-loop",
			},
			Worker: restartPeriod(t.seconds),
			Needs:  []formula.Change{formula.NodeRestartPeriodField},
			Lasts:  t.lasts,
			Claims: slices.Concat(
				series{formula.RestartDelay, min(10, t.seconds), t.seconds}.delays(t.waits...),
				counted(5),
			),
		})
	}
	reduced := series{formula.RestartDelayReduced, 1, 300}
	return append(trials,
		trial.Trial{
			ID:    "restarts/reduced",
			About: "The reduced series begins at one second: 0, 1, 2, 4, 8 and 16 s.",
			Pod:   fixtures.Pod(5, fixtures.Victim(crashing(1, 6))),
			Labels: []string{
				"crash-loop",
			},
			Worker: &reducedBackOff,
			Needs:  []formula.Change{formula.ReducedBackOffGate},
			Lasts:  58 * time.Second,
			Claims: slices.Concat(reduced.delays(0, 1, 2, 4, 8, 16), counted(7)),
		},
		trial.Trial{
			ID:    "restarts/reduced-to-the-maximum",
			About: "The reduced series is documented to end at 60 s; where the node's own maximum is in use it goes on to 64 s, 128 s and beyond.",
			Pod:   fixtures.Pod(5, fixtures.Victim(crashing(1, 9))),
			Labels: []string{
				"crash-loop",
			},
			Worker: &reducedBackOff,
			Needs:  []formula.Change{formula.ReducedBackOffGate},
			Lasts:  5*time.Minute + 20*time.Second,
			// Whether the eighth restart waits 64 s or 60 is lost in the lateness of either: the claims leave it out.
			Claims: slices.Concat(slices.Delete(reduced.delays(0, 1, 2, 4, 8, 16, 32, 64, 128), 7, 8), counted(10)),
		},
	)
}

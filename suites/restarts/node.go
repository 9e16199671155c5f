package restarts

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// reducedBackOff is a worker with the reduced series.
var reducedBackOff = trial.Worker{
	Name:          "reduced-back-off",
	KubeletConfig: map[string]any{"featureGates": map[string]any{formula.ReducedBackOff.Gate: true}},
}

// restartPeriod returns a worker whose containers wait for at most so many seconds. Its gate is off before 1.35.
func restartPeriod(seconds int) *trial.Worker {
	return &trial.Worker{
		Name: fmt.Sprintf("restart-period-%ds", seconds),
		KubeletConfig: map[string]any{
			"featureGates":     map[string]any{formula.NodeRestartPeriod.Gate: true},
			"crashLoopBackOff": map[string]any{"maxContainerRestartPeriod": fmt.Sprintf("%ds", seconds)},
		},
	}
}

func nodeRestartPeriods() []trial.Trial {
	period := func(seconds int, lasts time.Duration, about string, waits ...int) trial.Trial {
		return trial.Trial{
			ID:     fmt.Sprintf("restarts/node-period-%ds", seconds),
			About:  about,
			Pod:    fixtures.Single(5, crashing(1, 4)),
			Labels: []string{"crash-loop"},
			Worker: restartPeriod(seconds),
			Needs:  []formula.Change{formula.NodeRestartPeriodField},
			Lasts:  lasts,
			Claims: slices.Concat(series{formula.RestartDelay, min(10, seconds), seconds}.delays(waits...), counted(5)),
		}
	}
	// longLife returns the trial of a container whose third life is longer than the others.
	longLife := func(f formula.Formula, what, about string, lasts, lives time.Duration, waits ...int) trial.Trial {
		const s = time.Second
		return trial.Trial{
			ID:     "restarts/node-period-10s-" + what,
			About:  about,
			Pod:    fixtures.Single(5, ending(1, s, s, lives, s, livesOn)),
			Labels: []string{"crash-loop"},
			Worker: restartPeriod(10),
			Needs:  []formula.Change{formula.NodeRestartPeriodField},
			Lasts:  lasts,
			Claims: slices.Concat(series{f, 10, 10}.delays(waits...), counted(5)),
		}
	}
	reduced := series{formula.RestartDelayReduced, 1, 300}
	return []trial.Trial{
		period(1, 20*time.Second,
			"A node's maxContainerRestartPeriod of one second makes every restart but the first wait one second.",
			0, 1, 1, 1),
		period(5, 35*time.Second,
			"A node's maxContainerRestartPeriod of five seconds is also the first value of the series.",
			0, 5, 5, 5),
		period(20, 75*time.Second,
			"A node's maxContainerRestartPeriod of 20 s cuts the series to 0, 10, 20 and 20 s.",
			0, 10, 20, 20),
		longLife(formula.RestartDelay, "no-reset-after-25s",
			"A life of twice the node's maxContainerRestartPeriod does not reset the series.",
			70*time.Second, 25*time.Second, 0, 10, 10, 10),
		longLife(formula.RestartDelayForgotten, "no-reset-after-595s",
			"A life of 595 s is followed by the node's maxContainerRestartPeriod of ten seconds.",
			10*time.Minute+45*time.Second, 595*time.Second, 0, 10, 10, 10),
		longLife(formula.RestartDelayForgotten, "reset-after-601s",
			"A life of 601 s is not followed by any wait, whatever the node's maxContainerRestartPeriod.",
			10*time.Minute+35*time.Second, 601*time.Second, 0, 10, 0, 10),
		{
			ID:     "restarts/reduced",
			About:  "The reduced series begins at one second: 0, 1, 2, 4, 8 and 16 s.",
			Pod:    fixtures.Single(5, crashing(1, 6)),
			Labels: []string{"crash-loop"},
			Worker: &reducedBackOff,
			Needs:  []formula.Change{formula.ReducedBackOffGate},
			Lasts:  58 * time.Second,
			Claims: slices.Concat(reduced.delays(0, 1, 2, 4, 8, 16), counted(7)),
		},
		{
			ID:     "restarts/reduced-to-the-maximum",
			About:  "The reduced series should end at 60 s. It continues if the node has its own maximum.",
			Pod:    fixtures.Single(5, crashing(1, 9)),
			Labels: []string{"crash-loop"},
			Worker: &reducedBackOff,
			Needs:  []formula.Change{formula.ReducedBackOffGate},
			Lasts:  5*time.Minute + 20*time.Second,
			// The eighth restart has no claim: 64 s and 60 s overlap when either is late.
			Claims: slices.Concat(slices.Delete(reduced.delays(0, 1, 2, 4, 8, 16, 32, 64, 128), 7, 8), counted(10)),
		},
	}
}

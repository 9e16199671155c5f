package restarts

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// forgottenBackOffs returns the trials of containers that live long after some crashes.
func forgottenBackOffs() []trial.Trial {
	const s = time.Second
	forgotten := ordinary.of(formula.RestartDelayForgotten)
	return []trial.Trial{
		{
			ID:     "restarts/reset-after-ten-minutes",
			About:  "A life of 601 s resets the series.",
			Pod:    fixtures.Single(5, ending(1, s, s, 601*s, s, livesOn)),
			Labels: []string{"crash-loop"},
			Lasts:  10*time.Minute + 45*time.Second,
			Claims: slices.Concat(forgotten.delays(0, 10, 0, 10), counted(5)),
		},
		{
			ID:     "restarts/no-reset-before-ten-minutes",
			About:  "A life of 560 s and the wait of 20 to 33 s after it do not reset the series.",
			Pod:    fixtures.Single(5, ending(1, s, s, 560*s, s, livesOn)),
			Labels: []string{"crash-loop"},
			Lasts:  11*time.Minute + 15*time.Second,
			Claims: slices.Concat(forgotten.delays(0, 10, 20, 40), counted(5)),
		},
		{
			ID:     "restarts/forgotten-while-waiting",
			About:  "The kubelet forgets a back-off of 160 s during the wait, ten minutes after the last start.",
			Pod:    fixtures.Single(5, ending(1, s, s, s, s, s, 545*s, s, livesOn)),
			Labels: []string{"crash-loop"},
			Lasts:  13*time.Minute + 45*time.Second,
			Claims: slices.Concat(forgotten.delays(0, 10, 20, 40, 80, 55, 10), counted(8)),
		},
	}
}

// freshBackOffs returns the trials of back-offs that something else resets.
func freshBackOffs() []trial.Trial {
	// intoWait is how long a container has waited for its back-off at the fault: longer than a sync may be late,
	// far shorter than the back-off.
	const intoWait = 4 * time.Second
	// fresh are the claims on the life that the fault begins and on the restart after it, which waits for the
	// first value again.
	fresh := func(fault trial.Point, life int, f formula.Formula) []trial.Claim {
		return []trial.Claim{
			claims.Between(fault, trial.Started.Life(life), f, formula.KeepsBackOff),
			claims.Between(trial.Gone.Life(life), trial.Started.Life(life+1), formula.RestartDelay, formula.NoBackOff),
		}
	}
	long := []formula.Change{formula.LongBackOff}
	recreated := func(what, about string, grace int64, exitCode int) trial.Trial {
		return trial.Trial{
			ID:     "restarts/recreated-pod" + what,
			About:  about,
			Pod:    fixtures.Single(grace, crashing(exitCode, 3)),
			Labels: []string{"crash-loop"},
			Needs:  long,
			Faults: []trial.Fault{
				{Action: trial.DeletePod, When: trial.Gone.Life(3), After: intoWait},
				{Action: trial.RecreatePod, When: trial.Injected},
			},
			Lasts:  50 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), ordinary.delaysFrom(4, 0, 10)),
		}
	}
	return []trial.Trial{
		{
			ID:     "restarts/new-image",
			About:  "Another image starts a waiting container at once, with a back-off of its own.",
			Pod:    fixtures.Single(5, crashing(1, 4)),
			Labels: []string{"crash-loop"},
			Needs:  long,
			Faults: []trial.Fault{{Action: trial.SetImage, When: trial.Gone.Life(3), After: intoWait}},
			Lasts:  42 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), fresh(trial.Injected, 4, formula.AfterNewImage), counted(5)),
		},
		{
			ID:     "restarts/new-image-after-success",
			About:  "Another image starts a container at once that waits for 40 s after it succeeded.",
			Pod:    fixtures.Single(5, crashing(0, 5)),
			Labels: []string{"crash-loop"},
			Needs:  long,
			Faults: []trial.Fault{{Action: trial.SetImage, When: trial.Gone.Life(4), After: intoWait}},
			Lasts:  65 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20), fresh(trial.Injected, 5, formula.AfterNewImage),
				counted(6)),
		},
		{
			ID:     "restarts/resize-in-back-off",
			About:  "Other resources start a waiting container at once, with a back-off of their own.",
			Pod:    fixtures.Single(5, crashing(1, 4), usual.inPlace()),
			Labels: []string{"crash-loop"},
			Needs:  append(long, formula.InPlaceResize),
			// With more, versions without StartsResizePods can't start it under cgroup v1.
			Faults: []trial.Fault{resize(map[string]size{trial.Main: {10, 10}}).At(trial.Gone.Life(3), intoWait)},
			Lasts:  42 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), fresh(trial.Injected, 4, formula.AfterResize), counted(5)),
		},
		recreated("",
			"A pod that is deleted in its back-off and created again under its name begins a new series.", 2, 1),
		recreated("-exit-0",
			"A pod whose container succeeds again and again begins a new series if it is created again.", 3, 0),
		{
			ID:     "restarts/kubelet-restart",
			About:  "A restarted kubelet starts a container at once that was waiting for 40 s.",
			Pod:    fixtures.Single(5, crashing(1, 5)),
			Labels: []string{"crash-loop"},
			Worker: &trial.Worker{Name: "kubelet-restart-in-back-off"},
			Faults: []trial.Fault{{Action: trial.RestartKubelet, When: trial.Gone.Life(4), After: intoWait}},
			Lasts:  80 * time.Second,
			Claims: slices.Concat(
				ordinary.delays(0, 10, 20), fresh(trial.FaultDone, 5, formula.AfterKubeletRestart), counted(6),
			),
		},
	}
}

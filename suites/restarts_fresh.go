package suites

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// kubeletInBackOff is a worker whose kubelet is restarted while a container waits.
var kubeletInBackOff = trial.Worker{Name: "kubelet-restart-in-back-off"}

// freshBackOffs are containers whose back-off ends before its time, since something else made the kubelet lose it.
func freshBackOffs() []trial.Trial {
	// intoWait is how long a container has waited for its back-off when the cue comes: longer than a sync
	// may be late, far shorter than the back-off.
	const intoWait = 4 * time.Second
	return []trial.Trial{
		{
			ID:     "restarts/new-image",
			About:  "Another image starts a waiting container at once, and with a back-off of its own.",
			Pod:    fixtures.Pod(5, fixtures.Victim(crashing(1, 4))),
			Labels: []string{"crash-loop"},
			Cues:   []trial.Cue{{Action: trial.SetImage, When: trial.Gone.Life(3), After: intoWait}},
			Lasts:  42 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), []trial.Claim{
				{
					Measure: trial.Between(trial.Cued, trial.Started.Life(4)),
					Formula: formula.AfterNewImage,
					Rivals:  []formula.Rival{formula.KeepsBackOff},
				},
			}, afterFresh(4), counted(5)),
		},
		{
			ID:     "restarts/recreated-pod",
			About:  "A pod deleted in its back-off and created again under its name begins the series anew.",
			Pod:    fixtures.Pod(2, fixtures.Victim(crashing(1, 3))),
			Labels: []string{"crash-loop"},
			Cues: []trial.Cue{
				{Action: trial.DeletePod, When: trial.Gone.Life(3), After: intoWait},
				{Action: trial.RecreatePod, When: trial.Cued},
			},
			Lasts: 50 * time.Second,
			Claims: slices.Concat(
				ordinary.delays(0, 10),
				ordinary.delaysFrom(4, 0, 10)),
		},
		{
			ID:     "restarts/kubelet-restart",
			About:  "A restarted kubelet starts a container that was waiting for 40 s at once: the back-off is kept in its memory only.",
			Pod:    fixtures.Pod(5, fixtures.Victim(crashing(1, 5))),
			Labels: []string{"crash-loop"},
			Worker: &kubeletInBackOff,
			Cues:   []trial.Cue{{Action: trial.RestartKubelet, When: trial.Gone.Life(4), After: intoWait}},
			Lasts:  80 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20), []trial.Claim{
				{
					Measure: trial.Between(trial.CueDone, trial.Started.Life(5)),
					Formula: formula.AfterKubeletRestart,
					Rivals:  []formula.Rival{formula.KeepsBackOff},
				},
			}, afterFresh(5), counted(6)),
		},
	}
}

// afterFresh is the claim on the restart after the life that began without its back-off: the first value again.
func afterFresh(life int) []trial.Claim {
	return []trial.Claim{
		{
			Measure: trial.Between(
				trial.Gone.Life(life),
				trial.Started.Life(life+1),
			),
			Formula: formula.RestartDelay,
			Rivals:  []formula.Rival{formula.NoBackOff},
		},
	}
}

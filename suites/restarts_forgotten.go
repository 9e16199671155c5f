package suites

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// forgottenBackOffs are containers that live long after some crashes, so that the kubelet forgets their
// back-off, or just not.
func forgottenBackOffs() []trial.Trial {
	const s = time.Second
	forgotten := ordinary.of(formula.RestartDelayForgotten)
	return []trial.Trial{
		{
			ID:     "restarts/reset-after-ten-minutes",
			About:  "A life of more than ten minutes sets the series back: the next restart is immediate, the one after it waits 10 s.",
			Pod:    fixtures.Pod(5, fixtures.Victim(ending(1, s, s, 610*s, s, livesOn))),
			Labels: []string{"crash-loop"},
			Lasts:  10*time.Minute + 45*time.Second,
			Claims: slices.Concat(forgotten.delays(0, 10, 0, 10), counted(5)),
		},
		{
			ID:     "restarts/no-reset-before-ten-minutes",
			About:  "A life of 550 s does not set the series back: the restarts after it wait 20 and 40 s.",
			Pod:    fixtures.Pod(5, fixtures.Victim(ending(1, s, s, 550*s, s, livesOn))),
			Labels: []string{"crash-loop"},
			Lasts:  10*time.Minute + 50*time.Second,
			Claims: slices.Concat(forgotten.delays(0, 10, 20, 40), counted(5)),
		},
		{
			ID:     "restarts/forgotten-while-waiting",
			About:  "After a life of 545 s the back-off of 160 s is forgotten while the container waits for it, ten minutes after its last start; the restart after that waits 10 s instead of 300.",
			Pod:    fixtures.Pod(5, fixtures.Victim(ending(1, s, s, s, s, s, 545*s, s, livesOn))),
			Labels: []string{"crash-loop"},
			Lasts:  13*time.Minute + 45*time.Second,
			Claims: slices.Concat(forgotten.delays(0, 10, 20, 40, 80, 55, 10), counted(8)),
		},
	}
}

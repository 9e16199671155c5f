package suites

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// noScheduler is the name of a scheduler that does not run, so that a pod has no node until it is bound to one.
const noScheduler = "podclock-nobody"

// deadlines are pods whose activeDeadlineSeconds end them, where it matters from when on they count.
func deadlines() []trial.Trial {
	// The pod waits for its node for so long that a deadline counted from its creation would end it well
	// before its time.
	const pending = 4 * time.Second
	return []trial.Trial{
		{
			ID:    "termination/deadline-after-pending",
			About: "activeDeadlineSeconds count from when a node takes the pod: what it waited for one is not lost to it.",
			Pod: fixtures.With(
				fixtures.Pod(2, fixtures.Victim(ignoring)),
				fixtures.ActiveDeadline(8),
				fixtures.Scheduler(noScheduler),
			),
			Unscheduled: true,
			Cues:        []trial.Cue{{Action: trial.BindPod, After: pending}},
			KillCause:   formula.ByDeadline,
			Lasts:       20 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.Between(trial.PodStartTime, trial.SIGTERM), Formula: formula.DeadlineKills},
				{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
				{
					Measure: trial.Between(trial.Gone, trial.Phase("Failed")),
					Formula: formula.PhaseAfterDeath,
					Needs:   []formula.Change{formula.TerminalPhaseLast},
				},
			},
		},
	}
}

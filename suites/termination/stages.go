package termination

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// stages returns the trials of pods that are deleted while their containers do not all run.
func stages() []trial.Trial {
	const prepare = "prepare"
	// deletedIn deletes a pod while its init container runs.
	deletedIn := func(what, about string, run victim.Run, claimed []trial.Claim) trial.Trial {
		return trial.Trial{
			ID: "termination/delete-in-init" + what, About: about,
			Pod:    fixtures.With(fixtures.Single(4, fixtures.Ignoring), fixtures.Init(fixtures.Named(prepare, run))),
			Faults: []trial.Fault{trial.Delete().At(trial.Started.Of(prepare), 3*time.Second)},
			Lasts:  14 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM.Of(prepare), formula.KillStart),
				claims.New(trial.Starts(trial.Main, trial.Gone.Of(prepare), 3*time.Second), formula.StartsNoMore),
				claims.Between(trial.Gone.Of(prepare), trial.ObjectDeleted, formula.ObjectDeleted),
			}, claimed),
		}
	}
	return []trial.Trial{
		deletedIn("", "A pod that is deleted while its init container runs is killed with its whole grace period. No "+
			"other container starts.",
			fixtures.Ignoring, claims.Death(prepare, formula.Remainder)),
		deletedIn("-succeeds", "An init container that succeeds on SIGTERM is followed by no other container.",
			victim.Run{Term: victim.ExitAfter, TermDelay: 1500 * time.Millisecond},
			claims.Death(prepare, formula.ObeyedSignal)),
		{
			ID: "termination/delete-in-back-off",
			About: "A pod that is deleted while its only container waits for its back-off ends at once, without " +
				"grace period and hook. The container does not start again.",
			Pod: fixtures.Single(30,
				victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCode: 1}, execHook(time.Second)),
			Labels: []string{"crash-loop"},
			Faults: []trial.Fault{trial.Delete().At(trial.Gone.Life(2), 3*time.Second)},
			Lasts:  21 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.ObjectDeleted, formula.DeletedBeforeStart),
				claims.New(trial.HookRuns().Life(2), formula.HookSkipped),
				claims.New(trial.Starts(trial.Main, trial.Gone.Life(2), 14*time.Second), formula.Starts),
			},
		},
	}
}

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

// staticPods is a worker whose static pods a later run removes, should this one be killed.
var staticPods = trial.Worker{Name: "static-pods"}

// podless returns the trials of pods that are not, or no longer, objects of the API.
func podless() []trial.Trial {
	remove := trial.Fault{Action: trial.RemoveManifest, After: 3 * time.Second}
	return []trial.Trial{
		{
			ID:        "termination/static-pod",
			About:     "A static pod whose file is removed is killed with its own six seconds.",
			Pod:       fixtures.Single(6, fixtures.Ignoring),
			Static:    true,
			Worker:    &staticPods,
			KillCause: formula.ByRemoval,
			Faults:    []trial.Fault{remove}, Lasts: 18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ManifestRemoved),
				claims.Between(trial.Gone, trial.ObjectDeleted, formula.MirrorGone, formula.MirrorFirst),
			}, claims.Death(trial.Main, formula.Remainder)),
		},
		{
			ID:     "termination/mirror-deleted",
			About:  "A delete of its mirror pod ends no container of a static pod.",
			Pod:    fixtures.Single(2, fixtures.Ignoring),
			Static: true,
			Worker: &staticPods,
			Faults: []trial.Fault{trial.Delete()}, Lasts: 110 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.ObjectDeleted, formula.MirrorRenewed),
				claims.New(trial.Ended(trial.Main, trial.ObjectDeleted, 10*time.Second), formula.MirrorDelete,
					formula.MirrorDeleteKills),
			},
		},
		{
			ID: "termination/orphan",
			About: "A pod is force-deleted while no kubelet runs. The next one kills its containers at once, without " +
				"their hooks. Without cgroups of pods, it gives them two seconds.",
			Pod: fixtures.Pod(8, fixtures.Victim(fixtures.Ignoring),
				fixtures.Named(neighbour, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: time.Second}))),
			Worker:    &trial.Worker{Name: "orphan"},
			KillCause: formula.ByOrphaning,
			Faults:    []trial.Fault{{Action: trial.OrphanPod, After: 3 * time.Second}},
			Lasts:     26 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.FaultDone, trial.Event("Killing"), formula.OrphanFound),
				claims.Between(trial.Event("Killing"), trial.Gone, formula.OrphanKilled, formula.OrphanGrace),
				claims.New(trial.HookRuns().Of(neighbour), formula.HookRuns),
			},
		},
	}
}

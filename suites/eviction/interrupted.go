package eviction

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// interrupted returns the trials of shutdowns and evictions that something else meets.
func interrupted() []trial.Trial {
	const brief, critical, lastOne = "brief", "critical", "last-one"
	hanging := fixtures.ExecPreStop(victim.Hook{Hang: true})
	ignoring := func(name, class string, grace int64) *corev1.Pod {
		return companion(name, fixtures.With(fixtures.Pod(grace, fixtures.Named(name, fixtures.Ignoring)),
			fixtures.Priority(class)))
	}
	shutDown := trial.Fault{Action: trial.ShutDownNode, After: 3 * time.Second}
	restart := trial.Fault{Action: trial.RestartKubelet}
	tainted := claims.Between(trial.Injected.Number(2), trial.DeletionBegan, formula.TaintDeletion)
	tainted.KillCause = formula.ByDelete
	deleted := []trial.Claim{
		claims.New(trial.DeletionGrace(2), formula.DeletionGrace),
		claims.Between(trial.DeletionBegan, trial.SIGTERM, formula.KillStart),
		claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
		claims.Between(trial.Gone, trial.ObjectDeleted, formula.ObjectDeleted),
	}
	for i := range deleted {
		deleted[i].KillCause = formula.ByDelete
	}
	forgotten := func(container string) trial.Claim {
		return claims.New(
			trial.Ended(container, trial.FaultDone.Number(2), 20*time.Second), formula.ShutdownForgotten,
		)
	}
	return []trial.Trial{
		{
			ID: "eviction/node-shutdown-kubelet-restart",
			About: "A kubelet that restarts within a graceful shutdown forgets it. A pod whose hook ran gets no " +
				"SIGTERM, and a critical pod's turn never comes.",
			Pod:        fixtures.Single(30, fixtures.Ignoring, hanging),
			Companions: []*corev1.Pod{ignoring(critical, fixtures.ClusterCritical, 4)},
			Worker:     shutdownWorker("node-shutdown-kubelet-restart", groups(8, 8, 8)...),
			Needs:      []formula.Change{formula.ShutdownByPriority},
			KillCause:  formula.ByShutdown,
			Faults:     []trial.Fault{shutDown, restart.At(trial.HookBegan, 2*time.Second)},
			Lasts:      44 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.HookBegan, formula.ShutdownStart),
				forgotten(trial.Main), forgotten(critical),
			},
		},
		{
			ID: "eviction/node-shutdown-taint",
			About: "A NoExecute taint during a graceful shutdown deletes a critical pod at once, with its own grace " +
				"period, long before its turn.",
			Pod: fixtures.With(fixtures.Single(6, fixtures.Ignoring), fixtures.Priority(fixtures.ClusterCritical),
				fixtures.Tolerate("podclock.dev/other", nil)),
			Companions: []*corev1.Pod{
				companion(lastOne, fixtures.Pod(lasting, fixtures.Named(lastOne, fixtures.Ignoring))),
			},
			Worker:    shutdownWorker("node-shutdown-taint", groups(lasting, lasting, 4)...),
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown, trial.Taint().At(trial.SIGTERM.Of(lastOne), 2*time.Second)},
			Lasts:     20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM.Of(lastOne), formula.ShutdownStart), tainted,
			}, deleted),
		},
		{
			ID: "eviction/node-shutdown-hook-hangs",
			About: "A pod whose hook hangs outlives its group's seconds by the two of the minimum: the critical " +
				"pod's turn comes before its death. Both are shown as Failed when they have ended.",
			Pod: fixtures.Single(20, fixtures.Ignoring, hanging),
			Companions: []*corev1.Pod{
				companion(brief, fixtures.Pod(20, fixtures.Named(brief, fixtures.Ignoring))),
				ignoring(critical, fixtures.ClusterCritical, 4), ignoring(lastOne, fixtures.ClusterCritical, lasting),
			},
			Worker:    shutdownWorker("node-shutdown-hook-hangs", groups(5, 5, lasting)...),
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown}, Lasts: 20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.HookBegan, formula.ShutdownStart),
				claims.Between(trial.HookBegan, trial.SIGTERM, formula.HookBound),
				claims.Between(trial.SIGTERM.Of(brief), trial.SIGTERM.Of(critical), formula.ShutdownTurn,
					formula.GroupsAtOnce),
				claims.Between(trial.Gone.Of(critical), trial.Phase("Failed").Of(critical), formula.PhaseAfterDeath,
					formula.FailedWhileDying),
			},
				claims.Death(trial.Main, formula.Remainder, formula.FullGraceAgain, formula.NoMinimum),
				claims.Death(critical, formula.Remainder, formula.GroupLengthens),
				endedForGood,
			),
		},
		{
			ID: "eviction/emptydir-limit-kubelet-restart",
			About: "A kubelet that restarts within an eviction does not know of it. The pod runs until it is evicted " +
				"again, and its hook runs again.",
			Pod: fixtures.With(
				fixtures.Single(8, filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter), hanging),
				fixtures.EmptyDir("20Mi"),
			),
			Worker:    &trial.Worker{Name: "eviction-kubelet-restart", Alone: true},
			KillCause: formula.ByStorageLimit,
			Faults:    []trial.Fault{restart.At(trial.HookBegan, 200*time.Millisecond)},
			Lasts:     85 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.HookBegan, formula.VolumeLimitFound(0)),
				claims.New(trial.HookRuns(), formula.HookRunsAgain),
				claims.Between(trial.FaultDone, trial.HookBegan.Number(2), formula.EvictedAgain),
			}, evictedForGood),
		},
	}
}

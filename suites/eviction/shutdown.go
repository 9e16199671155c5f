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

// group has the pods from a priority on, and its seconds.
type group struct{ priority, seconds int }

// groups returns those of pods without a priority, of important ones, and of critical ones.
func groups(seconds ...int) (all []group) {
	for i, priority := range []int{0, 1000, 2_000_000_000} {
		all = append(all, group{priority, seconds[i]})
	}
	return all
}

// shutdownWorker is a worker whose kubelet ends pods in groups of priorities. podclock's recorder is in a later group
// of its own.
func shutdownWorker(name string, groups ...group) *trial.Worker {
	periods := []any{}
	for _, g := range append(groups, group{2_000_001_000, 1}) {
		periods = append(periods, map[string]any{"priority": g.priority, "shutdownGracePeriodSeconds": g.seconds})
	}
	return &trial.Worker{Name: name, Alone: true, KubeletConfig: map[string]any{
		"featureGates":                     map[string]any{"GracefulNodeShutdownBasedOnPodPriority": true},
		"shutdownGracePeriodByPodPriority": periods,
	}}
}

// lasting outlives the trial, so that its group's turn does not end before and the recorder lives on.
const lasting = 600

// shutdowns returns the trials of a graceful shutdown of the node.
func shutdowns() []trial.Trial {
	const brief, important, critical, lastOne = "brief", "important", "critical", "last-one"
	ignoring := func(name, class string, grace int64) *corev1.Pod {
		return companion(name, fixtures.With(fixtures.Pod(grace, fixtures.Named(name, fixtures.Ignoring)),
			fixtures.Priority(class)))
	}
	obeys := victim.Run{Term: victim.ExitAfter, TermDelay: 1500 * time.Millisecond}
	shutDown := trial.Fault{Action: trial.ShutDownNode, After: 3 * time.Second}
	return []trial.Trial{
		{
			ID: "eviction/node-shutdown",
			About: "A graceful shutdown of the node ends pods in the order of their priorities. Each has its own " +
				"grace period, but no more than the seconds of its group.",
			Pod: fixtures.Single(10, fixtures.Ignoring),
			Companions: []*corev1.Pod{
				companion(brief, fixtures.Pod(3, fixtures.Named(brief, fixtures.Ignoring))),
				companion(important, fixtures.With(fixtures.Pod(10, fixtures.Named(important, obeys)),
					fixtures.Priority(fixtures.Important))),
				ignoring(critical, fixtures.ClusterCritical, 4),
				ignoring(lastOne, fixtures.ClusterCritical, lasting),
			},
			Worker:    shutdownWorker("node-shutdown", groups(5, 8, lasting)...),
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown}, Lasts: 24 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ShutdownStart),
				claims.Between(trial.Injected, trial.SIGTERM.Of(brief), formula.ShutdownStart),
				claims.Between(trial.SIGTERM, trial.SIGTERM.Of(important), formula.ShutdownTurn, formula.GroupsAtOnce),
				claims.Between(trial.Gone.Of(important), trial.SIGTERM.Of(critical), formula.ShutdownNext),
				claims.New(trial.HasReason("Terminated", trial.Phase("Failed"), 2*time.Second), formula.ShutdownReason),
			},
				claims.Death(trial.Main, formula.Remainder, formula.PodGraceOnShutdown),
				claims.Death(brief, formula.Remainder, formula.GroupLengthens),
				claims.Death(critical, formula.Remainder, formula.GroupLengthens),
				endedForGood,
			),
		},
		{
			ID: "eviction/node-shutdown-next",
			About: "A group's turn in a shutdown comes when the pods of the group before it have ended, or their " +
				"seconds are over.",
			Pod: fixtures.With(fixtures.Single(12, fixtures.Ignoring), fixtures.Priority(fixtures.Important)),
			Companions: []*corev1.Pod{
				companion(brief, fixtures.Pod(10, fixtures.Named(brief, obeys))),
				ignoring(critical, fixtures.ClusterCritical, 3),
				ignoring(lastOne, fixtures.ClusterCritical, lasting),
			},
			Worker:    shutdownWorker("node-shutdown-next", groups(9, 6, lasting)...),
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown}, Lasts: 24 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM.Of(brief), formula.ShutdownStart),
				claims.Between(trial.Gone.Of(brief), trial.SIGTERM, formula.ShutdownNext),
				claims.Between(trial.SIGTERM, trial.SIGTERM.Of(critical), formula.ShutdownTurn, formula.GroupsAtOnce),
				claims.New(trial.HasReason("Terminated", trial.Phase("Failed"), 2*time.Second), formula.ShutdownReason),
			},
				claims.Death(trial.Main, formula.Remainder, formula.PodGraceOnShutdown),
				claims.Death(critical, formula.Remainder, formula.GroupLengthens),
				endedForGood,
			),
		},
		{
			ID: "eviction/node-shutdown-critical",
			About: "With shutdownGracePeriod and shutdownGracePeriodCriticalPods, pods below the critical priorities are " +
				"ended at once, with their own grace periods. A critical pod waits while one of them lives.",
			Pod: fixtures.Single(6, fixtures.Ignoring),
			Companions: []*corev1.Pod{
				ignoring(important, fixtures.Important, 3),
				companion(lastOne, fixtures.Pod(lasting, fixtures.Named(lastOne, fixtures.Ignoring))),
				ignoring(critical, fixtures.NodeCritical, 2),
			},
			Worker: &trial.Worker{Name: "node-shutdown-critical", Alone: true, KubeletConfig: map[string]any{
				"shutdownGracePeriod": "610s", "shutdownGracePeriodCriticalPods": "10s",
			}},
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown}, Lasts: 20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ShutdownStart),
				claims.Between(trial.Injected, trial.SIGTERM.Of(important), formula.ShutdownStart),
				claims.New(trial.Ended(critical, trial.Injected, 15*time.Second), formula.ShutdownWaits),
				claims.New(trial.HasReason("Terminated", trial.Phase("Failed"), 2*time.Second), formula.ShutdownReason),
			},
				claims.Death(trial.Main, formula.Remainder, formula.GroupLengthens),
				claims.Death(important, formula.Remainder, formula.GroupLengthens),
				endedForGood,
			),
		},
		{
			ID: "eviction/node-shutdown-below",
			About: "A pod whose priority is below that of all groups belongs to the first one. Its grace period is " +
				"cut to that group's seconds.",
			Pod: fixtures.Single(12, fixtures.Ignoring),
			Companions: []*corev1.Pod{
				ignoring(important, fixtures.Important, 3),
				ignoring(critical, fixtures.ClusterCritical, 3),
				ignoring(lastOne, fixtures.ClusterCritical, lasting),
			},
			Worker:    shutdownWorker("node-shutdown-below", group{1000, 7}, group{2_000_000_000, lasting}),
			Nightly:   true,
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown}, Lasts: 20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ShutdownStart),
				claims.Between(trial.Injected, trial.SIGTERM.Of(important), formula.ShutdownStart),
				claims.Between(trial.SIGTERM, trial.SIGTERM.Of(critical), formula.ShutdownTurn, formula.GroupsAtOnce),
			},
				claims.Death(trial.Main, formula.Remainder, formula.PodGraceOnShutdown),
				claims.Death(important, formula.Remainder, formula.GroupLengthens),
				endedForGood,
			),
		},
		{
			ID:      "eviction/node-shutdown-unconfigured",
			About:   "A kubelet without a grace period for shutdowns ends no pod if its node shuts down.",
			Pod:     fixtures.Single(3, fixtures.Ignoring),
			Worker:  &trial.Worker{Name: "node-shutdown-unconfigured", Alone: true},
			Nightly: true,
			Faults:  []trial.Fault{shutDown}, Lasts: 14 * time.Second,
			Claims: []trial.Claim{
				claims.New(trial.Ended(trial.Main, trial.Injected, 10*time.Second), formula.NotEvicted),
			},
		},
		{
			ID:    "eviction/node-shutdown-empty-group",
			About: "A shutdown does not wait for the seconds of a group that has no pods.",
			Pod:   fixtures.Single(3, fixtures.Ignoring),
			Companions: []*corev1.Pod{
				ignoring(critical, fixtures.ClusterCritical, 5),
				ignoring(lastOne, fixtures.ClusterCritical, lasting),
			},
			Worker:    shutdownWorker("node-shutdown-empty-group", groups(5, lasting, lasting)...),
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults:    []trial.Fault{shutDown}, Lasts: 20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ShutdownStart),
				claims.Between(trial.Gone, trial.SIGTERM.Of(critical), formula.ShutdownNext),
			},
				claims.Death(trial.Main, formula.Remainder),
				claims.Death(critical, formula.Remainder, formula.GroupLengthens),
			),
		},
		{
			ID:    "eviction/node-shutdown-refuses",
			About: "A kubelet refuses a pod that is bound to its node during a graceful shutdown.",
			Pod: fixtures.With(
				fixtures.Single(5, fixtures.Ignoring),
				fixtures.Scheduler("podclock-nobody"), // no such scheduler runs, so only the fault binds the pod
			),
			Unscheduled: true,
			Companions: []*corev1.Pod{
				companion(lastOne, fixtures.Pod(lasting, fixtures.Named(lastOne, fixtures.Ignoring))),
			},
			Worker:    shutdownWorker("node-shutdown-refuses", groups(lasting, 1, 1)...),
			Needs:     []formula.Change{formula.ShutdownByPriority},
			KillCause: formula.ByShutdown,
			Faults: []trial.Fault{
				shutDown.At(trial.Started.Of(lastOne), 3*time.Second),
				trial.Fault{Action: trial.BindPod}.At(trial.SIGTERM.Of(lastOne), time.Second),
			},
			Lasts: 16 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM.Of(lastOne), formula.ShutdownStart),
				claims.Between(trial.Injected.Number(2), trial.Phase("Failed"), formula.ShutdownRefusal,
					formula.AdmitsInShutdown),
				claims.New(
					trial.HasReason("NodeShutdown", trial.Phase("Failed"), 2*time.Second), formula.RefusalReason,
				),
			},
		},
	}
}

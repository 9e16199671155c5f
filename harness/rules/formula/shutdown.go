package formula

import "time"

const shutdownPage = "https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/"

// shutdownBegins returns the way from a group's turn to the kill's first sign. Its pods were synced long before.
func (in Input) shutdownBegins() []Term { return []Term{notRelisted, in.hookStarts(), atRuntime} }

// The formulas of a graceful node shutdown.
var (
	// ShutdownStart is the time from the announcement of the shutdown to the first group's kill.
	ShutdownStart = Formula{
		ID:          "eviction/shutdown-start",
		Description: "a graceful shutdown of the node begins with the pods of the lowest priorities, at once",
		Source:      "pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start, processShutdownEvent",
		Implemented: func(in Input) Window {
			return span(append([]Term{upTo("system bus", busLatency)}, in.shutdownBegins()...)...)
		},
	}
	// ShutdownTurn is the time from the stop signal of a pod that lives longer than its group's seconds to that of a
	// pod of the next group.
	ShutdownTurn = documented(Formula{
		ID:          "eviction/shutdown-turn",
		Description: "the next group's turn comes when the seconds of the group before it are over",
		Source:      "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods (groupTerminationWaitDuration)",
		Implemented: func(in Input) Window {
			return span(append(in.shutdownBegins(),
				exactly("seconds of the group before it", seconds(in.groupSeconds(1))),
				between("beginning of that group's own kill", -PLEGRelist-runtimeLatency, 0))...)
		},
		Promise:      "Each group of priorities has the seconds that the configuration gives it.",
		DocumentedAt: shutdownPage,
	})
	// ShutdownNext is the time from the death of a group's last pod to the next group's kill.
	ShutdownNext = Formula{
		ID:          "eviction/shutdown-next",
		Description: "the next group's turn comes when all pods of the group before it have ended",
		Source: "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods (doneCh); " +
			"pkg/kubelet/volumemanager/volume_manager.go WaitForAllPodsUnmount",
		Implemented: func(in Input) Window {
			return span(append(in.shutdownBegins(), upTo("sandbox stopped", sandboxStop),
				upTo("volumes unmounted, checked every 300 ms", volumesUnmounted))...)
		},
	}
	// ShutdownWaits is how often a pod ends while one of an earlier group lives on within its group's seconds.
	ShutdownWaits = documented(Formula{
		ID:          "eviction/shutdown-waits",
		Description: "a shutdown ends no critical pod while another pod of the node has time left",
		Source:      "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods (migrateConfig, groupByPriority)",
		Implemented: always(count("ends", 0)),
		Promise:     "Ordinary pods are ended first. Critical ones have shutdownGracePeriodCriticalPods at the end.",

		DocumentedAt: shutdownPage,
	})
	// ShutdownForgotten is how often a container ends after a restart of the kubelet within a shutdown.
	ShutdownForgotten = Formula{
		ID: "eviction/shutdown-forgotten",
		Description: "a kubelet that restarts within a shutdown ends no more pods: the signal is not repeated, and " +
			"the kill of a pod that nobody deleted is in memory only",
		Source: "pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go start (MonitorShutdown); " +
			"pkg/kubelet/pod_workers.go UpdatePod",
		Implemented: always(count("ends", 0)),
		Issues:      issues(NoIssueKnown),
	}
	// ShutdownReason is 1 if the API gives Terminated as the reason of the phase Failed, else 0.
	ShutdownReason = documented(Formula{
		ID:          "eviction/shutdown-reason",
		Description: "a pod that a shutdown of its node ends has failed with the reason Terminated",
		Source:      "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods (nodeShutdownReason)",
		Implemented: always(count("reason", 1)),
		Promise:     "The pod's phase is Failed, its reason Terminated.", DocumentedAt: shutdownPage,
	})
	// ShutdownRefusal is the time from the binding of a pod to its phase Failed, during a shutdown.
	ShutdownRefusal = documented(Formula{
		ID:           "eviction/shutdown-refusal",
		Description:  "a kubelet whose node shuts down refuses a new pod",
		Source:       "pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go Admit",
		Implemented:  always(span(watched, shown)),
		Promise:      "During a shutdown, the kubelet accepts no new pod, not even one that is bound to its node.",
		DocumentedAt: shutdownPage,
	})
	// RefusalReason is 1 if the API gives NodeShutdown as the reason of the phase Failed, else 0.
	RefusalReason = Formula{
		ID:          "eviction/shutdown-refusal-reason",
		Description: "the reason of a refused pod is NodeShutdown",
		Source:      "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go NodeShutdownNotAdmittedReason",
		Implemented: always(count("reason", 1)),
	}
)

const (
	// busLatency is the way of a signal of the system bus to the kubelet. From the announcement to SIGTERM, 30 to
	// 50 ms were measured.
	busLatency = 500 * time.Millisecond
	// volumesUnmounted is the end of a pod's volumes (reconciler.go, 100 ms), checked every 300 ms
	// (volume_manager.go podAttachAndMountRetryInterval).
	volumesUnmounted = time.Second
)

// Mistakes of the formulas of a shutdown.
var (
	// GroupLengthens gives a pod all seconds of its group.
	GroupLengthens = mistake("a shutdown lengthens a pod's own grace period to its group's seconds",
		"nodeshutdown/nodeshutdown_manager.go killPods", func(in Input) Window {
			return fullGrace("the group's seconds", in.groupSeconds(0))
		})
	// PodGraceOnShutdown gives the pod its own grace period.
	PodGraceOnShutdown = mistake("a shutdown leaves a pod its own grace period",
		"nodeshutdown/nodeshutdown_manager.go killPods", PodGraceOnEviction.Would)
	// AdmitsInShutdown takes every pod.
	AdmitsInShutdown = Mistake{
		Name: "a kubelet admits pods during a shutdown", Reference: "nodeshutdown_manager_linux.go Admit", Never: true,
	}
	// GroupsAtOnce kills the pods of all groups at one time.
	GroupsAtOnce = mistake("a shutdown ends the pods of all priorities at one time", "KEP-2712", func(in Input) Window {
		return span(append(in.shutdownBegins(),
			between("beginning of the other group's kill", -PLEGRelist-runtimeLatency, 0))...)
	})
)

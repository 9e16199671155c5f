package formula

import (
	"math"
	"time"
)

// The formulas of what the kubelet reports about a pod. Each counts the reports that the marks contradict, so none may
// come. They hold for every trial.
var (
	EndsReported = noReport("status/ends",
		"The API shows a container as ended only when its process has died.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus")
	EndsDated = Formula{
		ID: "status/end-times",
		Description: "finishedAt is the second in which the container's process died. CRI-O replaces it if it is asked to " +
			"stop a container that has ended.",
		Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus; " +
			"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
		Implemented: func(in Input) Window {
			none := count(contradicted, 0)
			if in.Kubelet.Has(EndKept) {
				return none
			}
			stopped := int64(0)
			for _, l := range in.Lives {
				if l.Signal == 0 && len(in.Deletes) > 0 && l.Gone > in.Deletes[0].At {
					stopped++
				}
			}
			return none.With(Term{Name: "containers that ended before they were stopped", Latest: stopped})
		},
	}
	ExitCodesReported = noReport("status/exit-codes",
		"The API shows the exit code that the process gave, or 137 if SIGKILL ended it.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus")
	EndsKnown = Formula{
		ID: "status/lost-ends",
		Description: "Only the end of a container that was evicted, or never ran, may be unknown to the kubelet " +
			"(reason ContainerStatusUnknown). Up to 1.26, a deleted pod's containers can be removed before its last " +
			"status is made.",
		Source: "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses; " +
			"pkg/kubelet/kubelet.go SyncTerminatingPod, cleanUpContainersInPod",
		Implemented: func(in Input) Window {
			none := count(contradicted, 0)
			if in.Kubelet.Has(FinishedDeletes) || len(in.Deletes) == 0 {
				return none
			}
			return none.With(Term{Name: "a container removed before the last status", Latest: 1})
		},
		Documented:   promised(always(count(contradicted, 0))),
		Promise:      "A terminated container has an exit code, and the times of its start and its end.",
		DocumentedAt: terminatedPage,
		Issues:       issues("kubernetes#104107, kubernetes PR 115331"),
	}
	FailuresCounted = noReport("probes/failures-counted",
		"The kubelet counts no failed probe that did not reach the container.",
		"pkg/kubelet/prober/prober.go probe; worker.go doProbe (prober_probe_total)")
)

// The formulas of a status that agrees with itself and with the pod's specification. They hold for every trial.
var (
	ContainersReported = consistent("status/containers",
		"A pod's status has one status for each container. It has one state, and the fields of that state. The "+
			"message of an end is what the container wrote, or its log.",
		"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses; "+
			"pkg/kubelet/kuberuntime/kuberuntime_container.go convertToKubeContainerStatus, getTerminationMessage; "+
			"pkg/kubelet/prober/prober_manager.go UpdatePodStatus; "+
			"pkg/kubelet/types/types.go SortedContainerStatuses, SortInitContainerStatuses")
	LastEndsReported = consistent("status/last-states",
		"restartCount grows with each restart. The state that a restart replaces becomes lastState.",
		"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses")
	ConditionsReported = consistent("status/conditions",
		"The kubelet's conditions, their reasons and messages follow from the statuses of containers.",
		"pkg/kubelet/status/generate.go GenerateContainersReadyCondition, GeneratePodReadyCondition, "+
			"GeneratePodInitializedCondition; pkg/kubelet/status/status_manager.go mergePodStatus")
	TransitionsReported = consistent("status/transitions",
		"lastTransitionTime is when the condition's status changed last. startTime stays.",
		"pkg/kubelet/status/status_manager.go updateLastTransitionTime, updateStatusInternal")
	PhasesReported = consistent("status/phases",
		"The phase follows from the containers' states, and an end is for good.",
		"pkg/kubelet/kubelet_pods.go getPhase, generateAPIPodStatus")
	PhasesAgainReported = consistent("status/phases-again",
		"A pod is Pending while an init container runs again, such as after the sandbox was lost.",
		"pkg/kubelet/kubelet_pods.go getPhase")
	AddressesReported = consistent("status/addresses",
		"The API shows the IPs of the pod and its host as long as a container runs, and they stay the same. The pod's "+
			"first IP has the family of the host's.",
		"pkg/kubelet/kubelet_pods.go generateAPIPodStatus, convertStatusToAPIStatus, sortPodIPs")
	ClassReported = consistent("status/qos-class",
		"The qosClass stays that which the API server gave the new pod.",
		"pkg/kubelet/kubelet_pods.go convertStatusToAPIStatus (GetPodQOS)")
	GenerationsReported = consistent("status/generations",
		"The kubelet observes no generation that the pod does not have, and none again that is over.",
		"pkg/kubelet/status/status_manager.go SetPodStatus, updateStatusInternal")
)

// The formulas of the kubelet's calls for a pod. They hold for every trial whose node records calls.
var (
	SandboxesConfigured = consistent("runtime/sandboxes",
		"A sandbox has the names, labels, hostname, ports, user and namespaces of its pod.",
		"pkg/kubelet/kuberuntime/kuberuntime_sandbox.go generatePodSandboxConfig, generatePodSandboxLinuxConfig; "+
			"labels.go newPodLabels")
	ContainersConfigured = consistent("runtime/containers",
		"A container has the command, variables, mounts, labels, annotations and limits of its specification.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go generateContainerConfig; labels.go newContainerLabels, "+
			"newContainerAnnotations; pkg/kubelet/kubelet_pods.go GenerateRunContainerOptions")
	ContainersResized = consistent("runtime/resizes",
		"A running container gets the resources of its specification, memory and CPU one after the other.",
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction, updatePodContainerResources; "+
			"kuberuntime_container.go updateContainerResources")
	LimitsFit = consistent("runtime/limits",
		"The limits of a sandbox are no less than those of its containers together. Up to 1.36.3, a container that "+
			"starts with other resources than its last instance could have more.",
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go doPodResizeAction, startingResizedContainer; "+
			"kuberuntime_container.go updatePodSandboxResources")
	CallsOrdered = consistent("runtime/order",
		"A container is made in a sandbox that is not stopped, and started. Its newest instance is removed only when "+
			"the pod ends. The sandbox is stopped when no container runs.",
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod, killPodWithSyncResult; "+
			"kuberuntime_container.go startContainer; pkg/kubelet/pod_container_deletor.go getContainersToDeleteInPod")
	ObjectsWritten = consistent("api/writes",
		"The kubelet writes a status only if it changes something, and deletes no other pod's object.",
		"pkg/kubelet/status/status_manager.go syncPod, needsUpdate, canBeDeleted")
)

// The formulas of the reasons and messages of a status, and of its fields that only some kubelets have. They hold for
// every trial.
var (
	EndReasonsReported = consistent("status/end-reasons",
		"The reason of a pod that the kubelet ends or refuses has its message, and both stay.",
		"pkg/kubelet/kubelet_pods.go generateAPIPodStatus; pkg/kubelet/kubelet.go rejectPod; "+
			"pkg/kubelet/eviction/eviction_manager.go evictPod; pkg/kubelet/eviction/helpers.go evictionMessage; "+
			"pkg/kubelet/preemption/preemption.go evictPodsToFreeRequests; "+
			"pkg/kubelet/active_deadline.go ShouldEvict")
	WaitsReported = consistent("status/wait-reasons",
		"The message of a container that waits fits the reason, and names the container, its pod or its image.",
		"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses; "+
			"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; "+
			"pkg/kubelet/images/image_manager.go EnsureImageExists; pkg/kubelet/status/status_manager.go TerminatePod")
	DisruptionsReported = consistent("status/disruptions",
		"A pod that the kubelet evicts for its node, preempts or shuts down has the condition DisruptionTarget, with "+
			"its message.",
		"pkg/kubelet/status/status_manager.go mergePodStatus; pkg/kubelet/eviction/eviction_manager.go synchronize; "+
			"pkg/kubelet/preemption/preemption.go evictPodsToFreeRequests")
	SandboxesReported = consistent("status/sandboxes",
		"A pod has the condition PodReadyToStartContainers. Its reason and message come together.",
		"pkg/kubelet/kubelet_pods.go generateAPIPodStatus; pkg/kubelet/types/pod_status.go PodConditionByKubelet")
	EndsKept = consistent("status/kept-ends",
		"The status keeps the last end of an init container that the kubelet removed.",
		"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses; "+
			"pkg/kubelet/kuberuntime/kuberuntime_container.go purgeInitContainers")
	ResourcesReported = consistent("status/resources",
		"A container's resources change only with a resize. One that has ended shows those allocated to it.",
		"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses; "+
			"pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus")
)

// ServerReported is about what the API server writes. It holds for every trial.
var ServerReported = Formula{
	ID:          "status/api-server",
	Description: "A new pod has generation 1. The condition of a pod that the API evicts says so.",
	Source: "pkg/registry/core/pod/strategy.go PrepareForCreate; " +
		"pkg/registry/core/pod/storage/eviction.go addConditionAndDeletePod",
	Of:          APIServer,
	Implemented: always(count("reports that contradict the status or the specification", 0)),
}

// The formulas of the kubelet's events about a pod. They hold for every trial.
var (
	EventsFormed = falseEvents("events/forms",
		"An event has the type and the message of its reason, and the container that it is about.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go recordContainerEvent, startContainer, killContainer, "+
			"computeInitContainerActions; pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions, doBackOff; "+
			"pkg/kubelet/images/image_manager.go EnsureImageExists; pkg/kubelet/prober/prober.go probe; "+
			"pkg/kubelet/eviction/helpers.go evictionMessage")
	EventsOrdered = falseEvents("events/order",
		"Each event comes after those of what it follows: Pulled, Created, Started; failed probes and their kill.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer, killContainers; "+
			"pkg/kubelet/prober/worker.go doProbe")
	LivesReported = falseEvents("events/lives",
		"Each start, each kill and each failed probe of a container has its event.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer, killContainer; "+
			"pkg/kubelet/prober/prober.go probe")
	FailuresReported = falseEvents("events/failures",
		"Each failure that the status shows has its event.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer; "+
			"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; pkg/kubelet/kubelet.go rejectPod; "+
			"pkg/kubelet/eviction/eviction_manager.go evictPod; pkg/kubelet/active_deadline.go ShouldEvict; "+
			"pkg/kubelet/preemption/preemption.go evictPodsToFreeRequests")
)

func falseEvents(id, says, source string) Formula {
	return never(id, says, source, "events that are false or missing")
}

func consistent(id, says, source string) Formula {
	return never(id, says, source, "reports that contradict the status or the specification")
}

const terminatedPage = lifecyclePage + "#container-state-terminated"

const contradicted = "reports that the marks contradict"

func noReport(id, says, source string) Formula { return never(id, says, source, contradicted) }

// Evicts reports whether the kubelet evicts a pod for this cause. It then writes the ends of containers itself.
func (c Cause) Evicts() bool {
	return c == ByHardEviction || c == BySoftEviction || c == ByStorageLimit || c == ByPreemption
}

// EndsPod reports whether the kubelet ends the whole pod for this cause, without an eviction.
func (c Cause) EndsPod() bool {
	return c == ByDeadline || c == ByCompletion || c == ByRestartAll || c == ByShutdown || c == ByOrphaning ||
		c == ByRemoval
}

// startBound is longer than the start of a pod whose image is present. The longest of 2,400 took 7.2 s on two cores.
const startBound = 10 * time.Second

// PodStarts is the time from a pod's creation to the start of a container that waits for no other one's end, or to the
// first try to pull its missing image or to use its missing ConfigMap. No source bounds it.
var PodStarts = Formula{
	ID:          "kubelet/starts",
	Description: "the kubelet starts the containers of a new pod, or tries to",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions, SyncPod",
	Implemented: func(in Input) Window {
		return in.slowly(span(upTo("sandbox and containers", startBound),
			between("way of the object to its watchers", -startBound, 0)))
	},
}

// RunningShown is the time from a container's start to its pod's phase Running, in a pod of one container without a
// postStart hook. From 1.36 on, the sync that started the container asks for the relist that shows it; before, the next
// relist does. On a node of v1.37.2, half of 94 values came within 5 ms of the first mark, nine of ten within 76 ms.
var RunningShown = Formula{
	ID:          "status/running",
	Description: "the API shows a pod as running when its container has started",
	Source: "pkg/kubelet/kubelet.go SyncPod (RequestPodRelist); pkg/kubelet/pleg/generic.go RequestRelist; " +
		"pkg/kubelet/pod_workers.go podWorkerLoop (GetNewerThan); pkg/kubelet/status/status_manager.go syncBatch",
	Implemented: func(in Input) Window {
		firstMark := between("first mark after the start", -containerStart, 0)
		if in.Kubelet.Has(RelistsOnDemand) {
			return span(firstMark,
				upTo("relist of the pod, sync and status", PLEGRelist+statusWrite).usually(40*ms, 150*ms))
		}
		return span(firstMark, relist, synced, shown)
	},
}

// The formulas of what the kubelet must not do in any trial without a cause.
var (
	KillsCaused = never("termination/uncaused", "The kubelet kills a container only for a cause.",
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions; pkg/kubelet/kubelet.go SyncTerminatingPod",
		"kills without a cause")
	RestartsCaused = never("restarts/uncaused",
		"The kubelet starts a container again only if its restartPolicy allows that after its end.",
		"pkg/kubelet/container/helpers.go ShouldContainerBeRestarted", "starts after an end for good")
	EvictionsCaused = never("eviction/uncaused",
		"The kubelet evicts and preempts only pods that exceed a limit, or whose node lacks a resource.",
		"pkg/kubelet/eviction/eviction_manager.go synchronize; pkg/kubelet/preemption/preemption.go "+
			"evictPodsToFreeRequests",
		"events of evictions")
)

// The formulas of the kubelet's own conduct during all trials.
var (
	KubeletExits = never("kubelet/exits", "The kubelet exits or panics only if something outside it asks for that.",
		"pkg/kubelet/kubelet.go Run (apimachinery util/runtime HandleCrash)",
		"exits that nobody asked for")
	KubeletHangs = never("kubelet/hangs", "The kubelet answers its health check while its node is free.",
		"cmd/kubelet/app/server.go run (healthz)",
		"hangs that the node's delay does not explain")
	CriticalPodsLive = never("kubelet/critical-pods",
		"The kubelet does not evict podclock's recorder, which is a critical pod.",
		"pkg/kubelet/eviction/eviction_manager.go evictPod (IsCriticalPod)",
		"evicted recorders")
	KubeletDefaults = never("kubelet/defaults",
		"Feature gates and settings that the node's configuration does not set have the release's defaults.",
		"pkg/kubelet/apis/config/v1beta1/defaults.go SetDefaults_KubeletConfiguration; pkg/features/kube_features.go "+
			"defaultVersionedKubernetesFeatureGates",
		"other defaults")
)

func never(id, says, source, what string) Formula {
	return Formula{ID: id, Description: says, Source: source, Implemented: always(count(what, 0))}
}

// EarlyCollections returns the formula of a race (see Input.noneDead) in so many restarts. More collections than its
// bound come by chance in one of a million runs.
func EarlyCollections(restarts int) Formula {
	most := Term{Name: "by chance", Latest: int64(mostByChance(restarts, collectionRace, 1e-6))}
	return Formula{
		ID: "kubelet/early-collections",
		Description: "The garbage collection removes the dead container from which the next back-off counts only if " +
			"it runs while the next container is created and not started.",
		Source: "pkg/kubelet/kuberuntime/kuberuntime_gc.go evictableContainers; pkg/kubelet/kubelet.go " +
			"ContainerGCPeriod",
		Implemented: always(window(Count, most)),
		Documented:  promised(always(count("lost back-offs", 0))),
		Promise:     "Each restart after the first waits for the back-off.", DocumentedAt: restartsPage,
	}
}

// collectionRace is the probability that the garbage collection meets a container that is created but not started. It
// runs once a minute (pkg/kubelet/kubelet.go ContainerGCPeriod), and the start takes at most 1.2 s.
const collectionRace = 1.2 / 60

// UnseenFailures returns the formula of failing probes that the kubelet counted and no container saw, in so many
// comparisons of one kind of probe. Delay can explain each: the probe may have failed on its way. More than its bound
// come by chance in one of a million runs.
func UnseenFailures(compared int) Formula {
	most := Term{Name: "lost on a busy node", Latest: int64(MostUnseen(compared))}
	return Formula{
		ID: "kubelet/unseen-failures",
		Description: "The kubelet counts a probe's failure once, if the probe failed. Few fail on their way to the " +
			"container.",
		Source:      FailuresCounted.Source,
		Implemented: always(window(Count, most)),
	}
}

// MostUnseen returns how many of so many probes may fail on their way to the container on a busy node. More come by
// chance in one of a million.
func MostUnseen(probes int) int { return mostByChance(probes, unseenFailure, 1e-6) }

// unseenFailure bounds how often a node loses a probe. On real nodes no trial lost one in 989 comparisons of 17 runs,
// and one of 134 did on two cores with a load of 50. No trial lost more than 2, of 4 to 13 probes.
const unseenFailure = 0.05

// mostByChance returns the smallest number that so many trials of a probability exceed only with the rarity.
func mostByChance(trials int, probability, rarity float64) int {
	if trials == 0 {
		return 0
	}
	// below is the probability of at most n, one that of exactly n (binomial distribution).
	one := math.Pow(1-probability, float64(trials))
	below := one
	n := 0
	for ; 1-below > rarity && n < trials; n++ {
		one *= float64(trials-n) / float64(n+1) * probability / (1 - probability)
		below += one
	}
	return n
}

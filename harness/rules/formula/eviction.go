package formula

import "time"

const nodePressurePage = "https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"

const (
	// evictionMonitoringPeriod is the eviction manager's wait between two checks if none evicts
	// (pkg/kubelet/kubelet.go, constant of this name).
	evictionMonitoringPeriod = 10 * time.Second
	// podCleanupPollFreq is how often it checks whether its evicted pod is cleaned up; then the next check follows
	// (eviction_manager.go, constant of this name).
	podCleanupPollFreq = time.Second
	// volumeStatsJitter is the factor by which the period of measuring volumes may be longer
	// (volume_stat_calculator.go StartOnce, factor 1.0).
	volumeStatsJitter = 2
	// podCleanupTimeout is how long it waits for that cleanup (eviction_manager.go, constant of this name).
	podCleanupTimeout = 30 * time.Second
	// layerStatsPeriod is how often containerd measures writable layers (its CRI configuration
	// stats_collect_period, in seconds).
	layerStatsPeriod = 10 * time.Second
	// cadvisorFolderPeriod is cAdvisor's wait between two measurements of a container's layer
	// (container/common/fsHandler.go DefaultPeriod).
	cadvisorFolderPeriod = time.Minute
	// cadvisorSample is the longest wait between two samples of its statistics, which jitter may double
	// (pkg/kubelet/cadvisor/cadvisor_linux.go maxHousekeepingInterval; manager/container.go jitter).
	cadvisorSample = 2 * 15 * time.Second
	// nodeStatusJitter is the share, one in so many, by which the period of the node's status may be longer
	// (pkg/kubelet/kubelet.go Run, factor 0.04).
	nodeStatusJitter = 25
	// The defaults of settings that the kubelet does not report (pkg/kubelet/apis/config/v1beta1/defaults.go).
	defaultVolumeStatsAggPeriod             = time.Minute
	defaultEvictionPressureTransitionPeriod = 5 * time.Minute
	defaultNodeStatusUpdateFrequency        = 10 * time.Second
)

func look() []Term {
	return []Term{
		upTo("wait between two checks", evictionMonitoringPeriod),
		checked,
	}
}

// killBegins returns the way from the eviction manager's decision to the kill's first sign.
func (in Input) killBegins() []Term {
	return []Term{relist, in.hookStarts(), atRuntime}
}

// softLooks returns the time from the check that first sees a soft threshold crossed to the one that evicts: whole
// checks.
func (in Input) softLooks() Term {
	soft, longest := in.Kubelet.EvictionSoftGracePeriod, evictionMonitoringPeriod+evictionLook
	fewest, most := ceilDiv(soft, longest), ceilDiv(soft, evictionMonitoringPeriod)
	return between(
		"checks until the soft grace period is over", max(soft, fewest*evictionMonitoringPeriod), most*longest,
	)
}

const looksPromise = "Thresholds are evaluated every ten seconds. A hard one acts as soon as it is crossed, a soft " +
	"one after it was crossed for its grace period."

// HardEvictionFound is the time from crossing a hard threshold to the kill.
var HardEvictionFound = Formula{
	ID:          "eviction/hard-threshold-found",
	Description: "the next check acts on a hard threshold, at most ten seconds after the last one",
	Source: "pkg/kubelet/eviction/eviction_manager.go Start, synchronize; pkg/kubelet/kubelet.go " +
		"evictionMonitoringPeriod",
	Implemented: func(in Input) Window {
		return span(append(look(), in.killBegins()...)...)
	},
	Documented: promised(func(in Input) Window {
		return span(append(look(), in.killBegins()...)...)
	}),
	Promise:      looksPromise,
	DocumentedAt: nodePressurePage,
}

// SoftEvictionFound is the time from crossing a soft threshold to the kill.
var SoftEvictionFound = Formula{
	ID:          "eviction/soft-threshold-found",
	Description: "the soft grace period runs from the check that first sees the threshold crossed to the first check after it",
	Source: "pkg/kubelet/eviction/helpers.go thresholdsFirstObservedAt, thresholdsMetGracePeriod; " +
		"eviction_manager.go synchronize",
	Implemented: func(in Input) Window {
		return span(append(append(look(), in.softLooks()), in.killBegins()...)...)
	},
	Documented: promised(func(in Input) Window {
		soft := in.Kubelet.EvictionSoftGracePeriod
		rest := between("soft grace period, and the check after it", soft, soft+evictionMonitoringPeriod+evictionLook)
		return span(append(append(look(), rest), in.killBegins()...)...)
	}),
	Promise:      looksPromise,
	DocumentedAt: nodePressurePage,
}

// SoftEvictionTuned is the time from a restarted kubelet's readiness to the kill, with a soft threshold already
// crossed.
var SoftEvictionTuned = Formula{
	ID:          "eviction/soft-threshold-after-restart",
	Description: "a restarted kubelet counts the soft grace period from its own first check",
	Source:      SoftEvictionFound.Source,
	Implemented: func(in Input) Window {
		return span(append(append(in.firstLook(), in.softLooks()), in.killBegins()...)...)
	},
}

// SoftEvictionShown and SoftEvictionTunedShown are the times from the same points to the phase Failed of one of two
// pods that never had a process.
var (
	SoftEvictionShown = Formula{
		ID:          "eviction/soft-threshold-shown",
		Description: "a pod without a process has failed as soon as a soft threshold evicts it",
		Source:      SoftEvictionFound.Source + "; pkg/kubelet/pod_workers.go UpdatePod (the cancelled sync)",
		Implemented: func(in Input) Window {
			return span(append(append(look(), in.softLooks()), synced, shown, otherWaiting())...)
		},
	}
	SoftEvictionTunedShown = Formula{
		ID:          "eviction/soft-threshold-shown-after-restart",
		Description: SoftEvictionTuned.Description + "; a pod without a process has failed as soon as it is evicted",
		Source:      SoftEvictionShown.Source,
		Implemented: func(in Input) Window {
			return span(append(append(in.firstLook(), in.softLooks()), synced, shown, otherWaiting())...)
		},
	}
)

// firstLook returns the time from when a restarted kubelet is found ready to its first check that counts. The kubelet
// cannot have checked before its predecessor was stopped.
func (in Input) firstLook() []Term {
	return []Term{
		between("restart of the kubelet, until it is found ready", -otherwise(in.Tuned, kubeletStart), 0),
		upTo(
			"a first check before node and pods are known, and the wait after it",
			evictionMonitoringPeriod+evictionLook,
		),
	}
}

// VolumeLimitFound is the time from exceeding an emptyDir's limit to the kill, if others more pods may be evicted at
// the same time.
func VolumeLimitFound(others int) Formula {
	return Formula{
		ID: "eviction/volume-limit-found",
		Description: "an emptyDir is measured every volumeStatsAggPeriod, which jitter may double, and the next check " +
			"compares it with its limit",
		Source: "pkg/kubelet/server/stats/volume_stat_calculator.go StartOnce; " +
			"pkg/kubelet/eviction/eviction_manager.go localStorageEviction",
		Implemented: func(in Input) Window {
			period := otherwise(in.Kubelet.VolumeStatsAggPeriod, defaultVolumeStatsAggPeriod)
			return in.limitFound(others, upTo("volume measured, with jitter", volumeStatsJitter*period))
		},
	}
}

// LayerLimitFound is [VolumeLimitFound] for a container's own layer.
func LayerLimitFound(others int) Formula {
	return Formula{
		ID: "eviction/layer-limit-found",
		Description: "containerd measures a container's layer every ten seconds, cAdvisor one of CRI-O every minute, and " +
			"the next check compares it with the container's limit",
		Source: "pkg/kubelet/eviction/eviction_manager.go containerEphemeralStorageLimitEviction; containerd " +
			"stats_collect_period; cadvisor container/common/fsHandler.go trackUsage",
		Of: Runtime,
		Implemented: func(in Input) Window {
			return in.limitFound(others, in.Kubelet.layerMeasured())
		},
	}
}

// layerMeasured returns when a container's layer is measured. The kubelet takes CRI-O's statistics from cAdvisor
// (pkg/kubelet/cadvisor/util.go UsingLegacyCadvisorStats).
func (k Kubelet) layerMeasured() Term {
	if on(crio, k.Runtime) {
		return upTo("layer measured and sampled by cAdvisor", cadvisorFolderPeriod+cadvisorSample)
	}
	return upTo("layer measured by the runtime", layerStatsPeriod)
}

// SidecarLayerLimit is how often a sidecar ends whose layer exceeds its limit, though not the sum of the pod's limits.
var SidecarLayerLimit = Formula{
	ID:          "eviction/sidecar-layer-limit",
	Description: "a sidecar's layer is compared with the sidecar's limit, like that of a main container",
	Source:      "pkg/kubelet/eviction/eviction_manager.go containerEphemeralStorageLimitEviction",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(SidecarLayerLimits) {
			return count("ends", 0)
		}
		return count("ends", 1)
	},
	Documented: promised(always(count("ends", 1))),
	Promise:    "The pod is evicted if what a container writes exceeds that container's storage limit.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/" +
		"#local-ephemeral-storage",
	Issues: func(in Input) string {
		if in.Kubelet.Has(SidecarLayerLimits) {
			return NoIssueKnown
		}
		return "kubernetes#138371"
	},
}

// limitFound adds to the measuring of the storage the check that compares it. Checks wait for the deaths and the
// cleanup of pods that were evicted before.
func (in Input) limitFound(others int, measured Term) Window {
	other := PLEGRelist + runtimeLatency + seconds(in.grace()) + in.remainder(0) + cleanup().latest()
	terms := append([]Term{measured, upTo("folders walked", folderWalk)}, look()...)
	if others > 0 {
		terms = append(terms, upTo("evictions of other pods before it", time.Duration(others)*other))
	}
	return span(append(terms, in.killBegins()...)...)
}

func cleanup() Term {
	return between("evicted pod cleaned up, checked once a second", podCleanupPollFreq, podCleanupPollFreq+objectDelete)
}

func (t Term) latest() time.Duration { return time.Duration(t.Latest) }

// NextEviction is the time from one evicted pod's death to the next kill.
var NextEviction = Formula{
	ID:          "eviction/next-pod",
	Description: "one pod is evicted at a time: the next check comes after the cleanup of the last evicted pod",
	Source: "pkg/kubelet/eviction/eviction_manager.go Start, waitForPodsCleanup (podCleanupPollFreq); " +
		"helpers.go rankMemoryPressure (ranking)",
	Implemented: func(in Input) Window {
		terms := []Term{cleanup(), checked}
		return span(append(terms, in.killBegins()...)...)
	},
}

// NextAfterWaiting is [NextEviction] after the phase Failed of one of two pods that never had a process.
var NextAfterWaiting = Formula{
	ID: "eviction/next-after-waiting",
	Description: "pods without statistics, because they never had a process, are evicted before others of their " +
		"priority; the next one follows after the cleanup",
	Source: "pkg/kubelet/eviction/helpers.go exceedMemoryRequests, memory, exceedDiskRequests, disk (not found); " +
		"eviction_manager.go waitForPodsCleanup",
	Implemented: func(in Input) Window {
		terms := []Term{
			cleanup(), checked, between("status of the pod before it", -statusWrite, 0), otherWaiting(),
		}
		return span(append(terms, in.killBegins()...)...)
	},
}

// otherWaiting returns the eviction of the other pod without a process.
func otherWaiting() Term {
	return upTo("the other one without a process, evicted between", cleanup().latest()+evictionLook+syncLatency)
}

// CleanupLimit is the time from the event ExceededGracePeriod of an evicted pod to the kill of another. The first pod
// still exceeds its limit, so it may be evicted once more before the other.
var CleanupLimit = Formula{
	ID:          "eviction/cleanup-limit",
	Description: "the next check waits at most half a minute for an evicted pod that does not die",
	Source: "pkg/kubelet/eviction/eviction_manager.go waitForPodsCleanup (podCleanupTimeout); " +
		"pkg/kubelet/pod_workers.go killPodNow",
	Implemented: func(in Input) Window {
		terms := []Term{
			exactly("the wait for the cleanup of a pod that lives", podCleanupTimeout),
			between("way of the event", -eventWay, 0),
			checked,
			upTo("the first pod evicted once more before the other", killPodMinTimeout*time.Second),
		}
		return span(append(terms, in.killBegins()...)...)
	},
}

// pressureReported returns the way of a node's condition to the API's watchers.
func (in Input) pressureReported() []Term {
	period := otherwise(in.Kubelet.NodeStatusUpdateFrequency, defaultNodeStatusUpdateFrequency)
	return []Term{upTo("node status, with jitter", period+period/nodeStatusJitter), watched}
}

// PressureBegins is the time from crossing a threshold to the node's condition.
var PressureBegins = Formula{
	ID:          "eviction/pressure-begins",
	Description: "a crossed threshold shows after the next check and the next update of the node's status",
	Source:      "pkg/kubelet/eviction/eviction_manager.go synchronize; pkg/kubelet/kubelet.go Run (syncNodeStatus)",
	Implemented: func(in Input) Window {
		return span(append(look(), in.pressureReported()...)...)
	},
}

// PressureEnds is the time from the relieving kill to the end of the node's condition.
var PressureEnds = documented(Formula{
	ID: "eviction/pressure-ends",
	Description: "the node's condition stays for evictionPressureTransitionPeriod after the last check that saw the " +
		"threshold crossed",
	Source:       "pkg/kubelet/eviction/helpers.go nodeConditionsObservedSince; eviction_manager.go synchronize",
	Implemented:  pressureEnds,
	Promise:      "A node's pressure condition ends after evictionPressureTransitionPeriod.",
	DocumentedAt: nodePressurePage,
})

func pressureEnds(in Input) Window {
	period := otherwise(in.Kubelet.EvictionPressureTransitionPeriod, defaultEvictionPressureTransitionPeriod)
	terms := []Term{
		exactly("transition period", period),
		between("its beginning, at the check before the kill", -(PLEGRelist + runtimeLatency), 0),
	}
	return span(append(append(terms, look()...), in.pressureReported()...)...)
}

// Mistakes of the formulas of evictions' times.
var (
	// RankedOtherwise evicts pods in another order, so that the other pod is dead long before.
	RankedOtherwise = mistake(
		"the other pod is evicted first: by its usage instead of what exceeds its request, or without its priority",
		"eviction/helpers.go rankMemoryPressure", always(span(between(
			"both pods' deaths, two seconds each at least, and the wait for a cleanup",
			-5*time.Minute, -2*minimumGracePeriodInSeconds*time.Second-podCleanupPollFreq,
		))))
	// KilledSideBySide evicts a second pod while the first is dying.
	KilledSideBySide = mistake("pods are killed side by side: none waits for the death of the one before it",
		"kubernetes#43166", func(in Input) Window {
			longest := seconds(max(minimumGracePeriodInSeconds, in.softEviction()))
			return span(between("what the other pod has left to live", -longest, 0),
				between("its kill's own beginning", -PLEGRelist-runtimeLatency, 0),
			)
		})
	// SoftGraceIgnored treats a soft threshold as a hard one.
	SoftGraceIgnored = mistake("the soft grace period is ignored", "eviction/helpers.go thresholdsMetGracePeriod",
		HardEvictionFound.Implemented)
	// SoftGraceIgnoredTuned is [SoftGraceIgnored] after a kubelet restart.
	SoftGraceIgnoredTuned = mistake(SoftGraceIgnored.Name, SoftGraceIgnored.Reference, func(in Input) Window {
		return span(append(append(in.firstLook(), checked), in.killBegins()...)...)
	})
	// NoTransition ends the condition with the first check that sees no crossed threshold.
	NoTransition = mistake("the pressure transition period is ignored",
		"eviction/helpers.go nodeConditionsObservedSince",
		func(in Input) Window {
			terms := []Term{in.remainderTerm(), cleanup()}
			return span(append(append(terms, look()...), in.pressureReported()...)...)
		})
)

package formula

import "time"

// maxProbeRetries is how often a probe that ends in an error is tried in one cycle (prober.go, constant of this
// name).
const maxProbeRetries = 3

// NeverCounts is how often a probe that cannot be carried out ends a life.
var NeverCounts = Formula{
	ID:   "probes/errors-never-count",
	Says: "a probe that ends in an error is neither a failure nor a success: the container is never restarted",
	Source: "pkg/kubelet/prober/worker.go doProbe (prober error, throw away the result); " +
		"pkg/kubelet/prober/prober.go runProbeWithRetries",
	Implemented: neverEnded,
	Documented:  promised(always(count("ends", 1))),
	Promise: "A probe that does not succeed within its timeout, or whose command does not end with 0, has " +
		"failed. After failureThreshold failures the container restarts.",
	DocumentedAt: configureProbesPage,
	Issues: func(in Input) string {
		if in.Probe.Handler == "exec" {
			return "kubernetes#106682"
		}
		return "kubernetes#122591"
	},
}

// MissingPortNeverCounts is NeverCounts for a probe of a named port that the container does not have. The
// documentation does not cover it.
var MissingPortNeverCounts = Formula{
	ID: "probes/missing-port-never-counts",
	Says: "a probe of a named port that the container does not have is neither a failure nor a success: the " +
		"container is never restarted",
	Source:      "pkg/probe/util.go ResolveContainerPort; " + NeverCounts.Source,
	Implemented: NeverCounts.Implemented,
}

// TriedAgain is the time from one try of a probe to the next of the same cycle, if each ends at its timeout.
var TriedAgain = Formula{
	ID:     "probes/errors-are-tried-again",
	Says:   "a probe that ends in an error is tried again at once, three times in total",
	Source: "pkg/kubelet/prober/prober.go runProbeWithRetries, maxProbeRetries",
	Implemented: func(in Input) Window {
		way := in.Probe.arrival()
		return span(exactly("timeout", seconds(int64(in.Probe.TimeoutSeconds))),
			between("probes on their way", -way, way),
			upTo("runtime", runtimeLatency))
	},
}

// NextCycle is the time from the last try of one cycle to the first of the next.
var NextCycle = Formula{
	ID:     "probes/errors-next-cycle",
	Says:   "after three tries the next cycle begins at its tick",
	Source: "pkg/kubelet/prober/prober.go maxProbeRetries; worker.go run",
	Implemented: func(in Input) Window {
		way, before := in.Probe.arrival(), (maxProbeRetries-1)*seconds(int64(in.Probe.TimeoutSeconds))
		rest := max(in.Probe.period()-before, seconds(int64(in.Probe.TimeoutSeconds)))
		return span(exactly("the period, less the tries before", rest),
			between("what the tries before took beyond their timeouts", -(maxProbeRetries-1)*runtimeLatency, 0),
			between("probes on their way", -way, way),
			between("tick to tick", -tickJitter, tickJitter))
	},
}

// RedirectAwayWarns is the time from a probe that is redirected to another host to its event.
var RedirectAwayWarns = Formula{
	ID:           "probes/redirect-away-warns",
	Says:         "a redirect to another host is not followed: it is a success, with an event",
	Source:       "pkg/probe/http/http.go RedirectChecker; pkg/kubelet/prober/prober.go probe",
	Implemented:  always(span(upTo("event", eventWay))),
	Documented:   promised(always(span(upTo("event", eventWay)))),
	Promise:      "A redirect to another host counts as a success and causes a ProbeWarning event.",
	DocumentedAt: configureProbesPage,
}

// RedirectKills is how often a life is ended whose probes are all redirected to a success.
var RedirectKills = Formula{
	ID:           "probes/redirect-is-success",
	Says:         "a redirect kills no container if its target answers with success, or is another host",
	Source:       "pkg/probe/http/http.go RedirectChecker, DoHTTPProbe",
	Implemented:  always(count("ends", 0)),
	Documented:   promised(always(count("ends", 0))),
	Promise:      "Redirects within the same host are followed. One to another host counts as a success.",
	DocumentedAt: configureProbesPage,
}

// endsWithPod reports whether a terminating pod's probe stops at once or is cancelled, or goes on.
func (in Input) endsWithPod() bool {
	switch {
	case in.Probe.Kind == "readiness":
		return in.Probe.Handler == "exec" &&
			(in.Kubelet.Has(execReadinessCancelled) || in.Kubelet.Has(execReadinessCancelled36))
	case in.Sidecar:
		return in.Kubelet.Has(SidecarProbesStop)
	}
	return true
}

// ProbesOfTerminating is how many probes of a kind a container sees from the first sign of the pod's kill to its death.
var ProbesOfTerminating = Formula{
	ID: "probes/while-terminating",
	Says: "a terminating pod's liveness and startup probes stop, and its readiness probes continue; a sidecar's " +
		"probes always continue, and some releases cancel exec readiness probes",
	Source: "pkg/kubelet/kubelet.go SyncTerminatingPod; pkg/kubelet/prober/prober_manager.go StopLivenessAndStartup " +
		"(main containers only), AddPod (context); " +
		"v1.23.1 pkg/kubelet/kubelet_pods.go HandlePodCleanups",
	Implemented: func(in Input) Window {
		switch {
		case !in.Kubelet.Has(PodWorkerStopsProbes):
			return window(
				Count,
				Term{Name: "probes until housekeeping stops them", Latest: in.ticksIn(housekeeping+tickJitter) + 1},
			)
		case in.endsWithPod():
			return window(Count, Term{Name: "a probe on its way", Latest: 1})
		}
		return in.probedThroughout()
	},
	Documented: func(in Input) *Window {
		if in.Probe.Kind != "readiness" {
			return nil
		}
		return new(in.probedThroughout())
	},
	Promise:      "Readiness probes run during a container's whole life.",
	DocumentedAt: configureProbesPage,
	Issues: func(in Input) string {
		switch {
		case !in.Kubelet.Has(PodWorkerStopsProbes):
			return "kubernetes#110309"
		case in.Probe.Kind != "readiness" && in.Sidecar:
			return SidecarProbesStop.Reference
		case in.Kubelet.Has(execReadinessCancelled):
			return execReadinessCancelled.Reference
		case in.Kubelet.Has(execReadinessCancelled36):
			return execReadinessCancelled36.Reference
		}
		return NoIssueKnown
	},
}

func (in Input) probedThroughout() Window {
	return window(Count, Term{
		Name:     "a probe each period until the death",
		Earliest: in.ticksIn(in.Survived - tickJitter - in.Probe.arrival() - in.MarkDelay),
		Latest:   in.ticksIn(in.Survived+tickJitter+in.Probe.arrival()) + 1,
	})
}

// ticksIn returns how many ticks every span of this length holds at least. One more may fall into it.
func (in Input) ticksIn(span time.Duration) int64 {
	if span <= 0 || in.Probe.PeriodSeconds <= 0 {
		return 0
	}
	return int64(span / in.Probe.period())
}

// Rivals of a probe's result. Those of counts and spacing are beside their formulas.
var (
	// ExecTimeoutLost is an exec probe that cannot time out: its timeout is not passed on, or a timeout is a success
	// or an error without effect.
	ExecTimeoutLost = Rival{
		Name:      "an exec probe whose command outlasts timeoutSeconds has not failed",
		Reference: "kubernetes#50389, kubernetes#92464, kubernetes#94080, kubernetes#100198", Never: true,
	}
	// StartupWorkerEnds leaves the lives after a startup probe's success without one, because its worker is gone.
	StartupWorkerEnds = Rival{
		Name:      "the startup probe's worker ends with its success, and later lives have none",
		Reference: "kubernetes#101064",
		Never:     true,
	}
	// GoesOnWhileTerminating probes a main container until its death.
	GoesOnWhileTerminating = Rival{
		Name:      "a terminating pod's liveness and startup probes go on",
		Reference: "kubernetes#107473",
		Would:     Input.probedThroughout,
	}
)

package formula

import "time"

// maxProbeRetries is how often a probe that errs is tried in one cycle (prober.go, constant of this name).
const maxProbeRetries = 3

// NeverCounts is how often a life is ended by a probe that can't be carried out.
var NeverCounts = Formula{
	ID:           "probes/errors-never-count",
	Says:         "a probe that ends in an error is neither a failure nor a success: the container is never restarted",
	Source:       "pkg/kubelet/prober/worker.go doProbe (prober error, throw away the result); pkg/kubelet/prober/prober.go runProbeWithRetries",
	Implemented:  neverEnded,
	Documented:   promised(always(count("ends", 1))),
	Promise:      "A probe that does not succeed within its timeout, or whose command does not end with 0, has failed; failureThreshold failures restart the container.",
	DocumentedAt: configureProbesPage,
	Issues: func(in Input) string {
		if in.Probe.Handler == "exec" {
			return "kubernetes#106682"
		}
		return "kubernetes#122591"
	},
}

// MissingPortNeverCounts is NeverCounts of a probe of a named port that the container does not have, of
// which the documentation says nothing.
var MissingPortNeverCounts = Formula{
	ID:          "probes/missing-port-never-counts",
	Says:        "a probe of a named port that the container does not have is neither a failure nor a success: the container is never restarted",
	Source:      "pkg/probe/util.go ResolveContainerPort; " + NeverCounts.Source,
	Implemented: NeverCounts.Implemented,
}

// TriedAgain is the time from one try of a probe to the next of the same cycle, where each is broken off at
// its timeout.
var TriedAgain = Formula{
	ID:     "probes/errors-are-tried-again",
	Says:   "a probe that errs is tried again at once, three times in all",
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
	Says:   "after three tries the next cycle comes at its tick",
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

// RedirectAwayWarns is the time from a probe that is redirected to another host to the event about it.
var RedirectAwayWarns = Formula{
	ID:           "probes/redirect-away-warns",
	Says:         "a redirect to another host is not followed: a success, with an event",
	Source:       "pkg/probe/http/http.go RedirectChecker; pkg/kubelet/prober/prober.go probe",
	Implemented:  always(span(upTo("event", eventWay))),
	Documented:   promised(always(span(upTo("event", eventWay)))),
	Promise:      "A redirect to another host counts as a success and leaves a ProbeWarning event.",
	DocumentedAt: configureProbesPage,
}

// RedirectKills is how often a life is ended whose probes are all redirected to where they succeed.
var RedirectKills = Formula{
	ID:           "probes/redirect-is-success",
	Says:         "a redirect kills nobody whose target answers well, or is another host",
	Source:       "pkg/probe/http/http.go RedirectChecker, DoHTTPProbe",
	Implemented:  always(count("ends", 0)),
	Documented:   promised(always(count("ends", 0))),
	Promise:      "Redirects within the same host are followed; one to another host counts as a success.",
	DocumentedAt: configureProbesPage,
}

// endsWithPod is whether a terminating pod's probe stops at once, is cancelled, or goes on.
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
	ID:   "probes/while-terminating",
	Says: "a terminating pod's liveness and startup probes stop, its readiness probes go on; those of sidecars go on in any case, and exec readiness probes are cancelled by some releases",
	Source: "pkg/kubelet/kubelet.go SyncTerminatingPod; pkg/kubelet/prober/prober_manager.go StopLivenessAndStartup (main containers only), AddPod (context); " +
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
		Earliest: in.ticksIn(in.Survived - tickJitter - in.Probe.arrival() - in.Kept),
		Latest:   in.ticksIn(in.Survived+tickJitter+in.Probe.arrival()) + 1,
	})
}

// ticksIn is how many ticks every span of this length holds at least; one more may fall into it.
func (in Input) ticksIn(span time.Duration) int64 {
	if span <= 0 || in.Probe.PeriodSeconds <= 0 {
		return 0
	}
	return int64(span / in.Probe.period())
}

// Rivals of what a probe's result leads to. Those of counts and spacing are with their formulas.
var (
	// ExecTimeoutLost is an exec probe that can't time out: its timeout is not passed on, or what a timeout
	// ends in is a success, or an error that counts for nothing.
	ExecTimeoutLost = Rival{
		Name:      "an exec probe whose command outlasts timeoutSeconds has not failed",
		Reference: "kubernetes#50389, kubernetes#92464, kubernetes#94080, kubernetes#100198", Never: true,
	}
	// StartupWorkerEnds leaves the lives after a startup probe's success without one, as its worker is gone.
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

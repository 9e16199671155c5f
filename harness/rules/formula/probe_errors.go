package formula

// maxProbeRetries is how often a probe with an error is tried in one cycle (prober.go, same name).
const maxProbeRetries = 3

// NeverCounts is how often a probe that cannot be carried out ends a life.
var NeverCounts = Formula{
	ID:          "probes/errors-never-count",
	Description: "a probe that ends in an error is neither a failure nor a success",
	Source: "pkg/kubelet/prober/worker.go doProbe (prober error, throw away the result); " +
		"pkg/kubelet/prober/prober.go runProbeWithRetries",
	Implemented: neverEnded,
	Documented:  promised(always(count("ends", 1))),
	Promise: "A probe that does not succeed within its timeout has failed. failureThreshold failures restart the " +
		"container.",
	DocumentedAt: configureProbesPage,
	Issues: func(in Input) string {
		if in.Probe.Handler == "exec" {
			return "kubernetes#106682"
		}
		return "kubernetes#122591"
	},
}

// MissingPortNeverCounts is NeverCounts for an unknown port name, which the documentation leaves out.
var MissingPortNeverCounts = Formula{
	ID:          "probes/missing-port-never-counts",
	Description: "a probe of a named port that the container does not have is neither a failure nor a success",
	Source:      "pkg/probe/util.go ResolveContainerPort; " + NeverCounts.Source,
	Implemented: NeverCounts.Implemented,
}

// ErrorReported is the time from a container's start to the event of its first probe's error.
var ErrorReported = Formula{
	ID:          "probes/error-reported",
	Description: "a probe that ends in an error is reported as Unhealthy after its three tries",
	Source:      "pkg/kubelet/prober/prober.go probe (recordContainerEvent), runProbeWithRetries",
	Implemented: func(in Input) Window {
		return span(append(firstProbe(in).Terms, upTo("three tries", maxProbeRetries*ExecStart), events)...)
	},
}

// TriedAgain is the time between two tries of one cycle that end at their timeout.
var TriedAgain = Formula{
	ID:          "probes/errors-are-tried-again",
	Description: "a probe that ends in an error is tried again at once, three times in total",
	Source:      "pkg/kubelet/prober/prober.go runProbeWithRetries, maxProbeRetries",
	Implemented: func(in Input) Window {
		return span(exactly("timeout", seconds(int64(in.Probe.TimeoutSeconds))),
			in.Probe.ways(),
			atRuntime)
	},
}

// NextCycle is the time from the last try of one cycle to the first of the next.
var NextCycle = Formula{
	ID:          "probes/errors-next-cycle",
	Description: "after three tries the next cycle begins at its tick",
	Source:      "pkg/kubelet/prober/prober.go maxProbeRetries; worker.go run",
	Implemented: func(in Input) Window {
		before := (maxProbeRetries - 1) * seconds(int64(in.Probe.TimeoutSeconds))
		rest := max(in.Probe.period()-before, seconds(int64(in.Probe.TimeoutSeconds)))
		return span(exactly("the period, less the tries before", rest),
			between("what the tries before took beyond their timeouts", -(maxProbeRetries-1)*runtimeLatency, 0),
			in.Probe.ways(),
			jitter)
	},
}

// RedirectAwayWarns is the time from a probe that is redirected to another host to its event.
var RedirectAwayWarns = documented(Formula{
	ID:           "probes/redirect-away-warns",
	Description:  "a redirect to another host is not followed: it is a success, with an event",
	Source:       "pkg/probe/http/http.go RedirectChecker; pkg/kubelet/prober/prober.go probe",
	Implemented:  always(span(upTo("event", eventWay))),
	Promise:      "A redirect to another host counts as a success and causes a ProbeWarning event.",
	DocumentedAt: configureProbesPage,
})

// RedirectKills is how often a container ends whose probes are redirected to a success.
var RedirectKills = documented(Formula{
	ID:           "probes/redirect-is-success",
	Description:  "a redirect kills no container if its target answers with success, or is another host",
	Source:       "pkg/probe/http/http.go RedirectChecker, DoHTTPProbe",
	Implemented:  neverEnded,
	Promise:      "Redirects within the same host are followed. One to another host counts as a success.",
	DocumentedAt: configureProbesPage,
})

// endsWithPod reports whether a terminating pod's probe stops at once or is cancelled.
func (in Input) endsWithPod() bool {
	switch {
	case in.Probe.Kind == "readiness":
		return in.Probe.Handler == "exec" && in.Kubelet.Has(execReadinessCancelled)
	case in.Sidecar:
		return in.Kubelet.Has(SidecarProbesStop)
	}
	return true
}

// ProbesOfTerminating is how many probes a container sees from the kill's first sign to its death.
var ProbesOfTerminating = Formula{
	ID: "probes/while-terminating",
	Description: "a terminating pod's liveness and startup probes stop; sidecars' up to 1.37, and readiness probes " +
		"continue, except exec readiness probes in some releases",
	Source: "pkg/kubelet/kubelet.go SyncTerminatingPod; pkg/kubelet/prober/prober_manager.go StopLivenessAndStartup " +
		"(up to 1.37 main containers only), AddPod (context); " +
		"before v1.25.0 pkg/kubelet/kubelet_pods.go HandlePodCleanups",
	Implemented: func(in Input) Window {
		switch {
		case !in.Kubelet.Has(PodWorkerStopsProbes):
			most := in.ticksIn(housekeeping+tickJitter+in.Delay) + 1
			return window(Count, Term{Name: "probes until housekeeping stops them", Latest: most})
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
	Promise: "Readiness probes run during a container's whole life.", DocumentedAt: configureProbesPage,
	Issues: func(in Input) string {
		switch {
		case !in.Kubelet.Has(PodWorkerStopsProbes):
			return "kubernetes#110309"
		case in.Probe.Kind != "readiness" && in.Sidecar && !in.Kubelet.Has(SidecarProbesStop):
			return SidecarProbesStop.Reference
		case in.Kubelet.Has(execReadinessCancelled):
			return execReadinessCancelled.Reference
		}
		return NoIssueKnown
	},
}

func (in Input) probedThroughout() Window {
	return window(Count, Term{
		Name:     "a probe each period until the death",
		Earliest: in.ticksIn(in.Survived - tickJitter - in.Probe.arrival() - in.Delay),
		Latest:   in.ticksIn(in.Survived+tickJitter+in.Probe.arrival()+in.Delay) + 1,
	})
}

// Mistakes of a probe's result. Those of counts and spacing are beside their formulas.
var (
	// ExecTimeoutLost is an exec probe that cannot time out.
	ExecTimeoutLost = Mistake{
		Name:      "an exec probe whose command outlasts timeoutSeconds has not failed",
		Reference: "kubernetes#50389, kubernetes#92464, kubernetes#94080, kubernetes#100198", Never: true,
	}
	// StartupWorkerEnds leaves later lives without a startup probe.
	StartupWorkerEnds = Mistake{
		Name:      "the startup probe's worker ends with its success, and later lives have none",
		Reference: "kubernetes#101064",
		Never:     true,
	}
	// GoesOnWhileTerminating probes a main container until its death.
	GoesOnWhileTerminating = mistake("a terminating pod's liveness and startup probes go on", "kubernetes#107473",
		Input.probedThroughout)
)

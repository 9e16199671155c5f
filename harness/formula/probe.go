package formula

import "time"

const (
	probesPage          = "https://kubernetes.io/docs/concepts/workloads/pods/probes/"
	configureProbesPage = "https://kubernetes.io/docs/tasks/configure-pod-container/" +
		"configure-liveness-readiness-startup-probes/#configure-probes"
	// seesNewContainer is how long after its start the probe worker may not know a new container: one relist of the
	// PLEG.
	seesNewContainer = 1200 * time.Millisecond
	// startTruncation is what the prober loses of the container's start time: the API keeps whole seconds.
	startTruncation = time.Second
)

// cadence returns the time from one failing probe to the next. The worker's ticker keeps one tick that comes while a
// probe runs.
func (p Probe) cadence() time.Duration {
	return max(time.Duration(p.PeriodSeconds)*time.Second, p.Takes)
}

func (p Probe) period() time.Duration { return time.Duration(p.PeriodSeconds) * time.Second }
func (p Probe) initialDelay() time.Duration {
	return time.Duration(p.InitialDelaySeconds) * time.Second
}

// arrival returns how long a probe may take from its beginning for the kubelet to the victim.
func (p Probe) arrival() time.Duration {
	if p.Handler == "exec" {
		return ExecStart
	}
	return HTTPStart
}

// needed returns how many failing probes in a row kill this life by the code.
func (in Input) needed() int { return max(1, in.Probe.FailureThreshold-in.CarriedFailures) }

// FailingProbes is how many failing probes one life sees before it is killed.
var FailingProbes = Formula{
	ID: "probes/failing-probes",
	Says: "a container is killed after failureThreshold failing probes in a row, in every life; failures before a " +
		"crash of its own also count in the next life",
	Source: "pkg/kubelet/prober/worker.go doProbe (resultRun is reset when the worker goes on hold after a probe's " +
		"kill, not for other changes of the container)",
	Implemented: func(in Input) Window { return count("failing probes in a row", in.needed()) },
	Documented: promised(func(in Input) Window {
		return count("failureThreshold", in.Probe.FailureThreshold)
	}),
	Promise:      "After failureThreshold failures in a row the kubelet restarts that container.",
	DocumentedAt: configureProbesPage,
	Issues:       Input.carriedIssues,
}

// ProbeKills is the time from a container's start to SIGTERM if the probe always fails.
var ProbeKills = Formula{
	ID: "probes/start-to-kill",
	Says: "the kill comes with the last needed failing probe: the first within one period of the initial delay, " +
		"the others a period apart",
	Source: "pkg/kubelet/prober/worker.go run, doProbe; pkg/kubelet/kubelet.go syncLoopIteration",
	Implemented: func(in Input) Window {
		return startToKill(in, in.needed())
	},
	Documented: promised(func(in Input) Window {
		return startToKill(in, in.Probe.FailureThreshold)
	}),
	Promise: "Probing begins initialDelaySeconds after the start. After failureThreshold failures, " +
		"periodSeconds apart, the kubelet restarts the container.",
	DocumentedAt: probesPage,
}

// startToKill uses the container's start as the API shows it, in whole seconds, for documentation and code alike.
// Chance decides whether a tick falls into the second that is cut off, and no verdict should depend on chance.
func startToKill(in Input, failures int) Window {
	return span(in.delayTerm(),
		between("phase of the probe's ticker", 0, in.Probe.period()),
		exactly("failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
		in.Probe.overrun(failures-1),
		exactly("the last probe itself", in.Probe.Takes),
		upTo("sync", syncLatency))
}

// delayTerm returns when a container may be probed: once the worker knows it, and its initial delay has passed since
// the start in the API.
func (in Input) delayTerm() Term {
	d := in.Probe.initialDelay()
	return between("initial delay", max(0, d-startTruncation-processStart), max(seesNewContainer, d))
}

// overrun returns what probes that outlast their period take beyond their timeout: each one's own start delays those
// after it.
func (p Probe) overrun(probes int) Term {
	const name = "starts of probes that outlast the period"
	if p.Takes < p.period() {
		return Term{Name: name}
	}
	return upTo(name, time.Duration(probes)*p.arrival())
}

// FirstProbe is the time from a container's start to the first probe that reaches it.
var FirstProbe = Formula{
	ID: "probes/first-probe",
	Says: "the first probe comes at the first tick of the probe's ticker after the initial delay, which " +
		"counts from the start time cut to whole seconds",
	Source:       "pkg/kubelet/prober/worker.go doProbe",
	Implemented:  firstProbe,
	Documented:   promised(firstProbe),
	Promise:      "Probes begin initialDelaySeconds after the container has started.",
	DocumentedAt: configureProbesPage,
}

func firstProbe(in Input) Window {
	return span(in.delayTerm(),
		between("phase of the probe's ticker", 0, in.Probe.period()),
		upTo("probe on its way", in.Probe.arrival()))
}

// LastProbeToKill is the time from the arrival of the last needed failing probe to SIGTERM.
var LastProbeToKill = Formula{
	ID: "probes/last-probe-to-kill",
	Says: "the kill follows the result of the last needed probe at once; a probe without an answer fails after " +
		"timeoutSeconds",
	Source: "pkg/kubelet/kubelet.go syncLoopIteration; pkg/kubelet/prober/prober.go runProbe",
	Implemented: func(in Input) Window {
		return span(exactly("the probe itself", in.Probe.Takes),
			between("probe on its way", -min(in.Probe.Takes, in.Probe.arrival()), 0),
			upTo("sync", syncLatency))
	},
}

// KillSpacing is the time from one life's SIGTERM to the next life's if the same probe, which always fails, kills
// both.
var KillSpacing = Formula{
	ID:   "probes/kill-spacing",
	Says: "the probe's ticker continues during a restart, so kills are failureThreshold periods apart",
	Source: "pkg/kubelet/prober/worker.go run (the ticker is made once per worker); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (kill and restart in one sync)",
	Implemented: func(in Input) Window { return in.signalSpacing(in.needed()) },
	Documented: promised(func(in Input) Window {
		return in.signalSpacing(in.Probe.FailureThreshold)
	}),
	Promise:      FailingProbes.Promise,
	DocumentedAt: FailingProbes.DocumentedAt,
}

// KillTicks is the time from the arrival of the probe that kills one life to the arrival of the probe that kills the
// next: KillSpacing without the kubelet's reaction.
var KillTicks = Formula{
	ID:          "probes/kill-ticks",
	Says:        "the killing probes are failureThreshold ticks apart",
	Source:      KillSpacing.Source,
	Implemented: func(in Input) Window { return in.killTicks(in.needed()) },
	Documented: promised(func(in Input) Window {
		return in.killTicks(in.Probe.FailureThreshold)
	}),
	Promise:      FailingProbes.Promise,
	DocumentedAt: FailingProbes.DocumentedAt,
}

func (in Input) killTicks(failures int) Window {
	way := in.Probe.arrival()
	return killSpacing(
		in, failures, between("probes on their way", -way, way), between("tick to tick", -tickJitter, tickJitter),
	)
}

func (in Input) signalSpacing(failures int) Window {
	return killSpacing(
		in, failures, between("sync of the first kill", -syncLatency, 0), upTo("sync of the second", syncLatency),
	)
}

// killSpacing counts the ticks between two kills: those that the restart takes, at least one, and one for each
// further failing probe.
func killSpacing(in Input, failures int, slack ...Term) Window {
	ticks := in.restartTicks()
	return span(append([]Term{
		between("ticks until the restarted container's first probe", ticks.Low, ticks.High),
		exactly("further failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
	}, slack...)...)
}

// restartTicks returns the time from the tick of the probe that killed the life before to the tick of this life's
// first probe: whole periods, at least one, and as many as the restart and the initial delay take.
func (in Input) restartTicks() Range {
	period, delay := in.Probe.period(), in.delayTerm()
	whole := func(d time.Duration) time.Duration { return max(1, (d+period-1)/period) * period }
	return Range{
		Low:  whole(in.Restart + time.Duration(delay.Earliest) - in.MarkDelay),
		High: whole(in.Restart + in.Probe.arrival() + time.Duration(delay.Latest)),
	}
}

// NoKill is how often a life is ended of a container that gives no reason to kill it.
var NoKill = Formula{
	ID:           "probes/no-kill",
	Says:         "failures that a success interrupts before failureThreshold kill no container",
	Source:       "pkg/kubelet/prober/worker.go doProbe (resultRun starts again at another result)",
	Implemented:  neverEnded,
	Documented:   promised(always(count("ends", 0))),
	Promise:      FailingProbes.Promise,
	DocumentedAt: FailingProbes.DocumentedAt,
}

// neverEnded predicts that nothing ends a life. The exception are probes whose answers a busy node delays beyond
// their timeout: those are failures.
func neverEnded(in Input) Window {
	w := count("ends", 0)
	if timeout := seconds(int64(in.Probe.TimeoutSeconds)); timeout > 0 && in.MarkDelay >= timeout {
		w = w.With(
			Term{
				Name:   "answers delayed until their probes timed out",
				Latest: int64(in.Watched / max(in.Probe.period(), time.Second)),
			},
		)
	}
	return w
}

// HeldBack is how many probes of another kind reach a container whose startup probe has not succeeded.
var HeldBack = Formula{
	ID:           "probes/held-back-by-startup",
	Says:         "no liveness or readiness probe comes before the startup probe has succeeded",
	Source:       "pkg/kubelet/prober/worker.go doProbe",
	Implemented:  always(count("liveness probes", 0)),
	Documented:   promised(always(count("liveness probes", 0))),
	Promise:      "Other probes are off until the startup probe succeeds.",
	DocumentedAt: probesPage,
}

// Cadence is how many probes a life sees in Input.Watched after its start.
var Cadence = Formula{
	ID:     "probes/cadence",
	Says:   "probes come once a period, whatever the answer",
	Source: "pkg/kubelet/prober/worker.go run",
	Implemented: func(in Input) Window {
		d := in.Probe.initialDelay()
		latestFirst := max(seesNewContainer, d) + in.Probe.period() + in.Probe.arrival()
		earliestFirst := max(0, d-startTruncation-processStart)
		// The ticks of a span that begins with the first probe: none if the span ends before it.
		ticks := func(span time.Duration) int64 {
			if span < 0 {
				return 0
			}
			return 1 + int64(span/in.Probe.period())
		}
		return window(Count, Term{
			Name:     "the first probe, and one more each period",
			Earliest: ticks(in.Watched - latestFirst - tickJitter - in.MarkDelay),
			Latest:   ticks(in.Watched - earliestFirst + tickJitter + in.MarkDelay),
		})
	},
}

// Rivals of the probe formulas.
var (
	// ResultRunOne is the off-by-one that PR 62853 fixed: after a kill the count of failures began at one, not at
	// zero.
	ResultRunOne = Rival{
		Name:      "resultRun is reset to 1 instead of 0 after a kill: later lives get one failing probe less",
		Reference: "kubernetes PR 62853",
		Would:     func(in Input) Window { return count("failing probes", in.laterLives(in.Probe.FailureThreshold-1)) },
	}
	// ResultRunOneSpacing is the same in the time between kills.
	ResultRunOneSpacing = Rival{
		Name: ResultRunOne.Name, Reference: ResultRunOne.Reference,
		Would: func(in Input) Window { return in.signalSpacing(in.laterLives(in.Probe.FailureThreshold - 1)) },
	}
	// ResultRunOneTicks is the same in the ticks between kills.
	ResultRunOneTicks = Rival{
		Name: ResultRunOne.Name, Reference: ResultRunOne.Reference,
		Would: func(in Input) Window { return in.killTicks(in.laterLives(in.Probe.FailureThreshold - 1)) },
	}
	// DelayIgnored probes from the start on.
	DelayIgnored = Rival{
		Name: "initialDelaySeconds is ignored", Reference: "worker.go doProbe",
		Would: func(in Input) Window {
			in.Probe.InitialDelaySeconds = 0
			return firstProbe(in)
		},
	}
	// NeverReset is the code before PR 46371: the count of failures was never reset.
	NeverReset = Rival{
		Name:      "resultRun is never reset: later lives are killed by their first failing probe",
		Reference: "kubernetes#53530",
		Would:     func(in Input) Window { return count("failing probes", in.laterLives(1)) },
	}
	// NeverResetSpacing is the same in the time between kills.
	NeverResetSpacing = Rival{
		Name: NeverReset.Name, Reference: NeverReset.Reference,
		Would: func(in Input) Window { return in.signalSpacing(in.laterLives(1)) },
	}
	// NeverResetTicks is the same in the ticks between kills.
	NeverResetTicks = Rival{
		Name: NeverReset.Name, Reference: NeverReset.Reference,
		Would: func(in Input) Window { return in.killTicks(in.laterLives(1)) },
	}
)

// laterLives returns n, at least 1, for every life but the first, which all kubelets treat alike.
func (in Input) laterLives(n int) int {
	if in.Life <= 1 {
		return in.Probe.FailureThreshold
	}
	return max(1, n)
}

// RestartEdges returns the times in a range of Restart that bound every window that depends on it: its ends, and both
// sides of the first whole periods in it, where counts of ticks jump. After one period the windows repeat.
func (in Input) RestartEdges(r Range) []time.Duration {
	edges, period := []time.Duration{r.Low, r.High}, in.Probe.period()
	if period <= 0 {
		return edges
	}
	delay := in.delayTerm()
	first, last := time.Duration(delay.Earliest), in.Probe.arrival()+time.Duration(delay.Latest)
	for _, offset := range []time.Duration{first, last} {
		whole := ceilDiv(r.Low+offset, period)*period - offset
		for _, edge := range []time.Duration{whole, whole + 1} {
			if r.Low < edge && edge < r.High {
				edges = append(edges, edge)
			}
		}
	}
	return edges
}

package formula

import "time"

const (
	probesPage     = "https://kubernetes.io/docs/concepts/workloads/pods/probes/"
	probeTasksPage = "https://kubernetes.io/docs/tasks/configure-pod-container/" +
		"configure-liveness-readiness-startup-probes/"
	configureProbesPage = probeTasksPage + "#configure-probes"
	// seesNewContainer is how long after its start the probe worker may not know a new container: one relist of the
	// PLEG.
	seesNewContainer = 1200 * time.Millisecond
	// startTruncation is what the prober loses of the container's start time: the API keeps whole seconds.
	startTruncation = time.Second
)

// cadence returns the time from one failing probe to the next: the ticker keeps one tick that comes during a probe.
func (p Probe) cadence() time.Duration {
	return max(time.Duration(p.PeriodSeconds)*time.Second, p.Takes)
}

func (p Probe) period() time.Duration { return time.Duration(p.PeriodSeconds) * time.Second }
func (p Probe) initialDelay() time.Duration {
	return time.Duration(p.InitialDelaySeconds) * time.Second
}

// arrival returns how long a probe may take to the victim.
func (p Probe) arrival() time.Duration {
	if p.Handler == "exec" {
		return ExecStart
	}
	return HTTPStart
}

func (p Probe) way() Term   { return upTo("probe on its way", p.arrival()) }
func (p Probe) ways() Term  { return between("probes on their way", -p.arrival(), p.arrival()) }
func (p Probe) phase() Term { return upTo("phase of the probe's ticker", p.period()) }

// apart returns the time between the first and the last of so many failing probes.
func (p Probe) apart(failures int) Term {
	return exactly("failing probes, a period apart", time.Duration(failures-1)*p.cadence())
}

// needed returns how many failing probes in a row kill this life by the code.
func (in Input) needed() int {
	switch {
	case in.Life > 1 && in.wrong == resultRunOne:
		return max(1, in.Probe.FailureThreshold-1)
	case in.Life > 1 && in.wrong == resultRunKept:
		return 1
	}
	return max(1, in.Probe.FailureThreshold-in.CarriedFailures)
}

// anyNeeded returns the union of the windows for all numbers of failing probes that may kill this life. Probes that met
// a dead container failed. If they reached failureThreshold, the count began again. A container's end may have
// taken an exec probe's last result with it.
func (in Input) anyNeeded(window func(Input, int) Window) Window {
	fewest, most := max(1, in.needed()-in.MetDead), in.needed()
	if in.CarriedFailures > 0 && in.Delay > 0 && in.Probe.Handler == "exec" {
		most = min(most+1, max(most, in.Probe.FailureThreshold))
	}
	if in.MetDead > 0 && in.CarriedFailures+in.MetDead >= in.Probe.FailureThreshold {
		most = max(most, in.Probe.FailureThreshold)
	}
	return EitherOf(window(in, fewest), window(in, most))
}

// ticksIn returns how many ticks every span of this length holds at least.
func (in Input) ticksIn(span time.Duration) int64 {
	if span <= 0 || in.Probe.PeriodSeconds <= 0 {
		return 0
	}
	return int64(span / in.Probe.period())
}

// FailingProbes is how many failing probes one life sees before its kill.
var FailingProbes = Formula{
	ID:          "probes/failing-probes",
	Description: "failureThreshold failing probes in a row kill every life",
	Source: "pkg/kubelet/prober/worker.go doProbe (resultRun is reset when the worker goes on hold after a probe's " +
		"kill)",
	Implemented: func(in Input) Window {
		w := in.anyNeeded(func(_ Input, n int) Window { return count("failing probes in a row", n) })
		return w.unless(in.answersLate(), "failing probes that did not reach the container in time", -w.Earliest)
	},
	Documented: ofOneLife(func(in Input) Window {
		return count("failureThreshold", in.Probe.FailureThreshold)
	}),
	Promise:      "After failureThreshold failures in a row the kubelet restarts the container.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("kubernetes#53530"),
}

// ofOneLife promises a window unless results of earlier lives count on. StreakSurvives compares those.
func ofOneLife(w func(Input) Window) func(Input) *Window {
	return func(in Input) *Window {
		if in.CarriedFailures > 0 || in.CarriedSuccesses > 0 {
			return nil
		}
		return new(w(in))
	}
}

// ProbeKills is the time from a start to SIGTERM if the probe always fails.
var ProbeKills = Formula{
	ID:          "probes/start-to-kill",
	Description: "the first failing probe comes within one period of the initial delay, the others a period apart",
	Source:      "pkg/kubelet/prober/worker.go run, doProbe; pkg/kubelet/kubelet.go syncLoopIteration",
	Implemented: func(in Input) Window { return in.anyNeeded(startToKill) },
	Documented: ofOneLife(func(in Input) Window {
		return startToKill(in, in.Probe.FailureThreshold)
	}),
	Promise:      "After initialDelaySeconds, failureThreshold failures a period apart restart the container.",
	DocumentedAt: probesPage,
}

// ClosedGRPCKills is ProbeKills for gRPC probes of a port where nobody listens, or where only one side encrypts.
var ClosedGRPCKills = Formula{
	ID:          "probes/closed-grpc-kills",
	Description: "a gRPC probe that cannot connect fails at once; up to 1.37 it tries to connect until its timeout",
	Source:      "pkg/probe/grpc/grpc.go Probe (grpc.NewClient, before 1.38 grpc.WithBlock)",
	Implemented: func(in Input) Window {
		if in.Probe.Takes = 0; !in.Kubelet.Has(RefusedGRPCFails) {
			in.Probe.Takes = seconds(int64(in.Probe.TimeoutSeconds))
		}
		return startToKill(in, in.Probe.FailureThreshold)
	},
}

// startToKill uses the API's start time, in whole seconds, for documentation and code: chance decides whether a tick
// falls into the second that is cut off.
func startToKill(in Input, failures int) Window {
	w := span(in.delayTerm(),
		in.Probe.phase(),
		in.Probe.apart(failures),
		in.Probe.overrun(failures-1),
		exactly("the last probe itself", in.Probe.Takes),
		synced)
	return in.withDelayedTick(w)
}

// delayTerm returns when a container may be probed: once the worker knows it, after postStart hooks, and its initial
// delay has passed.
func (in Input) delayTerm() Term {
	d := in.Probe.initialDelay()
	return between("initial delay", max(0, d-startTruncation-processStart, in.PostStart.Low),
		max(seesNewContainer+in.PostStart.High, d))
}

// HeldByHooks returns how long postStart hooks hold a sync in which so many containers start.
func HeldByHooks(hooks time.Duration, containers int) Range {
	if hooks == 0 {
		return Range{}
	}
	return Range{Low: hooks, High: hooks + time.Duration(containers)*(containerStart+ExecStart)}
}

// HeldAfter returns how long after the end of a container's first life the sync that started it still lasts. It starts
// so many containers, and their postStart hooks take this time. The life lasted as long as it ran.
func HeldAfter(hooks time.Duration, containers int, ran time.Duration) Range {
	held := HeldByHooks(hooks, containers)
	return Range{Low: max(0, held.Low-ran-containerStart), High: max(0, held.High-ran)}
}

// overrun returns what probes that outlast their period take beyond their timeout.
func (p Probe) overrun(probes int) Term {
	const name = "starts of probes that outlast the period"
	if p.Takes < p.period() {
		return Term{Name: name}
	}
	return upTo(name, time.Duration(probes)*p.arrival())
}

// FirstProbe is the time from a start to the first probe.
var FirstProbe = documented(Formula{
	ID:          "probes/first-probe",
	Description: "the first probe comes at the first tick after the initial delay, counted in whole seconds",
	Source:      "pkg/kubelet/prober/worker.go doProbe",
	Implemented: firstProbe,
	Promise:     "Probes begin initialDelaySeconds after the container has started.", DocumentedAt: configureProbesPage,
})

func firstProbe(in Input) Window {
	return span(in.delayTerm(),
		in.Probe.phase(),
		in.Probe.way())
}

// LastProbeToKill is the time from the last needed failing probe's arrival to SIGTERM.
var LastProbeToKill = Formula{
	ID:          "probes/last-probe-to-kill",
	Description: "the kill follows the last needed result at once; without an answer that comes after timeoutSeconds",
	Source:      "pkg/kubelet/kubelet.go syncLoopIteration; pkg/kubelet/prober/prober.go runProbe",
	Implemented: func(in Input) Window {
		w := span(exactly("the probe itself", in.Probe.Takes),
			between("probe on its way", -min(in.Probe.Takes, in.Probe.arrival()), 0),
			synced)
		return w.unless(in.answersLate(), unseenLast, int64(in.unseen()))
	},
}

// KillSpacing is the time between the SIGTERMs of two lives that the same probe kills.
var KillSpacing = Formula{
	ID:          "probes/kill-spacing",
	Description: "the probe's ticker continues during a restart, so kills are failureThreshold periods apart",
	Source: "pkg/kubelet/prober/worker.go run (the ticker is made once per worker); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (kill and restart in one sync)",
	Implemented: func(in Input) Window { return in.anyNeeded(Input.signalSpacing) },
	Documented: promised(func(in Input) Window {
		return in.signalSpacing(in.Probe.FailureThreshold)
	}),
	Promise:      FailingProbes.Promise,
	DocumentedAt: FailingProbes.DocumentedAt,
}

// KillTicks is KillSpacing between the killing probes.
var KillTicks = Formula{
	ID:          "probes/kill-ticks",
	Description: "the killing probes are failureThreshold ticks apart",
	Source:      KillSpacing.Source,
	Implemented: func(in Input) Window { return in.anyNeeded(Input.killTicks) },
	Documented: promised(func(in Input) Window {
		return in.killTicks(in.Probe.FailureThreshold)
	}),
	Promise:      FailingProbes.Promise,
	DocumentedAt: FailingProbes.DocumentedAt,
}

func (in Input) killTicks(failures int) Window {
	w := killSpacing(
		in, failures, in.Probe.ways(), jitter,
	)
	return w.unless(in.answersLate(), unseenLast, int64(in.unseen())).
		unless(in.answersLate(), unseenLast, -int64(in.unseen()))
}

func (in Input) signalSpacing(failures int) Window {
	return killSpacing(
		in, failures, between("sync of the first kill", -syncLatency, 0), upTo("sync of the second", syncLatency),
	)
}

// killSpacing counts the ticks between two kills: those of the restart, and one for each further failing probe.
func killSpacing(in Input, failures int, slack ...Term) Window {
	ticks := in.restartTicks()
	w := span(append([]Term{
		between("ticks until the restarted container's first probe", ticks.Low, ticks.High),
		exactly("further failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
	}, slack...)...)
	return in.withDelayedTick(w)
}

// withDelayedTick allows for a probe that came later than its tick, up to the next one, as the ticker keeps one tick.
func (in Input) withDelayedTick(w Window) Window {
	return w.unless(in.Delay > 0, "a delayed tick", -int64(min(in.Delay, in.Probe.cadence())))
}

// restartTicks returns the time from the killing probe to the tick of this life's first probe: whole periods, if the
// killing probe came at a tick. After a probe that outlasts the period, the next one begins at once, up to a period
// after its tick: the ticker keeps one tick.
func (in Input) restartTicks() Range {
	period, delay := in.Probe.period(), in.delayTerm()
	if in.Probe.Takes >= period && in.Probe.FailureThreshold > 1 {
		low := in.Restart + time.Duration(delay.Earliest) - in.lateRestart()
		high := in.Restart + in.Probe.arrival() + time.Duration(delay.Latest) + in.lateRestart()
		return Range{Low: max(0, low), High: max(0, high) + period}
	}
	whole := func(d time.Duration) time.Duration { return max(1, (d+period-1)/period) * period }
	late := in.lateRestart()
	return Range{
		Low:  whole(in.Restart + time.Duration(delay.Earliest) - late),
		High: whole(in.Restart + in.Probe.arrival() + time.Duration(delay.Latest) + late),
	}
}

// NoKill is how often a container ends that gives no reason to kill it.
var NoKill = Formula{
	ID:           "probes/no-kill",
	Description:  "failures that a success interrupts before failureThreshold kill no container",
	Source:       "pkg/kubelet/prober/worker.go doProbe (resultRun starts again at another result)",
	Implemented:  neverEnded,
	Documented:   promised(always(count("ends", 0))),
	Promise:      FailingProbes.Promise,
	DocumentedAt: FailingProbes.DocumentedAt,
}

// answersLate reports whether delay can make a probe time out whatever its answer.
func (in Input) answersLate() bool {
	timeout := seconds(int64(in.Probe.TimeoutSeconds))
	return timeout > 0 && in.AnswerDelay > 0 && in.AnswerDelay+in.Probe.arrival() >= timeout
}

// unseenLast is what killing probes that reached the container too late, or not at all, change.
const unseenLast = "killing probes that did not reach the container in time"

func (in Input) unseen() time.Duration {
	return time.Duration(in.Probe.FailureThreshold) * in.Probe.cadence()
}

// lateRestart returns by how much Restart may be wrong.
func (in Input) lateRestart() time.Duration {
	if in.answersLate() {
		return in.Delay + in.unseen()
	}
	return in.Delay
}

// neverEnded predicts that nothing ends a life, except answers that a busy node delays beyond their timeout.
func neverEnded(in Input) Window {
	most := int64(in.Watched / max(in.Probe.period(), time.Second))
	return count("ends", 0).unless(in.answersLate(), "answers delayed until their probes timed out", most)
}

// HeldBack is how many probes of another kind come before the startup probe's success.
var HeldBack = documented(Formula{
	ID:          "probes/held-back-by-startup",
	Description: "no liveness or readiness probe comes before the startup probe has succeeded",
	Source:      "pkg/kubelet/prober/worker.go doProbe",
	Implemented: always(count("liveness probes", 0)),
	Promise:     "Other probes are off until the startup probe succeeds.", DocumentedAt: probesPage,
})

// Cadence is how many probes a life sees in Input.Watched.
var Cadence = Formula{
	ID:          "probes/cadence",
	Description: "probes come once a period, whatever the answer",
	Source:      "pkg/kubelet/prober/worker.go run",
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
			Earliest: ticks(in.Watched - latestFirst - tickJitter - in.Delay),
			Latest:   ticks(in.Watched - earliestFirst + tickJitter + in.Delay),
		})
	},
}

// Mistakes of the probe formulas.
var (
	// ResultRunOne begins the count at one after a kill.
	ResultRunOne = distorted(
		"resultRun is reset to 1 instead of 0 after a kill: later lives get one failing probe less",
		"kubernetes PR 62853", resultRunOne.distort)
	// DelayIgnored probes from the start on.
	DelayIgnored = distorted("initialDelaySeconds is ignored", "worker.go doProbe", func(in Input) Input {
		in.Probe.InitialDelaySeconds = 0
		return in
	})
	// NeverReset is the code before PR 46371.
	NeverReset = distorted("resultRun is never reset: later lives are killed by their first failing probe",
		"kubernetes#53530", resultRunKept.distort)
)

// RestartEdges returns the times in a range of Restart that bound every window that depends on it: its ends, and both
// sides of the first whole periods in it, where counts of ticks jump.
func (in Input) RestartEdges(r Range) []time.Duration {
	edges, period := []time.Duration{r.Low, r.High}, in.Probe.period()
	if period <= 0 {
		return edges
	}
	delay := in.delayTerm()
	first, last := time.Duration(delay.Earliest), in.Probe.arrival()+time.Duration(delay.Latest)
	for _, offset := range []time.Duration{first, last} {
		whole := max(1, ceilDiv(r.Low+offset, period))*period - offset
		for _, edge := range []time.Duration{whole, whole + 1} {
			if r.Low < edge && edge < r.High {
				edges = append(edges, edge)
			}
		}
	}
	return edges
}

package formula

import "time"

const podStatusPage = "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodStatus"

const readinessPromise = "failureThreshold failures in a row make a ready container unready, successThreshold " +
	"successes in a row make it ready again."

// ReadyAfter is how many successful readiness probes in a row a life saw when its pod became Ready.
var ReadyAfter = Formula{
	ID: "probes/ready-after-successes",
	Description: "a container is ready after successThreshold successes in a row; those of earlier lives count on, unless a " +
		"probe met the dead container",
	Source: "pkg/kubelet/prober/worker.go doProbe (resultRun is not reset when the container changed); " +
		"prober_manager.go UpdatePodStatus (manual trigger)",
	Implemented: func(in Input) Window {
		w := in.shownAfter(in.Probe.SuccessThreshold - in.CarriedSuccesses)
		return w.unless(in.MetDead > 0, "a probe that met the dead container", int64(in.CarriedSuccesses))
	},
	Documented: ofOneLife(func(in Input) Window {
		return inARow(in.Probe.SuccessThreshold)
	}),
	Promise:      readinessPromise,
	DocumentedAt: configureProbesPage,
	Issues:       issues(NoIssueKnown),
}

// StreakSurvives is how many probes of one result a life sees before they count, if its predecessor crashed.
var StreakSurvives = Formula{
	ID:          "probes/streak-survives-crash",
	Description: "results in a row of a life that crashed count on in the next life",
	Source: "pkg/kubelet/prober/worker.go doProbe (resultRun is reset when the worker goes on hold, not when the " +
		"container changed); prober_manager.go UpdatePodStatus (manual trigger)",
	Implemented: func(in Input) Window {
		if in.Probe.Kind == "readiness" {
			return ReadyAfter.Implemented(in)
		}
		return FailingProbes.Implemented(in)
	},
	Documented: promised(func(in Input) Window {
		if in.CarriedFailures = 0; in.Probe.Kind == "readiness" {
			return inARow(in.Probe.SuccessThreshold)
		}
		return FailingProbes.Implemented(in)
	}),
	Promise: "failureThreshold failures in a row restart a container, successThreshold successes in a row make it " +
		"ready.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("kubernetes#53530"),
}

// UnreadyAfter is how many failing readiness probes in a row a life saw when its pod became unready.
var UnreadyAfter = Formula{
	ID:          "probes/unready-after-failures",
	Description: "a ready container is no longer ready after failureThreshold failures in a row",
	Source:      "pkg/kubelet/prober/worker.go doProbe; prober_manager.go UpdatePodStatus (manual trigger)",
	Implemented: func(in Input) Window { return in.shownAfter(in.Probe.FailureThreshold) },
	Documented: promised(func(in Input) Window {
		return inARow(in.Probe.FailureThreshold)
	}),
	Promise:      readinessPromise,
	DocumentedAt: configureProbesPage,
}

// inARow returns a number of probes, and perhaps one that the kubelet does out of turn before the API shows the result.
func inARow(n int) Window {
	needed := int64(max(1, n))
	return window(Count,
		Term{Name: "probes in a row", Earliest: needed, Latest: needed},
		Term{Name: "a probe out of turn, triggered by a sync of the unready pod", Latest: 1})
}

// shownAfter is inARow, and the probes that come before the result is shown, or are not seen, under delay.
func (in Input) shownAfter(n int) Window {
	w := inARow(n)
	if in.Delay > 0 {
		further := in.ticksIn(in.Delay) + 1
		w = w.With(Term{Name: "probes that delay moved", Earliest: -min(w.Earliest, further), Latest: further})
	}
	return w
}

// UnreadyLag is the time from the first failing readiness probe to the change in the API.
var UnreadyLag = documented(Formula{
	ID:          "probes/fault-to-unready",
	Description: "a ready container is no longer ready failureThreshold - 1 periods after the first failing probe",
	Source: "pkg/kubelet/prober/worker.go run, doProbe; pkg/kubelet/kubelet.go syncLoopIteration; " +
		"pkg/kubelet/status/status_manager.go SetContainerReadiness",
	Implemented:  unreadyLag,
	Promise:      readinessPromise,
	DocumentedAt: configureProbesPage,
})

func unreadyLag(in Input) Window {
	failures := in.Probe.FailureThreshold
	return span(in.Probe.apart(failures),
		exactly("the last probe itself", in.Probe.Takes),
		jitter,
		shown)
}

// ReadyLag is the time from the first success after a fault to the condition Ready.
var ReadyLag = documented(Formula{
	ID: "probes/recovery-to-ready",
	Description: "an unready container is ready at most successThreshold - 1 periods after the first success: syncs probe " +
		"out of turn",
	Source:       "pkg/kubelet/prober/prober_manager.go UpdatePodStatus (manual trigger); worker.go run",
	Implemented:  readyLag,
	Promise:      readinessPromise + " An unready container may be probed more often than once a period.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("kubernetes#118815"),
})

func readyLag(in Input) Window {
	further := time.Duration(in.Probe.SuccessThreshold-1) * in.Probe.period()
	return span(between("further successes, a period apart or sooner", 0, further+tickJitter),
		shown)
}

// LastSuccessReady is the time from the success that reaches successThreshold to the condition Ready.
var LastSuccessReady = documented(Formula{
	ID:           "probes/last-success-to-ready",
	Description:  "the success that reaches successThreshold makes its container ready at once",
	Source:       UnreadyLag.Source,
	Implemented:  always(span(shown)),
	Promise:      readinessPromise,
	DocumentedAt: configureProbesPage,
})

// FirstReady is the time from a start to the first condition Ready.
var FirstReady = Formula{
	ID:          "probes/start-to-ready",
	Description: "a container whose readiness probe always succeeds is ready within successThreshold periods",
	Source:      "pkg/kubelet/prober/worker.go doProbe (readiness begins as Failure)",
	Implemented: func(in Input) Window {
		further := time.Duration(in.Probe.SuccessThreshold-1) * in.Probe.period()
		return firstProbe(in).
			With(upTo("further successes, a period apart or sooner", further)).
			With(shown)
	},
}

// OutOfTurn is the time from the end of another container of an unready pod to the readiness probe that the pod's sync
// causes.
var OutOfTurn = Formula{
	ID:          "probes/out-of-turn",
	Description: "a sync of an unready pod probes its readiness at once, long before the next tick",
	Source:      "pkg/kubelet/prober/prober_manager.go UpdatePodStatus (manual trigger)",
	Implemented: always(span(relist, synced)),
}

// SyncOfStart returns the time from a container's first mark to what the syncs after its start cause: that of the
// start, and that of "not ready", the result of a readiness probe's first look at its container (prober/worker.go
// doProbe, initialValue; kubelet.go syncLoopIteration, readinessManager.Updates). Up to 1.35 each waits for another
// relist.
func SyncOfStart(k Kubelet) Window {
	sync := span(between("its start before that mark", -processStart, 0), relist, synced)
	if !k.Has(RelistsOnDemand) {
		sync = sync.With(relist).With(relist)
	}
	return sync
}

// AfterOutOfTurn is the time from a readiness probe out of turn to the next probe of a pod that is ready then.
var AfterOutOfTurn = Formula{
	ID:          "probes/after-out-of-turn",
	Description: "a period after a readiness probe out of turn comes the next one; up to 1.31 it came at the old tick",
	Source:      "pkg/kubelet/prober/worker.go run (manual trigger)",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(OutOfTurnCounts) {
			return span(upTo("until the old tick", in.Probe.period()), jitter)
		}
		return span(exactly("period", in.Probe.period()), jitter)
	},
}

// UnreadyWithRestart is the time from the start of a life that follows a probe's kill to the end of its pod's condition
// Ready.
var UnreadyWithRestart = Formula{
	ID: "probes/unready-with-restart",
	Description: "a ready container that is killed and restarted within one sync is shown as not ready by the sync " +
		"after that",
	Source: "pkg/kubelet/prober/prober_manager.go UpdatePodStatus (readinessManager has no result of the new " +
		"container); pkg/kubelet/kubelet.go SyncPod (generateAPIPodStatus before the restart)",
	Implemented: func(in Input) Window { return SyncOfStart(in.Kubelet).With(shown) },
	Issues:      issues("kubernetes#136047"),
}

// UnreadyAtStartupTick is UnreadyWithRestart of a container that has a startup probe and no readiness probe.
var UnreadyAtStartupTick = Formula{
	ID: "probes/unready-at-startup-tick",
	Description: "a container without a readiness probe that inherits the started flag of the killed one is ready " +
		"until the next tick of its startup probe; before 1.35 and since 1.38 until the next sync",
	Source: "pkg/kubelet/prober/prober_manager.go isContainerStarted, UpdatePodStatus; worker.go doProbe " +
		"(initialValue); pkg/kubelet/kubelet.go syncLoopIteration (startupManager.Updates); " +
		"pkg/kubelet/status/status_manager.go SetContainerStartup (leaves ready as it was)",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(StartedInherited) || in.Startup.Handler == "" {
			return UnreadyWithRestart.Implemented(in)
		}
		first, last := in.startupTicks()
		if in.Delay > 0 { // it can decide which tick is the first to see the new container
			first, last = -tickJitter, in.Startup.period()+seesNewContainer+2*tickJitter+in.Delay
		}
		return span(between("until the startup probe's next tick", first, last), jitter, synced, shown)
	},
	Documented:   promised(UnreadyWithRestart.Implemented),
	Promise:      "started is reset to false if the container is restarted. The startup probe decides about it again.",
	DocumentedAt: podStatusPage,
	Issues:       issues("kubernetes#136047, kubernetes#141155"),
}

// UnreadyUntilStarted is 1 if the API shows the condition Ready after a startup probe that failed, else 0.
var UnreadyUntilStarted = documented(Formula{
	ID:           "probes/unready-until-started",
	Description:  "no container is ready while its startup probe fails",
	Source:       "pkg/kubelet/prober/prober_manager.go UpdatePodStatus (started); worker.go doProbe",
	Implemented:  always(count("condition", 0)),
	Promise:      "Other probes are disabled until the startup probe succeeds.",
	DocumentedAt: configureProbesPage,
	Issues:       UnreadyWithRestart.Issues,
})

// ReadinessKillsNobody is how often a readiness probe ends a life.
var ReadinessKillsNobody = documented(Formula{
	ID:          "probes/readiness-kills-nobody",
	Description: "a readiness probe that fails ends no container",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (liveness and startup results " +
		"only)",
	Implemented: always(count("ends", 0)),
	Promise:     "A container that fails its readiness probe continues to run.", DocumentedAt: configureProbesPage,
})

// ReadyKeptOverRestart is how often a pod becomes unready around a restart of its kubelet.
var ReadyKeptOverRestart = Formula{
	ID:          "probes/ready-over-kubelet-restart",
	Description: "a ready container stays ready while its kubelet restarts",
	Source:      "pkg/kubelet/prober/prober_manager.go setReadyStateOnKubeletRestart",
	Implemented: func(in Input) Window {
		most := in.ticksIn(in.Watched) + 1
		return count("times", 0).unless(in.answersLate(), "answers after their probes' timeout", most)
	},
}

// UnreadyReplacement is how many readiness probes of a container failed before its pod became unready. The container
// replaced a ready one while its kubelet could not reach the API server, and the kubelet restarted before it could.
var UnreadyReplacement = Formula{
	ID: "probes/unready-replacement",
	Description: "a container that replaced a ready one unreported is unready with the first sync of the restarted " +
		"kubelet; from 1.35 to 1.37 it is ready until its own probe has failed failureThreshold times",
	Source: "pkg/kubelet/prober/prober_manager.go setReadyStateOnKubeletRestart; worker.go doProbe (isRestart)",
	Implemented: func(in Input) Window {
		if in.Kubelet.Has(ReadyKept) && !in.Kubelet.Has(ReplacedUnready) {
			return in.shownAfter(in.Probe.FailureThreshold)
		}
		return window(Count,
			Term{Name: "a probe before the first result of its worker is shown", Latest: 1 + in.ticksIn(in.Delay)})
	},
	Documented: promised(always(window(Count,
		Term{Name: "a probe before the first result of its worker is shown", Latest: 1}))),
	Promise:      "ready says whether the container passes its readiness check now.",
	DocumentedAt: podStatusPage,
	Issues:       issues("kubernetes#141473"),
}

// ServerReturns is the time from when a kubelet's API server goes away until the API shows what the kubelet knows. The
// kubelet restarted meanwhile, and tried to list its pods for the last part of that time.
func ServerReturns(away, tried time.Duration) Formula {
	return Formula{
		ID: "probes/server-returns",
		Description: "a restarted kubelet syncs the pods that it has listed; while the API server is away, it tries " +
			"to list them after waits that double from 0.8 s, or twice as much",
		Source: "pkg/kubelet/config/apiserver.go NewSourceApiserver; client-go tools/cache/reflector.go " +
			"NewReflector, ListAndWatch",
		Implemented: always(span(
			exactly("the API server is away", away),
			upTo("the next try: the last wait was no longer than all before it", 2*tried+2*firstListWait),
			upTo("poll for the node (WaitForAPIServerSyncPeriod)", time.Second),
			synced, shown,
		)),
	}
}

// firstListWait is the shortest wait of a reflector that fails (client-go tools/cache/reflector.go backoffManager).
const firstListWait = 800 * time.Millisecond

// StaysUnready is 1 if a pod is ready while its readiness probe fails, else 0.
var StaysUnready = Formula{
	ID:          "probes/stays-unready",
	Description: "a pod whose readiness probe fails after its kubelet's restart is unready, and stays so",
	Source:      "pkg/kubelet/prober/prober_manager.go UpdatePodStatus, setReadyStateOnKubeletRestart",
	Implemented: always(count("condition", 0)),
}

// GateOpens is the time from a write of a readiness gate's condition to the change of the condition Ready.
var GateOpens = documented(Formula{
	ID: "probes/readiness-gate",
	Description: "a pod whose containers are ready is Ready while the conditions of all its readiness gates are " +
		"True; the kubelet looks at once",
	Source: "pkg/kubelet/status/generate.go GeneratePodReadyCondition; pkg/kubelet/status/status_manager.go " +
		"NeedToReconcilePodReadiness; pkg/kubelet/kubelet.go HandlePodReconcile",
	Implemented:  always(span(watched, notRelisted, synced, shown)),
	Promise:      "A pod is ready when all its containers are, and all conditions in readinessGates are True.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-condition/#readiness-gates",
})

// InTurn probes readiness at ticks only.
var InTurn = mistake("readiness is probed at its ticks only", "prober_manager.go UpdatePodStatus (manual trigger)",
	func(in Input) Window {
		return span(between("until the next tick", in.Probe.period()/4, in.Probe.period()))
	})

// ForgetsSuccesses ignores the successes of earlier lives, as documented.
var ForgetsSuccesses = mistake("the successes of the life before do not count", "worker.go doProbe, resultRun",
	func(in Input) Window { return inARow(in.Probe.SuccessThreshold) })

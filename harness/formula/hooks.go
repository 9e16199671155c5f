package formula

import "time"

const hooksPage = "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/"

// HookFailureEvent is the time from the end of a preStop hook that fails to the event FailedPreStopHook.
var HookFailureEvent = Formula{
	ID:           "termination/hook-failure-event",
	Says:         "a preStop hook that fails causes the event FailedPreStopHook",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
	Implemented:  always(span(upTo("runtime", runtimeLatency), upTo("event", eventWay))),
	Documented:   promised(always(span(upTo("runtime", runtimeLatency), upTo("event", eventWay)))),
	Promise:      "A hook that fails causes an event, FailedPreStopHook for a preStop hook.",
	DocumentedAt: hooksPage + "#debugging-hook-handlers",
}

// HookTimeoutSilent is how many events FailedPreStopHook exist when SIGTERM reaches a container whose hook timed out.
var HookTimeoutSilent = Formula{
	ID:          "termination/hook-timeout-silent",
	Says:        "a preStop hook that times out at the end of the grace period causes no event",
	Source:      HookFailureEvent.Source,
	Implemented: always(count("events", 0)),
	Issues:      issues("kubernetes#31902"),
}

// HookDeathEvent is the time from a container's death to the event of the hook that died with it.
var HookDeathEvent = Formula{
	ID: "termination/hook-death-event",
	Says: "a preStop hook that timed out and dies with its container is reported as failed when the container " +
		"is dead",
	Source:      HookFailureEvent.Source,
	Implemented: always(span(upTo("runtime", runtimeLatency), upTo("event", eventWay))),
	Issues:      HookTimeoutSilent.Issues,
}

// PostStartEvent is the time from the end of a postStart hook that fails to the event FailedPostStartHook.
var PostStartEvent = Formula{
	ID:           "termination/post-start-event",
	Says:         "a postStart hook that fails causes the event FailedPostStartHook",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented:  HookFailureEvent.Implemented,
	Documented:   HookFailureEvent.Documented,
	Promise:      "A hook that fails causes an event, FailedPostStartHook for a postStart hook.",
	DocumentedAt: HookFailureEvent.DocumentedAt,
}

// SleepOutlives is the time from a delete request to the end of the pod's object if its only process ends by itself
// during the kubelet's own sleep action.
var SleepOutlives = Formula{
	ID:     "termination/sleep-outlives-process",
	Says:   "the sleep action continues to its end though the process of its container has ended",
	Source: "pkg/kubelet/lifecycle/handlers.go runSleepHandler (its context is not the container's)",
	Implemented: func(in Input) Window {
		p := in.hookPart()
		w := span(append(deleteToKill(), between("sleep action", p.Low, p.High))...)
		for _, t := range ObjectDeleted.Implemented(in).Terms {
			w = w.With(t)
		}
		return w
	},
	Documented: func(in Input) *Window {
		if in.life(in.Life).Gone == 0 || len(in.Deletes) == 0 {
			return nil
		}
		return new(sleptUntilEnd(in))
	},
	Promise: "A sleep action is interrupted if the container ends before it. The pod is deleted without the " +
		"rest of the wait.",
	DocumentedAt: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/" +
		"3960-pod-lifecycle-sleep-action#implementation",
	Issues: issues("kubernetes#134338"),
}

// sleptUntilEnd is SleepOutlives if the sleep ended with the process.
func sleptUntilEnd(in Input) Window {
	own := time.Duration(0)
	if life := in.life(in.Life); life.Gone > 0 && len(in.Deletes) > 0 {
		own = life.Gone - in.Deletes[0].At
	}
	return span(exactly("the process' own end", max(0, own)), upTo("teardown and status", objectDelete))
}

// NoSignal is how many stop signals reach a process that ended before its signal was due.
var NoSignal = Formula{
	ID:          "termination/no-signal",
	Says:        "a process that ended by itself during its hook gets no stop signal",
	Source:      "containerd internal/cri/server/container_stop.go",
	Of:          Runtime,
	Implemented: always(count("signals", 0)),
}

// signalUSR1 is the number of SIGUSR1 on Linux: victim.StopSignal.
const signalUSR1 = 10

// ImageStopSignal is the number of the stop signal of an image whose STOPSIGNAL is SIGUSR1.
var ImageStopSignal = Formula{
	ID:           "termination/image-stop-signal",
	Says:         "the stop signal is the one that the image names",
	Source:       "containerd internal/cri/server/container_stop.go (image config StopSignal)",
	Of:           Runtime,
	Implemented:  always(window(Signal, Term{Name: "SIGUSR1", Earliest: signalUSR1, Latest: signalUSR1})),
	Documented:   promised(always(window(Signal, Term{Name: "SIGUSR1", Earliest: signalUSR1, Latest: signalUSR1}))),
	Promise:      "The runtime sends the STOPSIGNAL that the container image defines, instead of TERM.",
	DocumentedAt: terminationPage,
}

// SleepEndsWithProcess is a sleep action that watches its process.
var SleepEndsWithProcess = Rival{
	Name: "the sleep action ends with the process", Reference: "kubernetes#134338",
	Would: sleptUntilEnd,
}

// Rivals of the rule that the hook's complete seconds are subtracted.
var (
	// HookSubtractedExactly subtracts the hook's time with its fraction of a second.
	HookSubtractedExactly = Rival{
		Name:         "the hook's time is subtracted with its fraction of a second",
		Reference:    "kuberuntime_container.go executePreStopHook",
		WholeSeconds: true,
		Would: func(in Input) Window {
			return in.hookLeaves(func(p time.Duration) time.Duration { return p })
		},
	}
	// HookRoundedUp subtracts every second that the hook began.
	HookRoundedUp = Rival{
		Name:      "the hook's last, incomplete second is subtracted as a whole one",
		Reference: "kuberuntime_container.go executePreStopHook",
		Would: func(in Input) Window {
			return in.hookLeaves(func(p time.Duration) time.Duration { return ceilDiv(p, time.Second) * time.Second })
		},
	}
)

// Rivals of the rules that a hook runs and that a sleep action sleeps.
var (
	// HookNotRun runs no hook, as kubelets without HookSubtractedLast did after a force delete.
	HookNotRun = Rival{
		Name:      "the preStop hook is not run at all",
		Reference: "kuberuntime_container.go killContainer (gracePeriod > 0); of a force delete, kubelets before 1.28",
		Would:     always(count("runs", 0)),
	}
	// SleepNotSlept takes no time for the kubelet's own sleep action, as kubelets do with their gate off.
	SleepNotSlept = Rival{
		Name: "the sleep action takes no time", Reference: "KEP-3960 (PodLifecycleSleepAction off)",
		Would: always(span(deleteToKill()...)),
	}
)

// hookLeaves returns the time from the stop signal to the death if so much of the hook's time is subtracted.
func (in Input) hookLeaves(subtracted func(time.Duration) time.Duration) Window {
	p := in.hookPart()
	left := func(p time.Duration) time.Duration {
		return max(minimumGracePeriodInSeconds*time.Second, seconds(in.grace())-subtracted(p))
	}
	return span(append(signalToKill(), between("grace that the hook left, at least 2 s", left(p.High), left(p.Low)))...)
}

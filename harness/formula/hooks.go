package formula

import "time"

const hooksPage = "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/"

// HookFailureEvent is the time from the end of a preStop hook that fails to the event FailedPreStopHook.
var HookFailureEvent = Formula{
	ID:     "termination/hook-failure-event",
	Says:   "a preStop hook that fails is told by the event FailedPreStopHook",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
	Implemented: func(Input) Window {
		return window(Nanoseconds, upTo("runtime", runtimeLatency), upTo("event", eventWay))
	},
	Documented: promised(func(Input) Window {
		return window(Nanoseconds, upTo("runtime", runtimeLatency), upTo("event", eventWay))
	}),
	Promise:      "A hook that fails broadcasts an event, FailedPreStopHook for a preStop hook.",
	DocumentedAt: hooksPage + "#debugging-hook-handlers",
}

// HookTimeoutSilent is how many events FailedPreStopHook there are when SIGTERM has come to a container
// whose hook was given up.
var HookTimeoutSilent = Formula{
	ID:          "termination/hook-timeout-silent",
	Says:        "a preStop hook that is given up at the end of the grace period is told by no event",
	Source:      HookFailureEvent.Source,
	Implemented: func(Input) Window { return count("events", 0) },
	Issues:      issues("kubernetes#31902"),
}

// HookDeathEvent is the time from a container's death to the event of the hook that died with it.
var HookDeathEvent = Formula{
	ID:     "termination/hook-death-event",
	Says:   "a preStop hook that was given up, and dies with its container, is told as failed when the container is dead",
	Source: HookFailureEvent.Source,
	Implemented: func(Input) Window {
		return window(Nanoseconds, upTo("runtime", runtimeLatency), upTo("event", eventWay))
	},
	Issues: HookTimeoutSilent.Issues,
}

// PostStartEvent is the time from the end of a postStart hook that fails to the event FailedPostStartHook.
var PostStartEvent = Formula{
	ID:           "termination/post-start-event",
	Says:         "a postStart hook that fails is told by the event FailedPostStartHook",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented:  HookFailureEvent.Implemented,
	Documented:   HookFailureEvent.Documented,
	Promise:      "A hook that fails broadcasts an event, FailedPostStartHook for a postStart hook.",
	DocumentedAt: HookFailureEvent.DocumentedAt,
}

// SleepOutlives is the time from a delete request to the disappearance of the pod's object, where its one
// process ends by itself while the kubelet's own sleep action runs.
var SleepOutlives = Formula{
	ID:     "termination/sleep-outlives-process",
	Says:   "the sleep action is slept to its end though the process that it waits for has ended",
	Source: "pkg/kubelet/lifecycle/handlers.go runSleepHandler (its context is not the container's)",
	Implemented: func(in Input) Window {
		p := in.hookPart()
		w := window(Nanoseconds, append(deleteToKill(), between("sleep action", p.Low, p.High))...)
		for _, t := range ObjectDeleted.Implemented(in).Terms {
			w = w.With(t)
		}
		return w
	},
	Documented: func(in Input) *Window {
		if in.life(in.Life).Gone == 0 || len(in.Deletes) == 0 {
			return nil
		}
		w := sleptUntilEnd(in)
		return &w
	},
	Promise:      "A sleep action is interrupted where the container ends before it; its pod is deleted without waiting for the rest.",
	DocumentedAt: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/3960-pod-lifecycle-sleep-action#implementation",
	Issues:       issues("kubernetes#134338"),
}

// sleptUntilEnd is SleepOutlives if the sleep ended with the process.
func sleptUntilEnd(in Input) Window {
	own := time.Duration(0)
	if life := in.life(in.Life); life.Gone > 0 && len(in.Deletes) > 0 {
		own = life.Gone - in.Deletes[0].At
	}
	return window(Nanoseconds, exactly("the process' own end", max(0, own)), upTo("teardown and status", objectDelete))
}

// NoSignal is how many stop signals reach a process that had ended before its time came.
var NoSignal = Formula{
	ID:          "termination/no-signal",
	Says:        "a process that ended by itself during its hook gets no stop signal",
	Source:      "containerd internal/cri/server/container_stop.go",
	Of:          Runtime,
	Implemented: func(Input) Window { return count("signals", 0) },
}

// signalUSR1 is SIGUSR1 as Linux numbers it: victim.StopSignal.
const signalUSR1 = 10

// ImageStopSignal is the number of the stop signal of an image whose STOPSIGNAL is SIGUSR1.
var ImageStopSignal = Formula{
	ID:     "termination/image-stop-signal",
	Says:   "the stop signal is the one that the image names",
	Source: "containerd internal/cri/server/container_stop.go (image config StopSignal)",
	Of:     Runtime,
	Implemented: func(Input) Window {
		return window(Signal, Term{Name: "SIGUSR1", Earliest: signalUSR1, Latest: signalUSR1})
	},
	Documented: promised(func(Input) Window {
		return window(Signal, Term{Name: "SIGUSR1", Earliest: signalUSR1, Latest: signalUSR1})
	}),
	Promise:      "The runtime sends the STOPSIGNAL that the container image defines, instead of TERM.",
	DocumentedAt: terminationPage,
}

// SleepEndsWithProcess is what a sleep action that watched its process would do.
var SleepEndsWithProcess = Rival{
	Name: "the sleep action ends with the process", Reference: "kubernetes#134338",
	Would: sleptUntilEnd,
}

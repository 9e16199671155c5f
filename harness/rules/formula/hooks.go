package formula

import "time"

const hooksPage = "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/"

// HookFailureEvent is the time from a preStop hook's failure to its event.
var HookFailureEvent = documented(Formula{
	ID:           "termination/hook-failure-event",
	Description:  "a preStop hook that fails causes the event FailedPreStopHook",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
	Implemented:  always(span(atRuntime, upTo("event", eventWay))),
	Promise:      "A preStop hook that fails causes the event FailedPreStopHook.",
	DocumentedAt: hooksPage + "#debugging-hook-handlers",
})

// HookTimeoutSilent is how many events FailedPreStopHook exist at SIGTERM after a hook's timeout.
var HookTimeoutSilent = Formula{
	ID:          "termination/hook-timeout-silent",
	Description: "a preStop hook that times out at the end of the grace period causes no event",
	Source:      HookFailureEvent.Source,
	Implemented: func(in Input) Window {
		late := in.Delay >= minimumGracePeriodInSeconds*time.Second
		return count("events", 0).unless(late, "that of the death, before the signal's mark", 1)
	},
	Issues: issues("kubernetes#31902"),
}

// HookDeathEvent is the time from a death to the event of the hook that died with it.
var HookDeathEvent = Formula{
	ID:          "termination/hook-death-event",
	Description: "a preStop hook that timed out is reported as failed when its container is dead",
	Source:      HookFailureEvent.Source,
	Implemented: always(span(atRuntime, upTo("event", eventWay))),
	Issues:      HookTimeoutSilent.Issues,
}

// FallbackSilent is how many events LifecycleHTTPFallback exist after plain HTTP answered an HTTPS hook.
var FallbackSilent = Formula{
	ID: "termination/fallback-silent",
	Description: "an HTTPS hook that falls back to HTTP causes no event: it would be about the pod, and the recorder of " +
		"containers' events drops those",
	Source: "pkg/kubelet/lifecycle/handlers.go runHTTPHandler; " +
		"pkg/kubelet/container/helpers.go FilterEventRecorder, shouldRecordEvent",
	Implemented: always(count("events", 0)),
}

// HostNetworkHook is how often an HTTP hook without a host runs in a pod with its node's network.
var HostNetworkHook = Formula{
	ID: "termination/host-network-hook",
	Description: "an HTTP hook without a host never runs in a pod with its node's network: the runtime names no " +
		"address",
	Source: "pkg/kubelet/lifecycle/handlers.go runHTTPHandler; pkg/kubelet/kuberuntime/kuberuntime_sandbox.go " +
		"determinePodSandboxIPs",
	Implemented:  always(count("runs", 0)),
	Documented:   promised(always(count("runs", 1))),
	Promise:      "The host of an HTTP hook defaults to the pod's address.",
	DocumentedAt: "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#LifecycleHandler",
	Issues:       issues(NoIssueKnown),
}

// PostStartEvent is the time from a postStart hook's failure to its event.
var PostStartEvent = Formula{
	ID:           "termination/post-start-event",
	Description:  "a postStart hook that fails causes the event FailedPostStartHook",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented:  HookFailureEvent.Implemented,
	Documented:   HookFailureEvent.Documented,
	Promise:      "A postStart hook that fails causes the event FailedPostStartHook.",
	DocumentedAt: HookFailureEvent.DocumentedAt,
}

// HookStatusIgnored is how often a container ends whose HTTP postStart hook was answered with the status 404.
var HookStatusIgnored = Formula{
	ID:          "termination/hook-status-ignored",
	Description: "an HTTP hook that is answered has succeeded, whatever the status",
	Source:      "pkg/kubelet/lifecycle/handlers.go runHTTPHandler (it reads no status)",
	Implemented: always(count("ends", 0)),
	Issues:      issues(NoIssueKnown),
}

// SleepOutlives is the time from a delete to the object's end if the only process ends during the sleep action.
var SleepOutlives = Formula{
	ID:          "termination/sleep-outlives-process",
	Description: "the sleep action continues to its end after its container's process has ended",
	Source:      "pkg/kubelet/lifecycle/handlers.go runSleepHandler (its context is not the container's)",
	Implemented: func(in Input) Window {
		p := in.hookPart()
		w := fromDelete(between("sleep action", p.Low, p.High))
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
	Promise: "A sleep action is interrupted if its container ends.",
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
	return span(exactly("the process' own end", max(0, own)), tornDown)
}

// NoSignal is how many stop signals reach a process that has ended.
var NoSignal = Formula{
	ID:          "termination/no-signal",
	Description: "a process that ended without the kubelet gets no stop signal",
	Source:      "containerd internal/cri/server/container_stop.go",
	Of:          Runtime,
	Implemented: always(count("signals", 0)),
}

// The numbers of signals on Linux. victim.StopSignal is SIGUSR1.
const (
	signalINT  = 2
	signalUSR1 = 10
	signalTERM = 15
)

func signal(name string, number int64) func(Input) Window {
	return always(window(Signal, Term{Name: name, Earliest: number, Latest: number}))
}

// ImageStopSignal is the number of the stop signal if the image's STOPSIGNAL is SIGUSR1.
var ImageStopSignal = documented(Formula{
	ID:          "termination/image-stop-signal",
	Description: "the stop signal is the one that the image names",
	Source:      "containerd internal/cri/server/container_stop.go (image config StopSignal)",
	Of:          Runtime,
	Implemented: signal("SIGUSR1", signalUSR1),
	Promise:     "The runtime sends the image's STOPSIGNAL instead of TERM.", DocumentedAt: terminationPage,
})

// OwnStopSignal is the number of the stop signal if the container's lifecycle.stopSignal is SIGINT.
var OwnStopSignal = documented(Formula{
	ID:           "termination/own-stop-signal",
	Description:  "the stop signal is the one that the container names, whatever its image names",
	Source:       "pkg/kubelet/kuberuntime/helpers.go getContainerConfigStopSignal",
	Implemented:  signal("SIGINT", signalINT),
	Promise:      "The container's stopSignal overrides the image's STOPSIGNAL.",
	DocumentedAt: "https://kubernetes.io/blog/2025/05/14/kubernetes-v1-33-updates-to-container-lifecycle/",
})

// Mistakes of the rule that a container's own stop signal counts.
var (
	ImageSignals = mistake("the image's stop signal counts",
		"KEP-4960", signal("SIGUSR1", signalUSR1))
	DefaultSignals = mistake("neither the container's nor the image's stop signal counts",
		"KEP-4960", signal("SIGTERM", signalTERM))
)

// SleepEndsWithProcess ends the sleep action with its process.
var SleepEndsWithProcess = mistake("the sleep action ends with the process", "kubernetes#134338", sleptUntilEnd)

// Mistakes of the rule that the hook's complete seconds are subtracted.
var (
	// HookSubtractedExactly subtracts fractions.
	HookSubtractedExactly = Mistake{
		Name:         "the hook's time is subtracted with its fraction of a second",
		Reference:    "kuberuntime_container.go executePreStopHook",
		WholeSeconds: true,
		Distort:      hookExact.distort,
	}
	// HookRoundedUp subtracts every second that the hook began.
	HookRoundedUp = distorted("the hook's last, incomplete second is subtracted as a whole one",
		"kuberuntime_container.go executePreStopHook", hookRoundedUp.distort)
)

// Mistakes of the rules that a hook runs and that a sleep action sleeps.
var (
	// HookNotRun runs no hook, as kubelets before 1.28 after a force delete.
	HookNotRun = distorted("the preStop hook is not run at all",
		"kuberuntime_container.go killContainer (gracePeriod > 0); of a force delete, kubelets before 1.28",
		func(in Input) Input {
			in.Kill.Hook = NoHook
			return in
		})
	// SleepNotSlept takes no time, as kubelets with their gate off.
	SleepNotSlept = distorted("the sleep action takes no time", "KEP-3960 (PodLifecycleSleepAction off)",
		func(in Input) Input {
			in.Kill.HookElapsed = Range{}
			return in
		})
)

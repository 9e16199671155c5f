package formula

import (
	"slices"
	"strings"
	"time"
)

const (
	restartsPage = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts"
	// backOffPeriod is the time after which a pod is synced again after an error (pkg/kubelet/kubelet.go).
	backOffPeriod = 10 * time.Second
	// defaultSyncFrequency is the default of syncFrequency (pkg/kubelet/apis/config/v1beta1/defaults.go).
	defaultSyncFrequency = time.Minute
)

// resyncInterval is the longest time between two syncs of a pod by its worker (pod_workers.go completeWork).
func (k Kubelet) resyncInterval() time.Duration {
	return otherwise(k.SyncFrequency, defaultSyncFrequency)
}

// requeue returns the longest time to the next sync of a pod whose container waits.
func (k Kubelet) requeue(wait time.Duration) time.Duration {
	if k.Has(RequeueAtExpiry) {
		wait = min(wait, k.resyncInterval())
	} else {
		wait = backOffPeriod
	}
	return wait + wait/2 + syncTick // wait.Jitter with workerBackOffPeriodJitterFactor = 0.5
}

// lateness returns how long after the end of a back-off the pod may be synced. A sync for another reason restarts the
// wait; without one, in a pod of one container, the checks count from the first.
func (k Kubelet) lateness(b time.Duration, undisturbed bool) []Term {
	if k.Has(RequeueAtExpiry) {
		jitter := upTo(
			"jitter of the next sync, up to half of what is left or of the sync frequency",
			min(b, k.resyncInterval())/2,
		)
		if undisturbed && b >= backOffPeriod && b < k.resyncInterval() {
			// One wait, which begins at most 2.5 s after the end: wait.Jitter draws from what is left.
			jitter.Usual.Even = jitter.Latest - int64(1250*ms)
		}
		return []Term{jitter, upTo("work queue", syncTick).usually(500*ms, 900*ms)}
	}
	late := k.requeue(b)
	if undisturbed {
		late = min(late, PLEGRelist+polled(b))
	}
	return []Term{upTo("checks ten to fifteen seconds apart, and the work queue", late)}
}

// polled returns how long after the end of a back-off the check comes that ends it, if checks are ten to fifteen
// seconds plus a work queue's tick apart.
func polled(b time.Duration) time.Duration {
	longest := backOffPeriod + backOffPeriod/2 + syncTick
	looks := (b + backOffPeriod - 1) / backOffPeriod
	return min(looks*longest-b, longest)
}

// nextCheck returns the shortest time from the end of a life to the pod's second sync after it, if nothing but the
// back-off causes syncs.
func (k Kubelet) nextCheck(b time.Duration) time.Duration {
	if k.Has(RequeueAtExpiry) {
		return min(b, k.resyncInterval())
	}
	return min(b, backOffPeriod)
}

func seenExit() []Term {
	return []Term{relist, started}
}

func sameSync() []Term {
	return []Term{atRuntime, started}
}

// undisturbed reports whether nothing but the container's own end and back-off leads to a sync of its pod.
func (in Input) undisturbed() bool { return in.Neighbours == 0 && !in.Probed }

// waits returns the window of a restart that waits for a back-off, or for none.
func (in Input) waits(b time.Duration) Window {
	if b == 0 {
		return span(seenExit()...)
	}
	terms := append([]Term{exactly("back-off", b)}, in.Kubelet.lateness(b, in.undisturbed())...)
	return span(append(terms, started)...)
}

// restartsWith returns the window of the restart after a life that ends with back-off b.
func (in Input) restartsWith(life int, b time.Duration) Window {
	if in.killedByProbe(life) {
		return in.restartsAfterProbe(life, b)
	}
	l := in.life(life)
	if b == 0 || l.Started == 0 || l.Gone == 0 {
		return in.waits(b)
	}
	left := backOffExpiration - (l.Gone - l.Started)
	forgotten := Range{Low: left - in.Delay, High: left + in.Delay}
	var windows []Window
	if forgotten.Low < 0 {
		windows = append(windows, in.waits(0))
	}
	if forgotten.High-containerStart >= b {
		windows = append(windows, in.waits(b))
	}
	if forgotten.High >= 0 && forgotten.Low-containerStart < b {
		windows = append(windows, in.forgottenMeanwhile(b, forgotten))
	}
	return EitherOf(windows...)
}

// forgottenMeanwhile returns the window if the back-off is forgotten during its wait, ten minutes after the ended
// life's start. The earlier event ends the wait, but only the next sync sees it.
func (in Input) forgottenMeanwhile(b time.Duration, forgotten Range) Window {
	w := in.waits(b)
	begun := between(
		"ten minutes after the last start the back-off is forgotten",
		max(0, min(b, forgotten.Low-containerStart)),
		forgotten.High+housekeeping,
	)
	sync := upTo("the next sync", in.Kubelet.requeue(b))
	if seen := PLEGRelist + in.Delay; in.undisturbed() && time.Duration(begun.Earliest) > seen {
		// The sync that saw the end still found the back-off.
		sync.Earliest = max(0, int64(in.Kubelet.nextCheck(b)-in.Delay)-begun.Earliest)
	}
	start := started
	if over := begun.Latest + sync.Latest + start.Latest - w.Latest; over > 0 { // the back-off itself has ended by then
		cut := min(over, sync.Latest-sync.Earliest)
		sync.Latest -= cut
		begun.Latest -= over - cut
	}
	return span(begun, sync, start)
}

// restartsAfterProbe returns the window after a probe's kill: the sync that kills also restarts, and reads the instance
// that ended before.
func (in Input) restartsAfterProbe(life int, b time.Duration) Window {
	free := span(sameSync()...)
	none, perhapsNone := in.noneDead(life)
	if b == 0 || none {
		return free
	}
	since := Range{High: backOffExpiration} // since the end of the instance before
	if l, before := in.life(life), in.life(life-1); l.Gone != 0 && before.Gone != 0 {
		apart, by := l.Gone-before.Gone, runtimeLatency+in.Delay
		since = Range{Low: apart - by, High: apart + by}
	}
	switch {
	case since.Low >= b:
		return free
	case since.High < b && !perhapsNone:
		return in.waits(b)
	}
	return EitherOf(free, in.waits(b))
}

// EitherOf returns a window of several outcomes that the measured times cannot distinguish.
func EitherOf(windows ...Window) Window {
	w := windows[0]
	if !slices.ContainsFunc(windows[1:], func(o Window) bool { return !slices.Equal(o.Terms, w.Terms) }) {
		return w
	}
	term := Term{Earliest: w.Earliest, Latest: w.Latest}
	var names []string
	for _, w := range windows {
		term.Earliest, term.Latest = min(term.Earliest, w.Earliest), max(term.Latest, w.Latest)
		if name := w.Explain(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return w
	}
	term.Name = "either (" + strings.Join(names, ") or (") + ")"
	return window(w.Unit, term)
}

// restarts returns the window of the restart that begins Input.Life, over all values of the back-off.
func (in Input) restarts(value func(time.Duration) time.Duration) Window {
	life := max(1, in.Life-1)
	var windows []Window
	for _, b := range in.backOffs(life) {
		windows = append(windows, in.restartsWith(life, value(b)))
	}
	return EitherOf(windows...)
}

func itself(b time.Duration) time.Duration { return b }

// restartDelay returns a formula for the time from the end of one life to the start of the next.
func restartDelay(id, says, discussed string) Formula {
	return Formula{
		ID:          id,
		Description: says,
		Issues:      issues(discussed),
		Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; client-go util/flowcontrol/backoff.go " +
			"IsInBackOffSince, Next, hasExpired; pkg/kubelet/kubelet.go newCrashLoopBackOff; " +
			"pkg/kubelet/pod_workers.go completeWork; pkg/kubelet/kubelet_pods.go HandlePodCleanups",
		Implemented: func(in Input) Window { return in.restarts(itself) },
		Documented: func(in Input) *Window {
			b, said := in.documentedBackOff(max(1, in.Life-1))
			if !said {
				return nil
			}
			return new(in.waits(b))
		},
		Promise: "The first restart is immediate; the next ones wait 10 s, 20 s, 40 s and so on up to 300 s, or what " +
			"the node or the reduced series " +
			"(1 s to 60 s) sets in place of these; ten minutes without a problem set the delay back.",
		DocumentedAt: restartsPage,
	}
}

// The time from the end of one life to the start of the next.
var (
	// RestartDelay is for a container that ends by itself.
	RestartDelay = restartDelay(
		"restarts/delay",
		"a container that ends by itself is restarted after 0, 10, 20, 40 … 300 s, counted from its end, whatever "+
			"its exit code",
		NoIssueKnown,
	)
	// RestartDelayAfterProbe is for a container that a probe kills.
	RestartDelayAfterProbe = restartDelay(
		"restarts/delay-after-probe",
		"the sync that kills a container for its probe also restarts it, unless the instance before it ended less "+
			"than the back-off ago: so some kills cost nothing and the others all of the back-off",
		"kubernetes#22240, kubernetes#99697",
	)
	// RestartDelayForgotten is for a back-off that expires.
	RestartDelayForgotten = restartDelay(
		"restarts/delay-forgotten",
		"a back-off is forgotten ten minutes after the last start, be the container running then or waiting for this "+
			"very back-off",
		NoIssueKnown,
	)
	// RestartDelayReduced is for the reduced series.
	RestartDelayReduced = restartDelay(
		"restarts/delay-reduced",
		"the reduced series begins at one second and grows to the node's maximum, which is filled in as 300 s where "+
			"the kubelet has such a field in use",
		NoIssueKnown,
	)
)

// FreeRestart is the time from a death in one of the first two probe kills to the next start.
var FreeRestart = Formula{
	ID:          "restarts/after-probe-kill",
	Description: "after the first two kills by a probe a container starts again in the same sync",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod, doBackOff (it sees the instance before the " +
		"killed one)",
	Implemented: always(span(sameSync()...)),
}

// FirstCrash is the time from the first exit to the next start.
var FirstCrash = documented(Formula{
	ID:          "restarts/first-crash",
	Description: "the first restart is not backed off: it comes when the PLEG sees the exit",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; pkg/kubelet/kubelet.go " +
		"genericPlegRelistPeriod",
	Implemented: func(in Input) Window {
		if in.Kubelet.Has(RelistsOnStop) && in.Kubelet.Has(RelistsOnDemand) {
			return span(notRelisted, started)
		}
		return span(seenExit()...)
	},
	Promise:      "The first crash leads to an immediate restart. Back-off begins with the next.",
	DocumentedAt: restartsPage,
})

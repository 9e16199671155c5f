package formula

import "time"

// minimumGracePeriodInSeconds is the shortest time between SIGTERM and SIGKILL (kuberuntime_manager.go, same name).
const minimumGracePeriodInSeconds = 2

const (
	lifecyclePage   = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"
	terminationPage = lifecyclePage + "#pod-termination"
)

// immediateEvictionGracePeriodSeconds is the grace period of evictions without one (eviction_manager.go, same name).
const immediateEvictionGracePeriodSeconds = 1

// deletionGracePeriodSeconds returns what the API server stores for a delete (core/pod/strategy.go
// CheckGracefulDelete).
func (k Kill) deletionGracePeriodSeconds() int64 {
	g := k.TerminationGracePeriodSeconds
	if k.GracePeriodSeconds != nil {
		g = *k.GracePeriodSeconds
	}
	switch {
	case k.Ended:
		return 0
	case g < 0:
		return 1
	}
	return g
}

func (k Kill) byProbe() bool { return k.Cause == ByLiveness || k.Cause == ByStartup }

// base returns the grace period that killContainer finds by itself (kuberuntime_container.go
// setTerminationGracePeriod). A probe's failure that kills the whole pod ignores the probe's own
// (kuberuntime_manager.go computePodActions, KillPod; killRunningPodContainers, reasonUnknown).
func (in Input) base() int64 {
	k := in.Kill
	switch {
	case k.Cause == ByDelete:
		return k.deletionGracePeriodSeconds()
	case k.byProbe() && k.ProbeTerminationGracePeriodSeconds != nil && !k.WholePod && in.Kubelet.Has(ProbeGrace):
		return *k.ProbeTerminationGracePeriodSeconds
	}
	return k.TerminationGracePeriodSeconds
}

// override returns the grace period that the pod worker passes to killContainer, if it passes one (pod_workers.go
// UpdatePod, completeSync; eviction_manager.go synchronize). Kubelets without TerminalPhaseLast learn of some ends from
// the phase that comes back from the API server.
func (in Input) override() (int64, bool) {
	k := in.Kill
	switch k.Cause {
	case ByDelete:
		g := k.deletionGracePeriodSeconds()
		return in.effectiveGracePeriod(&g, nil), true
	case ByHardEviction, ByStorageLimit:
		g := int64(immediateEvictionGracePeriodSeconds)
		if !in.Kubelet.Has(ZeroGraceIsOne) {
			g = 0
		}
		return in.effectiveGracePeriod(nil, &g), true
	case BySoftEviction:
		g := in.softEviction()
		return in.effectiveGracePeriod(nil, &g), true
	case ByShutdown:
		g := in.shutdown()
		return in.effectiveGracePeriod(nil, &g), true
	case ByPreemption, ByRemoval:
		return in.effectiveGracePeriod(nil, nil), true
	case ByDeadline, ByCompletion:
		return in.effectiveGracePeriod(nil, nil), !in.Kubelet.Has(TerminalPhaseLast)
	case ByRestartAll:
		return 0, true
	case ByOrphaning: // kubelet.go SyncTerminatingRuntimePod
		return 1, true
	}
	return 0, false
}

// softEviction returns a soft eviction's override (eviction_manager.go synchronize).
func (in Input) softEviction() int64 {
	g := in.Kubelet.EvictionMaxPodGracePeriod
	if in.Kubelet.Has(SoftEvictionMinimum) {
		g = min(g, in.Kill.TerminationGracePeriodSeconds)
	}
	return g
}

// groupSeconds returns the seconds of the pod's group in a node's shutdown, or of one so many groups before it.
func (in Input) groupSeconds(before int) int64 {
	return secondsOf(in.Kubelet.ShutdownGroups, in.Kill.Priority, before)
}

// GroupTime returns how long a shutdown of the node waits for the pod's group, from its turn on.
func (in Input) GroupTime() time.Duration { return seconds(in.groupSeconds(0)) }

// GroupsBefore returns how long a shutdown of the node takes at most until the turn of the pod's group.
func (in Input) GroupsBefore() (sum time.Duration) {
	for before := 1; before < len(in.Kubelet.ShutdownGroups); before++ {
		sum += seconds(in.groupSeconds(before))
	}
	return sum
}

// shutdown returns a shutdown's override (nodeshutdown_manager.go killPods).
func (in Input) shutdown() int64 {
	return min(in.Kill.TerminationGracePeriodSeconds, in.groupSeconds(0))
}

// effectiveGracePeriod is pod_workers.go calculateEffectiveGracePeriod for a pod that was not terminating before. A
// grace period of 0 counts as unset, so a later source replaces it.
func (in Input) effectiveGracePeriod(deletion, override *int64) int64 {
	g, overridden := int64(0), false
	if deletion != nil {
		g, overridden = *deletion, true
	}
	if override != nil && (g == 0 || *override < g) {
		g, overridden = *override, true
	}
	if g == 0 && (!overridden || !in.Kubelet.Has(ZeroGraceIsOne)) {
		g = in.Kill.TerminationGracePeriodSeconds
	}
	return max(1, g)
}

// grace returns the seconds with which killContainer begins, before the hook takes its part.
func (in Input) grace() int64 {
	if g, given := in.override(); given && in.Kubelet.Has(HookSubtractedLast) {
		return g
	}
	return in.base()
}

// remainder returns the time between SIGTERM and SIGKILL after a hook of p, cut to whole seconds. Kubelets without
// HookSubtractedLast ignore hook and minimum if the pod worker passes a grace period.
func (in Input) remainder(p time.Duration) time.Duration {
	if g, given := in.override(); given && !in.Kubelet.Has(HookSubtractedLast) {
		return seconds(g)
	}
	minimum, left := in.minimum(), seconds(in.grace())
	switch in.wrong {
	case fullGraceAgain:
	case hookRoundedUp:
		left -= ceilDiv(p, time.Second) * time.Second
	case hookExact:
		left -= p
	default:
		left -= p.Truncate(time.Second)
	}
	return max(seconds(minimum), left)
}

// minimum returns minimumGracePeriodInSeconds.
func (in Input) minimum() int64 {
	if in.wrong == noMinimum {
		return 0
	}
	return minimumGracePeriodInSeconds
}

func (in Input) remainderTerm() Term {
	p := in.hookPart()
	return between("grace that the hook left, at least 2 s", in.remainder(p.High), in.remainder(p.Low))
}

// requested returns the requested grace period in seconds, which the documentation describes.
func (in Input) requested() int64 {
	k := in.Kill
	switch {
	case k.Cause == ByDelete && k.GracePeriodSeconds != nil:
		return *k.GracePeriodSeconds
	case k.Cause == ByHardEviction:
		return 0
	case k.Cause == ByShutdown:
		return in.shutdown()
	case k.Cause == BySoftEviction && in.Kubelet.EvictionMaxPodGracePeriod >= 0:
		// If negative, "defer to pod specified value" (the flag's help).
		return min(in.Kubelet.EvictionMaxPodGracePeriod, k.TerminationGracePeriodSeconds)
	case k.byProbe() && k.ProbeTerminationGracePeriodSeconds != nil:
		return *k.ProbeTerminationGracePeriodSeconds
	}
	return k.TerminationGracePeriodSeconds
}

// undocumented reports whether the documentation promises no number, for example after a force delete.
func (in Input) undocumented() bool {
	k := in.Kill
	switch {
	case k.Cause == ByStorageLimit, k.Cause == ByRestartAll, k.Cause == ByOrphaning:
		return true
	case in.requested() < 0:
		return true
	}
	return k.Cause == ByDelete && k.GracePeriodSeconds != nil && *k.GracePeriodSeconds == 0
}

// RunsHook reports whether the preStop hook runs. Nothing knows an orphan's hook (runtime.go ToAPIPod).
func (in Input) RunsHook() bool {
	return in.Kill.Hook != NoHook && in.Kill.Cause != ByOrphaning && in.grace() > 0
}

// hookPart returns the part of the grace period that the hook can have taken, at most all of it.
func (in Input) hookPart() Range {
	if !in.RunsHook() {
		return Range{}
	}
	all, took := seconds(in.grace()), in.Kill.HookElapsed
	return Range{Low: min(took.Low, all), High: min(took.High, all)}
}

// hookTerm returns hookPart as a term. For the kubelet the hook may have begun before its first mark.
func (in Input) hookTerm() Term {
	p, name := in.hookPart(), "hook"
	switch {
	case !in.RunsHook():
		name = "no hook"
	case in.Kill.Hook == ExecHook:
		name = "hook, the start of its process included"
	case in.Kill.Hook == HTTPHook:
		name = "hook, the start of its request included"
	}
	return between(name, p.Low, p.High)
}

// extension returns what the documentation adds if the hook still runs at the end of the grace period.
func (in Input) extension() Term {
	const name = "one-off extension for a hook that is still running"
	p, all := in.hookPart(), seconds(in.requested())
	switch {
	case !in.RunsHook() || p.High < all:
		return Term{Name: name}
	case p.Low < all:
		return upTo(name, 2*time.Second)
	}
	return exactly(name, 2*time.Second)
}

// hookStarts returns the start of the hook's process or request, if the hook is the kill's first sign.
func (in Input) hookStarts() Term {
	if !in.RunsHook() {
		return Term{Name: "no hook"}
	}
	return upTo("start of the preStop hook", HookStart(in.Kill.Hook))
}

// hookBegan returns how much earlier than its first mark the hook began.
func (in Input) hookBegan() Term {
	return between("start of the hook, before its first mark", -HookStart(in.Kill.Hook), 0)
}

// killPodMinTimeout is the shortest wait for a killed pod's end, in seconds (pod_workers.go killPodNow, minTimeout).
const killPodMinTimeout = 10

// asked returns the seconds that an eviction or a preemption asks the pod worker for.
func (in Input) asked() int64 {
	switch in.Kill.Cause {
	case BySoftEviction:
		return in.softEviction()
	case ByHardEviction, ByStorageLimit:
		if in.Kubelet.Has(ZeroGraceIsOne) {
			return immediateEvictionGracePeriodSeconds
		}
		return 0
	}
	return in.Kill.TerminationGracePeriodSeconds
}

// HookStart returns how much earlier than its first mark a hook of a kind may have begun for the kubelet.
func HookStart(kind HookKind) time.Duration {
	if kind == HTTPHook {
		return HTTPStart
	}
	return ExecStart
}

// Given returns the input with all facts that no spec contains taken from another input.
func (in Input) Given(facts Input) Input {
	given := facts
	given.Kubelet, given.Startup, given.Neighbours, given.Sidecar = in.Kubelet, in.Startup, in.Neighbours, in.Sidecar
	given.Probe, given.Kill, given.PostStart, given.Probed = in.Probe, in.Kill, in.PostStart, in.Probed
	given.Probe.Takes, given.Kill.Ended = facts.Probe.Takes, facts.Kill.Ended
	if in.Kill.Hook != SleepHook {
		given.Kill.HookElapsed = facts.Kill.HookElapsed
	}
	return given
}

// GracePeriod returns the kill's grace period, before the hook takes its part.
func (in Input) GracePeriod() time.Duration { return seconds(max(0, in.grace())) }

// Overflows reports whether the runtime gets no time: a number of seconds above 292 years is a negative duration there
// (containerd internal/cri/server/container_stop.go StopContainer). It then sends SIGKILL at once.
func (in Input) Overflows() bool { return time.Duration(max(0, in.grace()))*time.Second < 0 }

// Unstoppable reports whether the kubelet's call of the runtime has no time either. It has two minutes more than the
// grace period (module cri-client, pkg/remote_runtime.go StopContainer; kubernetes#84298).
func (in Input) Unstoppable() bool {
	const runtimeRequestTimeout = 2 * time.Minute
	return runtimeRequestTimeout+time.Duration(max(0, in.grace()))*time.Second < 0
}

// CountsHook reports whether the hook's time is part of the grace period.
func (in Input) CountsHook() bool {
	_, given := in.override()
	return in.RunsHook() && (!given || in.Kubelet.Has(HookSubtractedLast))
}

// Left returns the time between SIGTERM and SIGKILL, over all durations that the hook can have.
func (in Input) Left() Range {
	p := in.hookPart()
	return Range{Low: in.remainder(p.High), High: in.remainder(p.Low)}
}

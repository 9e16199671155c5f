package formula

import "time"

// minimumGracePeriodInSeconds is the shortest time between the stop signal and SIGKILL (kuberuntime_manager.go,
// constant of this name).
const minimumGracePeriodInSeconds = 2

const terminationPage = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination"

// immediateEvictionGracePeriodSeconds is the grace period of evictions without one (eviction_manager.go, constant of
// this name).
const immediateEvictionGracePeriodSeconds = 1

// deletionGracePeriodSeconds returns what the API server stores for a delete: 0 for a pod that has ended or has no
// node, else the request's option, else the pod's spec. A negative value becomes 1 (core/pod/strategy.go
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

// byProbe reports whether a liveness or startup probe kills.
func (k Kill) byProbe() bool { return k.Cause == ByLiveness || k.Cause == ByStartup }

// base returns the grace period that killContainer finds by itself (kuberuntime_container.go
// setTerminationGracePeriod): the deletion's, else the killing probe's, else the pod's. If nothing of the pod is to
// run on, the probe's failure kills the pod (kuberuntime_manager.go computePodActions, KillPod), and that kill
// ignores the probe (killContainersWithSyncResult, reasonUnknown).
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

// override returns the grace period that the pod worker passes to killContainer instead of base. It returns false for
// kills within SyncPod, and for pods that complete or exceed their deadline (pod_workers.go UpdatePod, completeSync;
// eviction_manager.go synchronize). Kubelets without TerminalPhaseLast learn of those ends from the phase that comes
// back from the API server, like any other update.
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
	case ByPreemption:
		return in.effectiveGracePeriod(nil, nil), true
	case ByDeadline, ByCompletion:
		return in.effectiveGracePeriod(nil, nil), !in.Kubelet.Has(TerminalPhaseLast)
	case ByRestartAll:
		return 0, true
	}
	return 0, false
}

// softEviction returns the override of a soft eviction (eviction_manager.go synchronize).
func (in Input) softEviction() int64 {
	g := in.Kubelet.EvictionMaxPodGracePeriod
	if in.Kubelet.Has(SoftEvictionMinimum) {
		g = min(g, in.Kill.TerminationGracePeriodSeconds)
	}
	return g
}

// effectiveGracePeriod is pod_workers.go calculateEffectiveGracePeriod for a pod that was not terminating before. As
// in the kubelet, a grace period of 0 counts as unset, so a later source replaces it whatever its size.
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

// grace returns the grace period in whole seconds with which killContainer begins, before the hook takes its part.
func (in Input) grace() int64 {
	if g, given := in.override(); given && in.Kubelet.Has(HookSubtractedLast) {
		return g
	}
	return in.base()
}

// remainder returns the time between stop signal and SIGKILL if the hook took p, which is cut to whole seconds.
// Kubelets without HookSubtractedLast ignore the hook and the minimum if the pod worker passes a grace period.
func (in Input) remainder(p time.Duration) time.Duration {
	if g, given := in.override(); given && !in.Kubelet.Has(HookSubtractedLast) {
		return seconds(g)
	}
	return seconds(max(minimumGracePeriodInSeconds, in.grace()-int64(p/time.Second)))
}

// remainderTerm returns remainder over all durations that the hook can have taken.
func (in Input) remainderTerm() Term {
	p := in.hookPart()
	return between("grace that the hook left, at least 2 s", in.remainder(p.High), in.remainder(p.Low))
}

// requested returns the requested grace period in whole seconds, which the documentation describes.
func (in Input) requested() int64 {
	k := in.Kill
	switch {
	case k.Cause == ByDelete && k.GracePeriodSeconds != nil:
		return *k.GracePeriodSeconds
	case k.Cause == ByHardEviction:
		return 0
	case k.Cause == BySoftEviction && in.Kubelet.EvictionMaxPodGracePeriod >= 0:
		// If negative, "defer to pod specified value" (the flag's help).
		return min(in.Kubelet.EvictionMaxPodGracePeriod, k.TerminationGracePeriodSeconds)
	case k.byProbe() && k.ProbeTerminationGracePeriodSeconds != nil:
		return *k.ProbeTerminationGracePeriodSeconds
	}
	return k.TerminationGracePeriodSeconds
}

// undocumented reports whether the documentation promises no number: a force delete leaves "a small grace period", an
// exceeded storage limit and a restart of all containers name none, and a negative value has no meaning.
func (in Input) undocumented() bool {
	k := in.Kill
	switch {
	case k.Cause == ByStorageLimit, k.Cause == ByRestartAll:
		return true
	case in.requested() < 0:
		return true
	}
	return k.Cause == ByDelete && k.GracePeriodSeconds != nil && *k.GracePeriodSeconds == 0
}

// RunsHook reports whether the preStop hook runs.
func (in Input) RunsHook() bool { return in.Kill.Hook != NoHook && in.grace() > 0 }

// hookPart returns the part of the grace period that the hook can have taken. After all of it the kubelet stops
// waiting.
func (in Input) hookPart() Range {
	if !in.RunsHook() {
		return Range{}
	}
	all, took := seconds(in.grace()), in.Kill.HookElapsed
	return Range{Low: min(took.Low, all), High: min(took.High, all)}
}

// hookTerm returns the hook's part of the grace period. For the kubelet it may have begun ExecStart or HTTPStart
// before its first mark.
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

// extension returns what the documentation adds to the grace period if the hook still runs at its end: two seconds,
// or up to two if the measurement leaves open whether the hook had ended.
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

// hookStarts returns the start of the preStop hook's process or request, if the hook is the first sign of the kill
// for the victim.
func (in Input) hookStarts() Term {
	if !in.RunsHook() {
		return Term{Name: "no hook"}
	}
	return upTo("start of the preStop hook", HookStart(in.Kill.Hook))
}

// killPodMinTimeout is the shortest time in seconds that the kubelet waits for the end of a pod that it kills
// (pod_workers.go killPodNow, minTimeout).
const killPodMinTimeout = 10

// asked returns the grace period in seconds that an eviction or a preemption asks the pod worker for, before the
// worker computes what the pod gets.
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

// HookStart returns how much earlier than its first mark a hook of a kind may have begun for the kubelet, without
// node delay.
func HookStart(kind HookKind) time.Duration {
	if kind == HTTPHook {
		return HTTPStart
	}
	return ExecStart
}

// Given returns the input with all facts that no spec contains taken from another input: measured or assumed facts of
// a pod.
func (in Input) Given(facts Input) Input {
	given := facts
	given.Kubelet, given.Startup, given.Neighbours, given.Sidecar = in.Kubelet, in.Startup, in.Neighbours, in.Sidecar
	given.Probe, given.Kill = in.Probe, in.Kill
	given.Probe.Takes, given.Kill.Ended = facts.Probe.Takes, facts.Kill.Ended
	if in.Kill.Hook != SleepHook {
		given.Kill.HookElapsed = facts.Kill.HookElapsed
	}
	return given
}

// GracePeriod returns the grace period with which the kill begins, before the hook takes its part.
func (in Input) GracePeriod() time.Duration { return seconds(max(0, in.grace())) }

// CountsHook reports whether the time of the kill's preStop hook is part of its grace period.
func (in Input) CountsHook() bool {
	_, given := in.override()
	return in.RunsHook() && (!given || in.Kubelet.Has(HookSubtractedLast))
}

// Left returns the time between the stop signal and SIGKILL: what the hook leaves of the grace period, over all
// durations that it can have.
func (in Input) Left() Range {
	p := in.hookPart()
	return Range{Low: in.remainder(p.High), High: in.remainder(p.Low)}
}

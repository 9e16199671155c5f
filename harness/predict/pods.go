package predict

import (
	"cmp"
	"slices"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// complete adds what is predicted of the containers, and what follows from it for the pods.
func (p *Prediction) complete(containers []Container, pod effective.Pod) {
	p.Containers = containers
	p.Kills = killsOf(containers, effective.Main, effective.Sidecar)
	p.MainKills = killsOf(containers, effective.Main)
	p.NeverReady, p.AssumedClass = pod.NeverReady(), assumedClass(p.Kubelet, &pod.Spec)
	p.Readiness = readinessOf(containers)
	p.PastDeadline = p.Kills.deadlineBefore(p.Ready)
	p.RestartAll = restartAllOf(containers)
	p.Owner = ownerOf(p.Workload)
	p.Traffic = p.traffic()
	p.LostNode = p.lostNode()
	p.Retries = p.retries()
	p.DrainFlags = p.drainFlags()
	p.AllPods = p.allPods()
}

// killsOf merges the kills of the containers that have one of the roles.
func killsOf(containers []Container, roles ...effective.Role) (all Kills) {
	for _, c := range containers {
		if !slices.Contains(roles, c.Role) {
			continue
		}
		for _, own := range c.Answers.Kills {
			if k := all.Of(own.Cause, own.Variant); k != nil {
				k.merge(own)
			} else {
				all = append(all, own)
			}
		}
	}
	return all
}

// restartAllOf returns the ends that restart all containers.
func restartAllOf(containers []Container) (ends []string) {
	for _, c := range containers {
		for _, t := range c.Timelines {
			if t.end != "" && !slices.Contains(ends, t.end) {
				ends = append(ends, t.end)
			}
		}
	}
	return ends
}

func (k *Kill) merge(other Kill) {
	k.Grace = max(k.Grace, other.Grace)
	k.HookRuns, k.HookInside = k.HookRuns || other.HookRuns, k.HookInside || other.HookInside
	k.SIGTERM, k.Dead = k.SIGTERM.or(other.SIGTERM), k.Dead.or(other.Dead)
	if other.SIGKILL != nil {
		k.SIGKILL = Over(k.SIGKILL, *other.SIGKILL)
	}
	if other.Restarted != nil {
		k.Restarted = Over(k.Restarted, *other.Restarted)
	}
}

// deadlineBefore reports whether the pod's deadline ends it before it can be ready. ready may be nil.
func (all Kills) deadlineBefore(ready *Span) bool {
	k := all.Of(formula.ByDeadline, "")
	return k != nil && ready != nil && ready.Earliest > k.SIGTERM.Latest
}

// readinessOf returns when a pod is ready, counted from the start of its main containers, and when it is not because a
// container fails its readiness probe.
func readinessOf(containers []Container) (r Readiness) {
	shown := Span{}.plus(formula.LastSuccessReady.Implemented(formula.Input{}))
	all := shown
	for _, c := range containers {
		if c.Role == effective.Main {
			held := formula.HeldByHooks(c.PostStart.Before+c.PostStart.From, len(containers))
			all = Span{max(all.Earliest, held.Low), max(all.Latest, held.High+shown.Latest)}
		}
		if c.Role == effective.Init {
			continue
		}
		if s := c.Answers.Unready; s != nil {
			r.Unready = Over(r.Unready, *s)
		}
		ready := c.readyAfter(shown)
		if ready == nil {
			continue
		}
		before := formula.HeldByHooks(c.PostStart.Before, len(containers))
		if all.Latest = max(all.Latest, before.High+ready.Latest); c.Role == effective.Main {
			all.Earliest = max(all.Earliest, before.Low+ready.Earliest)
		}
	}
	r.Ready = &all
	return r
}

// readyAfter returns when a container makes its pod ready, nil if it has no probe that delays it. It counts from the
// start of the main containers. Sidecars have started before them, with their startup probes.
func (c Container) readyAfter(shown Span) (all *Span) {
	for i := range c.Timelines {
		t := &c.Timelines[i]
		if t.Cause != Starting {
			continue
		}
		started := cmp.Or(t.find(StartupSuccess), t.find(StartupFirst))
		var s Span
		switch ready := t.find(lifecycle.Ready); {
		case ready != nil:
			s = ready.At
		case started != nil:
			s = started.At.after(shown)
		default:
			continue
		}
		if started != nil && c.Role == effective.Sidecar {
			s = Span{s.Earliest - started.At.Earliest, s.Latest - started.At.Latest}.notBefore(0)
		}
		all = Over(all, s)
	}
	return all
}

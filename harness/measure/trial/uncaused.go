package trial

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// uncaused returns the claims that the kubelet kills, restarts and evicts only if the trial is the cause.
func (t Trial) uncaused(tl *timeline.Timeline) []Claim {
	if len(tl.API) == 0 {
		return nil
	}
	var kills, restarts, evictions []timeline.Misreport
	for i, pod := range append([]*corev1.Pod{t.Pod}, t.Companions...) {
		for _, c := range containersOf(pod) {
			change := firstFault(tl, SetImage)
			for n, life := 1, tl.Life(c.Name, 1); life != nil; n++ {
				sign := firstSign(life)
				if sign != nil && !t.mayKill(tl, c, i == 0, *sign) {
					why := fmt.Sprintf("the kubelet killed life %d of container %s without a cause", n, c.Name)
					kills = append(kills, timeline.Misreport{At: sign.At, Why: why})
				}
				next := tl.Life(c.Name, n+1)
				if c.Name == Main && sign != nil && change != nil && change.MayPrecede(*sign) {
					change = nil // another image starts its container whatever the policy, but once
				} else if next != nil && next.Connected != nil && t.endsForGood(pod, c, life) &&
					!t.removed(tl, c.Name, next.Connected.At) {
					why := fmt.Sprintf("container %s started again after life %d ended for good", c.Name, n)
					restarts = append(restarts, timeline.Misreport{At: next.Connected.At, Why: why})
				}
				life = next
			}
		}
	}
	for _, e := range tl.Events {
		if (e.Reason == "Evicted" || e.Reason == "Preempting") && !t.evicts() {
			why := fmt.Sprintf("the kubelet reported %s without a cause: %s", e.Reason, e.Message)
			evictions = append(evictions, timeline.Misreport{At: e.At.At, Why: why})
		}
	}
	return []Claim{
		{Measure: Measure{counted: "uncaused", kind: "kills", found: &kills}, Formula: formula.KillsCaused},
		{Measure: Measure{counted: "uncaused", kind: "restarts", found: &restarts}, Formula: formula.RestartsCaused},
		{Measure: Measure{counted: "uncaused", kind: "evictions", found: &evictions}, Formula: formula.EvictionsCaused},
	}
}

func (t Trial) evicts() bool {
	return t.KillCause.Evicts() || slices.ContainsFunc(t.Claims, func(c Claim) bool { return c.KillCause.Evicts() })
}

func (t Trial) has(a Action) bool {
	return slices.ContainsFunc(t.Faults, func(f Fault) bool { return f.Action == a })
}

// removed reports whether a fault removed a container from the runtime before an instant. The kubelet has no other
// memory of its end.
func (t Trial) removed(tl *timeline.Timeline, container string, by int64) bool {
	for i, f := range t.Faults[:min(len(t.Faults), len(tl.Faults))] {
		if f.Action == RemoveContainer && f.Container == container && tl.Faults[i].At.At < by {
			return true
		}
	}
	return false
}

// firstSign returns the first hook or stop signal of a life, or nil. A death without either may have another cause
// than the kubelet.
func firstSign(l *timeline.Life) *timeline.Instant {
	sign := l.SIGTERM()
	if len(l.Hooks) > 0 && (sign == nil || l.Hooks[0].Began.At < sign.At) {
		sign = &l.Hooks[0].Began
	}
	return sign
}

// mayKill reports whether a container can have been killed at an instant for a cause that the trial has. If probes or
// hooks can kill the container, a Job can delete its pod, or the kubelet ends the whole pod, the trial's own claims
// decide.
func (t Trial) mayKill(tl *timeline.Timeline, c corev1.Container, own bool, at timeline.Instant) bool {
	if t.evicts() || t.KillCause.EndsPod() || t.Job != nil && !own || c.LivenessProbe != nil || c.StartupProbe != nil ||
		c.Lifecycle != nil && c.Lifecycle.PostStart != nil {
		return true
	}
	causes := []Action{TaintNode}
	if own {
		causes = slices.Clone(deletions)
	}
	if c.Name == Main {
		causes = append(causes, SetImage)
	}
	if restartsForResize(c) {
		causes = append(causes, ResizePod)
	}
	fault := firstFault(tl, causes...)
	return fault != nil && fault.MayPrecede(at)
}

// restartsForResize reports whether a resize can kill a container.
func restartsForResize(c corev1.Container) bool {
	return slices.ContainsFunc(c.ResizePolicy, func(p corev1.ContainerResizePolicy) bool {
		return p.RestartPolicy == corev1.RestartContainer
	})
}

// endsForGood reports whether the kubelet must not start a container again after a life. Sidecars and containers with
// rules have a policy of their own. A rule may restart all containers, and a new sandbox starts init containers again.
func (t Trial) endsForGood(pod *corev1.Pod, c corev1.Container, l *timeline.Life) bool {
	succeeded := l.OwnExitCode != nil && *l.OwnExitCode == 0 && l.SIGTERM() == nil
	policy := pod.Spec.RestartPolicy
	endsSandbox := func(c corev1.Container) bool {
		run, err := victim.ParseRun(c.Args)
		return err == nil && len(run.EndSandboxAfter) > 0
	}
	if find(pod.Spec.InitContainers, c.Name) != nil &&
		(t.has(RebootNode) || slices.ContainsFunc(containersOf(pod), endsSandbox)) {
		return false
	}
	return c.RestartPolicy == nil && !slices.ContainsFunc(containersOf(pod), podspec.RestartsAll) &&
		(policy == corev1.RestartPolicyNever || policy == corev1.RestartPolicyOnFailure && succeeded)
}

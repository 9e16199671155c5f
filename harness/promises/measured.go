package promises

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Assumed reports whether a step has no window of its own: its time is what the timeline assumes.
func Assumed(s predict.Step) bool { return s.Rule() == nil && s.Implemented.Terms[0].Name == "assumed" }

// Point returns where a step of a container's timeline is measured. It returns false for a step that nothing shows: an
// assumed one, the beginning of a pod's kill, the deletion in whole seconds.
func Point(pod *corev1.Pod, container string, l predict.Timeline, s predict.Step) (p trial.Point, shown bool) {
	if Assumed(s) {
		return p, false
	}
	kind := string(l.Cause)
	if l.Cause == predict.Looping {
		kind = l.Variant
	}
	switch ofFirstLife(s.ID, s.Life) {
	case lifecycle.HookBegan:
		p = trial.HookBegan
	case lifecycle.SIGTERM:
		p = trial.SIGTERM
	case lifecycle.Gone:
		p = trial.Gone
	case lifecycle.Started:
		p = trial.Started
	case lifecycle.FirstProbe:
		p = trial.FirstProbe(kind)
	case lifecycle.LastProbe:
		p = trial.LastProbe(kind)
	case lifecycle.CrashLooping:
		p = trial.Waiting("CrashLoopBackOff")
	case predict.StartupFirst:
		p = trial.FirstProbe(victim.Startup)
	case predict.StartupSuccess:
		p = trial.Answered(victim.Startup, victim.Succeed)
	case predict.LivenessFirst:
		p = trial.FirstProbe(victim.Liveness)
	case predict.ReadinessFirst:
		p = trial.FirstProbe(victim.Readiness)
	case lifecycle.Ready:
		p = trial.ContainerReady
	case lifecycle.Unready:
		p = trial.ContainerUnready
	case "next-start":
		return trial.Started.Of(after(pod, container)), true
	case "first-start":
		return trial.Started.Of(order(pod)[0]).Life(2), true
	case "event-failedpoststarthook":
		return trial.Event("FailedPostStartHook"), true
	case lifecycle.Failed:
		return trial.Phase(string(corev1.PodFailed)), true
	case lifecycle.Succeeded:
		return trial.Phase(string(corev1.PodSucceeded)), true
	case lifecycle.ObjectDeleted:
		return trial.ObjectDeleted, true
	default:
		return p, false
	}
	return p.Of(container).Life(s.Life), true
}

// ofFirstLife returns an ID without the number of its life.
func ofFirstLife(id string, life int) string {
	if life <= 1 {
		return id
	}
	return strings.TrimSuffix(id, "-"+strconv.Itoa(life))
}

// order returns a pod's containers as they start.
func order(pod *corev1.Pod) (names []string) {
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		names = append(names, c.Name)
	}
	return names
}

// after returns the container that starts after an init container.
func after(pod *corev1.Pod, init string) string {
	names := order(pod)
	return names[slices.Index(names, init)+1]
}

// Measure returns how a value of a container's timeline is measured. It returns false for a value that nothing shows.
func Measure(pod *corev1.Pod, container string, v predict.Value) (m trial.Measure, shown bool) {
	life := max(1, v.Input().Life)
	failed := trial.Phase(string(corev1.PodFailed))
	switch ofFirstLife(v.ID, life) {
	case "failing-probes":
		return trial.FailingProbes(v.Input().Probe.Kind, life).Of(container), true
	case "hook-runs":
		return trial.HookRuns().Of(container), true
	case "sigterms":
		return trial.StopSignals().Of(container), true
	case "exit-code":
		return trial.DeathCode().Of(container), true
	case "deletion-grace":
		return trial.DeletionGrace(1), true
	case "starts":
		return trial.Starts(container, trial.Gone.Of(container), settled), true
	case "main-starts":
		return trial.Starts(pod.Spec.Containers[0].Name, trial.Gone.Of(container), settled), true
	case "restart-count":
		return trial.RestartCount(life).Of(container), true
	case "disruption-target":
		return trial.HasCondition("DisruptionTarget", failed, noted), true
	case "reason":
		return trial.HasReason(strings.TrimPrefix(v.What, "reason "), failed, noted), true
	case "objects":
		return trial.Objects(failed, kept), true
	case "ready-after":
		return trial.ProbesInARowUntil(victim.Readiness, 1, trial.ContainerReady.Of(container)).Of(container), true
	case "unready-after":
		return trial.ProbesInARowUntil(victim.Readiness, 1, trial.ContainerUnready.Of(container)).Of(container), true
	case "startup-successes":
		first := trial.FirstProbe(victim.Liveness).Of(container)
		return trial.ProbesInARowUntil(victim.Startup, 1, first).Of(container), true
	case "held-back":
		return trial.ProbesBefore(victim.Liveness, victim.Startup, 1).Of(container), true
	}
	return m, false
}

const (
	// settled is how long after a container's end its lives are counted.
	settled = 10 * time.Second
	// noted is how long after a pod has failed its status may still get a condition or reason, and kept is when its
	// objects are counted.
	noted, kept = 2 * time.Second, 5 * time.Second
)

// lostCode reports whether the API may not show the exit code of a container: the kubelet ends the whole pod
// ([formula.LostCode]).
func lostCode(l predict.Timeline) bool {
	return l.Cause != formula.ByDelete && !slices.ContainsFunc(l.Steps, func(s predict.Step) bool { return s.Life > 1 })
}

package predict

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// notCovered says why nothing is predicted of a pod, or "". Predictions are about pods on Linux that the API created
// and nothing has ended yet.
func notCovered(pod *corev1.Pod) string {
	switch {
	case tooLong(&pod.Spec) != "":
		return tooLong(&pod.Spec)
	case podspec.OnWindows(&pod.Spec):
		return "the pod runs on Windows; the rules were read and measured on Linux only"
	case pod.Annotations[corev1.MirrorPodAnnotationKey] != "":
		return "it mirrors a static pod: a delete removes the mirror only, and a kubelet evicts no static pod"
	case slices.Contains([]corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed}, pod.Status.Phase):
		return fmt.Sprintf("the pod has ended (phase %s): no container runs or is started again", pod.Status.Phase)
	case pod.Status.Phase == corev1.PodPending && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil:
		return "the pod has no node yet: no container runs, and a delete removes its object at once"
	case pod.DeletionTimestamp != nil:
		return fmt.Sprintf("the pod is being deleted: its grace period ends at %s, and a second delete can only "+
			"remove its object sooner", pod.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	return ""
}

// maxSeconds is the longest time that can be predicted, about ten years. The API server accepts more.
const maxSeconds = 10 * 366 * 24 * 60 * 60

// tooLong names a duration above maxSeconds, or a probe that needs longer to fail or succeed, or returns "".
func tooLong(spec *corev1.PodSpec) (says string) {
	if g := spec.TerminationGracePeriodSeconds; g != nil {
		in := formula.Input{Kill: formula.Kill{Cause: formula.ByDelete, TerminationGracePeriodSeconds: *g}}
		switch {
		case in.Unstoppable():
			return fmt.Sprintf("terminationGracePeriodSeconds %d is too many nanoseconds for the kubelet, whose "+
				"calls to stop the containers fail at once: a delete is SIGKILL without SIGTERM, and a failing probe "+
				"never restarts a container; write at most %d", *g, maxSeconds)
		case in.Overflows():
			return fmt.Sprintf("terminationGracePeriodSeconds %d is too many nanoseconds for the runtime, which sends "+
				"SIGKILL at once, without SIGTERM; write at most %d", *g, maxSeconds)
		}
	}
	limit := func(seconds int64, field string) {
		if seconds > maxSeconds && says == "" {
			says = fmt.Sprintf("%s is longer than %d s, ten years, which is more than can be predicted",
				field, maxSeconds)
		}
	}
	given := func(seconds *int64, field string) {
		if seconds != nil {
			limit(*seconds, field)
		}
	}
	given(spec.TerminationGracePeriodSeconds, "terminationGracePeriodSeconds")
	given(spec.ActiveDeadlineSeconds, "activeDeadlineSeconds")
	for _, t := range spec.Tolerations {
		given(t.TolerationSeconds, "a toleration")
	}
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		for _, kind := range []string{podspec.Liveness, podspec.Readiness, podspec.Startup} {
			p := podspec.ProbeOf(&c, kind)
			if p == nil {
				continue
			}
			apart, probe := int64(max(p.PeriodSeconds, p.TimeoutSeconds)), "the "+kind+" probe of container "+c.Name
			given(p.TerminationGracePeriodSeconds, "terminationGracePeriodSeconds of "+probe)
			limit(int64(p.InitialDelaySeconds), "initialDelaySeconds of "+probe)
			limit(apart*int64(max(p.FailureThreshold, p.SuccessThreshold)), "what "+probe+" needs")
		}
	}
	return says
}

package predict

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/podspec"
)

// notCovered says why nothing is predicted of a pod, or "". Predictions are about pods on Linux that the API created
// and nothing has ended yet.
func notCovered(pod *corev1.Pod) string {
	switch {
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

package observe

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodOf returns what a pod is called.
func PodOf(p *corev1.Pod) Pod {
	return Pod{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Workload: workloadOf(p), Node: p.Spec.NodeName,
	}
}

// workloadOf returns what made a pod. A ReplicaSet with a hash in its name is its Deployment's, or that of another kind
// of objects with ReplicaSets.
func workloadOf(p *corev1.Pod) string {
	owner := metav1.GetControllerOf(p)
	if owner == nil {
		return "pod/" + p.Name
	}
	kind, name := strings.ToLower(owner.Kind), owner.Name
	if hash := p.Labels[appsv1.DefaultDeploymentUniqueLabelKey]; kind == "replicaset" && hash != "" {
		if of, cut := strings.CutSuffix(name, "-"+hash); cut {
			return "deployment/" + of
		}
	}
	return kind + "/" + name
}

// revision returns what pods of one workload with equal specs have in common, or the pod's own name.
func revision(p *corev1.Pod) string {
	for _, label := range []string{appsv1.DefaultDeploymentUniqueLabelKey, appsv1.ControllerRevisionHashLabelKey} {
		if hash := p.Labels[label]; hash != "" {
			return workloadOf(p) + "@" + hash
		}
	}
	return string(p.UID)
}

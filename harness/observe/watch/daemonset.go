package watch

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Namespace is that of the node part.
const Namespace = "podclock-observe"

const (
	nodePart = "podclock-ends"
	// selector selects its pods.
	selector = "app.kubernetes.io/name=" + nodePart
	// nobody is a user without rights.
	nobody = 65534
)

// DaemonSet returns the manifests of the node part with an image of the recorder. It needs its node's PID namespace to
// hold pidfds of containers' processes, and nothing else: no capability, no user, no network of the host, no volume,
// and no right in the API.
func DaemonSet(image string) []any {
	labels := map[string]string{"app.kubernetes.io/name": nodePart}
	meta := func(kind, version, name, namespace string) (metav1.TypeMeta, metav1.ObjectMeta) {
		return metav1.TypeMeta{Kind: kind, APIVersion: version}, metav1.ObjectMeta{Name: name, Namespace: namespace}
	}
	namespace, set := corev1.Namespace{}, appsv1.DaemonSet{}
	namespace.TypeMeta, namespace.ObjectMeta = meta("Namespace", "v1", Namespace, "")
	// Only the level "privileged" lets a pod into its node's PID namespace.
	namespace.Labels = map[string]string{"pod-security.kubernetes.io/enforce": "privileged"}
	set.TypeMeta, set.ObjectMeta = meta("DaemonSet", "apps/v1", nodePart, Namespace)
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	set.Spec.Template.Labels = labels
	set.Spec.Template.Spec = corev1.PodSpec{
		HostPID: true, AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
		TerminationGracePeriodSeconds: new(int64(1)),
		Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(nobody)), RunAsGroup: new(int64(nobody)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name: "ends", Image: image, Args: []string{"--ends"},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("50m"), "memory": resource.MustParse("16Mi")},
				Limits:   corev1.ResourceList{"memory": resource.MustParse("64Mi")},
			},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}},
	}
	return []any{namespace, set}
}

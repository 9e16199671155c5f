package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/victim"
)

// Recorder returns the recorder of a node of podclock's own. Victims find it at the node's address. The CPU request
// keeps it running on a busy node, and its priority protects it from eviction.
func Recorder(node, namespace, image string) *corev1.Pod {
	no, grace := false, int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "recorder-" + node, Namespace: namespace,
			Labels: map[string]string{victim.PartOf: "podclock", component: "recorder"},
		},
		Spec: corev1.PodSpec{
			NodeName:                      node,
			PriorityClassName:             "system-node-critical",
			HostNetwork:                   true,
			AutomountServiceAccountToken:  &no,
			EnableServiceLinks:            &no,
			TerminationGracePeriodSeconds: &grace,
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "recorder", Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
				Env: []corev1.EnvVar{{Name: victim.EnvUID, ValueFrom: &corev1.EnvVarSource{
					FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.uid"},
				}}},
				// Without a memory request, because a restarted kubelet would refuse it on a node whose memory is full.
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")},
				},
			}},
		},
	}
}

func (l *site) createOwnRecorder(ctx context.Context, n *node) (*corev1.Pod, error) {
	pod := Recorder(n.name, l.options.Namespace, l.options.Images.Recorder)
	return pod, l.persist(ctx, "create pod "+pod.Name, func(ctx context.Context) error {
		return l.client.Create(ctx, pod)
	})
}

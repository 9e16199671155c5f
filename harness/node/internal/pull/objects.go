package pull

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/victim"
)

// Containers returns init containers that pull images, so that no trial waits for that, and end at once.
func Containers(like corev1.Container, images ...string) (all []corev1.Container) {
	for i, image := range images {
		all = append(all, corev1.Container{
			Name: fmt.Sprintf("pull-%d", i+1), Image: image, ImagePullPolicy: like.ImagePullPolicy,
			Args: []string{victim.PulledCommand}, Resources: like.Resources, SecurityContext: like.SecurityContext,
		})
	}
	return all
}

// SecretName is the name of [Secret].
const SecretName = "podclock-images"

// References returns the references of pods to the secret of a docker configuration, none if that is nil.
func References(config []byte) []corev1.LocalObjectReference {
	if config == nil {
		return nil
	}
	return []corev1.LocalObjectReference{{Name: SecretName}}
}

// Secret returns what the pods of a namespace pull with: a docker configuration. It goes with the namespace.
func Secret(namespace string, config []byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: SecretName, Namespace: namespace, Labels: map[string]string{victim.PartOf: "podclock"},
		},
		Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: config},
	}
}

// Package pull makes nodes pull podclock's images, and finds out from a pod's status that one can't be pulled.
package pull

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Heals is how long a pull may fail. After a failure, the kubelet pulls again within 10 to 15 s (pkg/kubelet/kubelet.go
// backOffPeriod, pod_workers.go workerBackOffPeriodJitterFactor, both of 1.37).
const Heals = 20 * time.Second

// Reasons for which a container waits for its image (pkg/kubelet/images/types.go, and cri-api's pkg/errors).
var (
	final = []string{"InvalidImageName", "ErrImageNeverPull"}
	retry = []string{
		"ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed",
	}
)

// Failure is an image that was not pulled.
type Failure struct {
	Node, Image string
	// Reason and Message are the kubelet's.
	Reason, Message string
}

func (f *Failure) Error() string {
	return fmt.Sprintf("node %s can't pull image %s: %s: %s. Give --images the place that "+
		"`podclock images push` wrote to, with --pull-secret if its registry wants credentials, or import on the "+
		"node what `podclock images save` wrote",
		f.Node, f.Image, f.Reason, f.Message)
}

// Final reports whether the kubelet would fail again and again.
func (f *Failure) Final() bool { return slices.Contains(final, f.Reason) }

// FailureOf returns which image a pod waits for after a failure, or nil.
func FailureOf(pod *corev1.Pod) *Failure {
	images := map[string]string{}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		images[c.Name] = c.Image
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		w := s.State.Waiting
		if w != nil && (slices.Contains(final, w.Reason) || slices.Contains(retry, w.Reason)) {
			return &Failure{Node: pod.Spec.NodeName, Image: images[s.Name], Reason: w.Reason, Message: w.Message}
		}
	}
	return nil
}

//go:build kubelet1_36

package kubelet

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

func newPodConfig(recorder record.EventRecorderLogger, tracker kubeletutil.PodStartupLatencyTracker) *config.PodConfig {
	return config.NewPodConfig(recorder, tracker)
}

func start(ctx context.Context, kl *kubelet.Kubelet, updates <-chan kubetypes.PodUpdate) {
	kl.StartGarbageCollection(ctx)
	go kl.Run(ctx, updates)
}

// The pod updates have a type that is not exported.
func sender(ctx context.Context, pods *config.PodConfig) func([]*corev1.Pod) {
	return send(pods.Channel(ctx, kubetypes.ApiserverSource))
}

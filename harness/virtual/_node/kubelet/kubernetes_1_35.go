//go:build !kubelet1_36

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

func newPodConfig(recorder record.EventRecorder, tracker kubeletutil.PodStartupLatencyTracker) *config.PodConfig {
	return config.NewPodConfig(config.PodConfigNotificationIncremental, recorder, tracker)
}

func start(_ context.Context, kl *kubelet.Kubelet, updates <-chan kubetypes.PodUpdate) {
	kl.StartGarbageCollection()
	go kl.Run(updates)
}

func sender(ctx context.Context, pods *config.PodConfig) func([]*corev1.Pod) {
	updates := pods.Channel(ctx, kubetypes.ApiserverSource)
	return func(all []*corev1.Pod) {
		updates <- kubetypes.PodUpdate{Pods: all, Op: kubetypes.SET, Source: kubetypes.ApiserverSource}
	}
}

// Before 1.36, no sync requests a relist.
func relistsAfterSync(*kubelet.Kubelet) error { return nil }

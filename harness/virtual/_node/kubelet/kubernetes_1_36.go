//go:build kubelet1_36

package kubelet

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/pleg"
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

// A pod's next sync waits for a status that is newer than the last sync (pod_workers.go podWorkerLoop, GetNewerThan).
// In virtual time a sync and the relist that it requests share an instant, so that the status would not be newer.
func relistsAfterSync(kl *kubelet.Kubelet) error {
	return exchange(kl, func(g pleg.PodLifecycleEventGenerator) pleg.PodLifecycleEventGenerator {
		return relister{g}
	}, "pleg")
}

type relister struct {
	pleg.PodLifecycleEventGenerator
}

func (relister) later(relist func()) { time.AfterFunc(time.Microsecond, relist) }

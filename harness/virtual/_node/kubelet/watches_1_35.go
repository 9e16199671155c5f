//go:build kubelet1_35

package kubelet

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// neverExitWatches has nothing to do in these versions.
func neverExitWatches() {}

// listWatcher makes a reflector know that a fake clientset cannot stream lists.
func listWatcher(lists *cache.ListWatch, client kubernetes.Interface) cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(lists, client)
}

// watchFiles starts the kubelet's own source of static pods.
func watchFiles(ctx context.Context, c *kubeletconfig.KubeletConfiguration, pods *config.PodConfig) {
	config.NewSourceFile(
		klog.FromContext(ctx), c.StaticPodPath, wire.NodeName, c.FileCheckFrequency.Duration,
		pods.Channel(ctx, kubetypes.FileSource),
	)
}

//go:build !kubelet1_35

package kubelet

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"github.com/podclock/podclock/harness/virtual/wire"
)

//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

// neverExitWatches gives reflectors a channel of the bubble: a select on any other stops virtual time.
func neverExitWatches() { overwrite("cache.neverExitWatch", &neverExitWatch, make(<-chan time.Time)) }

// listWatcher: this version's reflectors do not ask whether a client can stream lists.
func listWatcher(lists *cache.ListWatch, _ kubernetes.Interface) cache.ListerWatcher { return lists }

// watchFiles starts the kubelet's own source of static pods.
func watchFiles(ctx context.Context, c *kubeletconfig.KubeletConfiguration, pods *config.PodConfig) {
	config.NewSourceFile(
		c.StaticPodPath, wire.NodeName, c.FileCheckFrequency.Duration, pods.Channel(ctx, kubetypes.FileSource),
	)
}

//go:build kubelet1_35 || kubelet1_36

package kubelet

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// neverExitWatches is for channels of a version that are made outside of the bubble; these have none but
// wait.NeverStop.
func neverExitWatches() {}

// listWatcher tells a reflector that a fake clientset can't stream lists.
func listWatcher(lists *cache.ListWatch, client kubernetes.Interface) cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(lists, client)
}

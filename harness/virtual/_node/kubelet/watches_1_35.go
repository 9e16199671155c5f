//go:build kubelet1_35

package kubelet

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// neverExitWatches has nothing to do in these versions.
func neverExitWatches() {}

// listWatcher makes a reflector know that a fake clientset cannot stream lists.
func listWatcher(lists *cache.ListWatch, client kubernetes.Interface) cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(lists, client)
}

//go:build kubelet1_34

package kubelet

import (
	"time"
	_ "unsafe" // for go:linkname

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

// neverExitWatches gives reflectors a channel of the bubble: a select on any other channel stops virtual time. Later
// versions have no such channel.
func neverExitWatches() { overwrite("cache.neverExitWatch", &neverExitWatch, make(<-chan time.Time)) }

// listWatcher returns the lists: reflectors of this version do not ask whether a client can stream them.
func listWatcher(lists *cache.ListWatch, _ kubernetes.Interface) cache.ListerWatcher { return lists }

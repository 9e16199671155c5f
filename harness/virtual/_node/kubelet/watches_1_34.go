//go:build !kubelet1_35

package kubelet

import (
	"time"
	_ "unsafe" // for go:linkname

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

// neverExitWatches gives reflectors a channel of the bubble: a select on any other stops virtual time.
func neverExitWatches() { overwrite("cache.neverExitWatch", &neverExitWatch, make(<-chan time.Time)) }

// listWatcher: this version's reflectors do not ask whether a client can stream lists.
func listWatcher(lists *cache.ListWatch, _ kubernetes.Interface) cache.ListerWatcher { return lists }

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

// neverExitWatches gives reflectors a channel that was made in the bubble: a select on any other would keep
// virtual time from passing. It is the last version that has such a channel.
func neverExitWatches() { overwrite("cache.neverExitWatch", &neverExitWatch, make(<-chan time.Time)) }

// listWatcher is the lists' own: reflectors of this version don't ask whether a client can stream them.
func listWatcher(lists *cache.ListWatch, _ kubernetes.Interface) cache.ListerWatcher { return lists }

//go:build kubelet1_36 && !kubelet1_37

package kubelet

import "k8s.io/apimachinery/pkg/types"

func (r relister) RequestRelist(uid types.UID) {
	r.later(func() { r.PodLifecycleEventGenerator.RequestRelist(uid) })
}

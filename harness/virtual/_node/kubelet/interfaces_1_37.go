//go:build kubelet1_37

package kubelet

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/probe"
	grpcprobe "k8s.io/kubernetes/pkg/probe/grpc"
)

func (p grpcProber) Probe(
	host, service string, port int, timeout time.Duration, options grpcprobe.ProbeOptions,
) (probe.Result, string, error) {
	defer p.dead.block()
	return p.own.Probe(host, service, port, timeout, options)
}

func newNodeTracker() kubeletutil.NodeStartupLatencyTracker {
	return kubeletutil.NewNodeStartupLatencyTracker(klog.Background())
}

func (r relister) RequestRelist(logger klog.Logger, uid types.UID) {
	r.later(func() { r.PodLifecycleEventGenerator.RequestRelist(logger, uid) })
}

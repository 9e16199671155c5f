//go:build !kubelet1_37

package kubelet

import (
	"time"

	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/probe"
)

func (p grpcProber) Probe(host, service string, port int, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.block()
	return p.own.Probe(host, service, port, timeout)
}

func newNodeTracker() kubeletutil.NodeStartupLatencyTracker {
	return kubeletutil.NewNodeStartupLatencyTracker()
}

package kubelet

import (
	"errors"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/status"
	"k8s.io/kubernetes/pkg/probe"
	execprobe "k8s.io/kubernetes/pkg/probe/exec"
	grpcprobe "k8s.io/kubernetes/pkg/probe/grpc"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
	tcpprobe "k8s.io/kubernetes/pkg/probe/tcp"
	"k8s.io/utils/exec"
)

// mortal ends a kubelet's probes with the kubelet. Otherwise they outlive it, because a prober's worker uses no
// context: it would probe by the process' current dialer (pkg/probe/tcp and grpc get it for each probe), count in
// the next kubelet's counters, and remove these at its end. Stopping the worker is not enough, because the pod's
// worker, which also lives on, starts another (prober_manager.go AddPod). So the worker of a dead kubelet blocks
// forever at the beginning of a round and at a probe's result. It holds no mutex there.
func mortal(kl *kubelet.Kubelet, dead death) error {
	return errors.Join(
		exchange(kl, func(m status.Manager) status.Manager { return statuses{m, dead} },
			"probeManager", "statusManager"),
		exchange(kl, func(p execprobe.Prober) execprobe.Prober { return execProber{p, dead} },
			"probeManager", "prober", "exec"),
		exchange(kl, func(p httpprobe.Prober) httpprobe.Prober { return httpProber{p, dead} },
			"probeManager", "prober", "http"),
		exchange(kl, func(p tcpprobe.Prober) tcpprobe.Prober { return tcpProber{p, dead} },
			"probeManager", "prober", "tcp"),
		exchange(kl, func(p grpcprobe.Prober) grpcprobe.Prober { return grpcProber{p, dead} },
			"probeManager", "prober", "grpc"),
	)
}

// death is closed when a kubelet dies.
type death <-chan struct{}

// block blocks the goroutines of a dead kubelet forever.
func (d death) block() {
	select {
	case <-d:
		select {}
	default:
	}
}

// statuses is used only by a worker that begins a round.
type statuses struct {
	status.Manager
	dead death
}

func (s statuses) GetPodStatus(uid types.UID) (corev1.PodStatus, bool) {
	s.dead.block()
	return s.Manager.GetPodStatus(uid)
}

type execProber struct {
	own  execprobe.Prober
	dead death
}

func (p execProber) Probe(command exec.Cmd) (probe.Result, string, error) {
	defer p.dead.block()
	return p.own.Probe(command)
}

type httpProber struct {
	own  httpprobe.Prober
	dead death
}

func (p httpProber) Probe(request *http.Request, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.block()
	return p.own.Probe(request, timeout)
}

type tcpProber struct {
	own  tcpprobe.Prober
	dead death
}

func (p tcpProber) Probe(host string, port int, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.block()
	return p.own.Probe(host, port, timeout)
}

type grpcProber struct {
	own  grpcprobe.Prober
	dead death
}

func (p grpcProber) Probe(host, service string, port int, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.block()
	return p.own.Probe(host, service, port, timeout)
}

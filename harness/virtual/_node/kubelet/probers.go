package kubelet

import (
	"errors"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/status"
	"k8s.io/kubernetes/pkg/probe"
	execprobe "k8s.io/kubernetes/pkg/probe/exec"
	grpcprobe "k8s.io/kubernetes/pkg/probe/grpc"
	httpprobe "k8s.io/kubernetes/pkg/probe/http"
	tcpprobe "k8s.io/kubernetes/pkg/probe/tcp"
	"k8s.io/utils/exec"
)

// Probes outlive their kubelet, as a prober's worker looks at no context: it would go on probing by whatever dialer the process has (pkg/probe/tcp and grpc
// ask for one with each probe), and count its results in the process' counters, or take those of the next kubelet away when it ends. So a worker of a dead
// kubelet is ended where it waits for its next round (probers.CleanupPods), and everywhere else is kept for ever where it would begin a round, or get a
// probe's result. It holds no mutex there.

// probers is what is needed of a kubelet's prober manager.
type probers interface {
	CleanupPods(desired map[types.UID]sets.Empty)
}

// mortal makes a kubelet's probes end with it.
func mortal(kl *kubelet.Kubelet, dead death) (probers, error) {
	err := errors.Join(
		exchange(kl, func(m status.Manager) status.Manager { return statuses{m, dead} }, "probeManager", "statusManager"),
		exchange(kl, func(p execprobe.Prober) execprobe.Prober { return execProber{p, dead} }, "probeManager", "prober", "exec"),
		exchange(kl, func(p httpprobe.Prober) httpprobe.Prober { return httpProber{p, dead} }, "probeManager", "prober", "http"),
		exchange(kl, func(p tcpprobe.Prober) tcpprobe.Prober { return tcpProber{p, dead} }, "probeManager", "prober", "tcp"),
		exchange(kl, func(p grpcprobe.Prober) grpcprobe.Prober { return grpcProber{p, dead} }, "probeManager", "prober", "grpc"),
	)
	if err != nil {
		return nil, err
	}
	at, err := private(kl, "probeManager")
	if err != nil {
		return nil, err
	}
	return at.Interface().(probers), nil
}

// death is a channel that is closed when a kubelet dies.
type death <-chan struct{}

// keep keeps who is dead for ever.
func (d death) keep() {
	select {
	case <-d:
		select {}
	default:
	}
}

// statuses are asked for when a worker begins a round, and by nobody else.
type statuses struct {
	status.Manager
	dead death
}

func (s statuses) GetPodStatus(uid types.UID) (corev1.PodStatus, bool) {
	s.dead.keep()
	return s.Manager.GetPodStatus(uid)
}

type execProber struct {
	own  execprobe.Prober
	dead death
}

func (p execProber) Probe(command exec.Cmd) (probe.Result, string, error) {
	defer p.dead.keep()
	return p.own.Probe(command)
}

type httpProber struct {
	own  httpprobe.Prober
	dead death
}

func (p httpProber) Probe(request *http.Request, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.keep()
	return p.own.Probe(request, timeout)
}

type tcpProber struct {
	own  tcpprobe.Prober
	dead death
}

func (p tcpProber) Probe(host string, port int, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.keep()
	return p.own.Probe(host, port, timeout)
}

type grpcProber struct {
	own  grpcprobe.Prober
	dead death
}

func (p grpcProber) Probe(host, service string, port int, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.keep()
	return p.own.Probe(host, service, port, timeout)
}

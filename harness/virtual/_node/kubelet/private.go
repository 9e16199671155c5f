package kubelet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"time"
	"unsafe"

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

func private(kl *kubelet.Kubelet, path ...string) (reflect.Value, error) {
	at := reflect.ValueOf(kl)
	for _, name := range path {
		for at.Kind() == reflect.Interface || at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return at, fmt.Errorf("find %v in the kubelet: the parent of %s is a %v in this version, not a struct: "+
				"look for its new place", path, name, at.Kind())
		}
		field := at.FieldByName(name)
		if !field.IsValid() {
			return at, fmt.Errorf("find %v in the kubelet: %v has no field %s in this version: look for its new place",
				path, at.Type(), name)
		}
		at = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	}
	return at, nil
}

func exchange[T any](kl *kubelet.Kubelet, other func(T) T, path ...string) error {
	at, err := private(kl, path...)
	if err != nil {
		return err
	}
	field, ok := at.Addr().Interface().(*T)
	if !ok {
		return fmt.Errorf("replace %v in the kubelet: it is a %v in this version: adapt the replacement", path,
			at.Type())
	}
	*field = other(*field)
	return nil
}

func hooksDial(kl *kubelet.Kubelet, dial func(ctx context.Context, network, address string) (net.Conn, error)) error {
	at, err := private(kl, "containerRuntime", "runner", "httpDoer")
	if err != nil {
		return err
	}
	client, ok := at.Interface().(*http.Client)
	if !ok {
		return fmt.Errorf("the client of HTTP hooks is a %v in this version; make that one dial", at.Elem().Type())
	}
	return dialBy(client, dial)
}

// dialBy keeps the rest of the client's transport, such as trusted certificates.
func dialBy(client *http.Client, dial func(ctx context.Context, network, address string) (net.Conn, error)) error {
	transport, ok := client.Transport.(*http.Transport)
	if !ok {
		return fmt.Errorf("the client of HTTP hooks has a %T in this version; make that one dial", client.Transport)
	}
	transport = transport.Clone()
	transport.DialContext = dial
	client.Transport = transport
	return nil
}

// mortal ends a kubelet's probes with the kubelet. A prober's worker uses no context: it would dial and count for
// the next kubelet, and remove its counters at its end. The pod's worker, which also lives on, would replace a
// stopped one (prober_manager.go AddPod). So a dead kubelet's worker blocks forever, without a mutex, at the
// beginning of a round and at a probe's result.
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

type death <-chan struct{}

func (d death) block() {
	select {
	case <-d:
		select {}
	default:
	}
}

// Only a worker that begins a round uses statuses.
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
	httpprobe.Prober
	dead death
}

func (p httpProber) Probe(request *http.Request, timeout time.Duration) (probe.Result, string, error) {
	defer p.dead.block()
	return p.Prober.Probe(request, timeout)
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

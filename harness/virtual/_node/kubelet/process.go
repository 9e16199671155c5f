package kubelet

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"unsafe" // for go:linkname, too

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet"
)

// hooksDial makes the HTTP client of a kubelet's hooks dial what its probes dial. Nothing of the kubelet gives that client away, so it is taken from
// where NewMainKubelet has put it.
func hooksDial(kl *kubelet.Kubelet, dial func(ctx context.Context, network, address string) (net.Conn, error)) error {
	at := reflect.ValueOf(kl)
	for _, name := range []string{"containerRuntime", "runner", "httpDoer"} {
		for at.Kind() == reflect.Interface || at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		field := at.FieldByName(name)
		if !field.IsValid() {
			return fmt.Errorf("find the HTTP client of hooks: %v has no field %s in this version", at.Type(), name)
		}
		at = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	}
	client, ok := at.Interface().(*http.Client)
	if !ok {
		return fmt.Errorf("find the HTTP client of hooks: it is a %v in this version", at.Elem().Type())
	}
	client.Transport = &http.Transport{DialContext: dial}
	return nil
}

// registry is where all metrics of the process are.
//
//go:linkname registry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var registry metrics.KubeRegistry

// forgetCollectors lets a second kubelet of the process register its metrics: the registry of the first one would refuse them. Those that are
// variables of the process, such as the probes' counters, stay in the first one, and count on.
func forgetCollectors() {
	registry = metrics.NewKubeRegistry()
	legacyregistry.Register = registry.Register
	legacyregistry.MustRegister = registry.MustRegister
	legacyregistry.RawMustRegister = registry.RawMustRegister
	prometheus.DefaultRegisterer = prometheus.NewRegistry()
}

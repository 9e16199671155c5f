package kubelet

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

// registry holds all metrics of the process.
//
//go:linkname registry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var registry metrics.KubeRegistry

// forgetCollectors gives a kubelet its own metrics, as a new process has. The old ones would prevent it from
// registering its metrics. The probes' counters are a variable of the process, registered once (see probes) and
// reset here: no worker of a dead kubelet counts in them any more.
func forgetCollectors() {
	overwrite("legacyregistry.defaultRegistry", &registry, metrics.NewKubeRegistry())
	legacyregistry.Register = registry.Register
	legacyregistry.MustRegister = registry.MustRegister
	legacyregistry.RawMustRegister = registry.RawMustRegister
	prometheus.DefaultRegisterer = prometheus.NewRegistry()
	prober.ProberResults.Reset()
}

// overwrite sets a variable of another package by go:linkname. If that package has no such variable, the linker
// makes a new one, which is empty.
func overwrite[T comparable](name string, variable *T, value T) {
	var none T
	if *variable == none {
		panic(fmt.Sprintf("%s is not a variable of this version of Kubernetes, or is not set yet: "+
			"find its replacement, or do without it", name))
	}
	*variable = value
}

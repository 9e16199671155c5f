package kubelet

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

// registry is where all metrics of the process are.
//
//go:linkname registry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var registry metrics.KubeRegistry

// forgetCollectors gives a kubelet metrics of its own, as a new process has. Those before would keep it
// from registering its metrics. The probes' counters are a variable of the process, registered once (see
// probes) and emptied here: no worker of a dead kubelet counts in them any more.
func forgetCollectors() {
	overwrite("legacyregistry.defaultRegistry", &registry, metrics.NewKubeRegistry())
	legacyregistry.Register = registry.Register
	legacyregistry.MustRegister = registry.MustRegister
	legacyregistry.RawMustRegister = registry.RawMustRegister
	prometheus.DefaultRegisterer = prometheus.NewRegistry()
	prober.ProberResults.Reset()
}

// overwrite sets a variable that is another package's by go:linkname. The linker takes one whose name that
// package has not for a new one, which is empty.
func overwrite[T comparable](name string, variable *T, value T) {
	var none T
	if *variable == none {
		panic(
			fmt.Sprintf(
				"%s is no variable of this version of Kubernetes, or is not set yet: find what is in its place, or what to do without",
				name,
			),
		)
	}
	*variable = value
}

package kubelet

import (
	"fmt"
	"strings"
	_ "unsafe" // for go:linkname

	"github.com/prometheus/client_golang/prometheus"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

// Metrics are not registered, except for the probes' counters: a registration yields, and what is registered once in a
// process would make its first node yield where the others do not. A metric outside of all registries counts nothing.
func init() {
	overwrite("legacyregistry.defaultRegistry", &registry, metrics.KubeRegistry(kept{registry}))
	legacyregistry.Register = func(metrics.Registerable) error { return nil }
	legacyregistry.MustRegister = func(...metrics.Registerable) {}
	legacyregistry.RawMustRegister = func(...prometheus.Collector) {}
	prometheus.DefaultRegisterer = none{}
}

// registry is where Kubernetes' packages register.
//
//go:linkname registry k8s.io/component-base/metrics/legacyregistry.defaultRegistry
var registry metrics.KubeRegistry

// kept is a registry that takes no further collectors.
type kept struct{ metrics.KubeRegistry }

func (kept) CustomRegister(metrics.StableCollector) error  { return nil }
func (kept) CustomMustRegister(...metrics.StableCollector) {}

type none struct{}

func (none) Register(prometheus.Collector) error  { return nil }
func (none) MustRegister(...prometheus.Collector) {}
func (none) Unregister(prometheus.Collector) bool { return false }

// overwrite sets a variable of another package by go:linkname. The linker makes an empty one if there is none.
func overwrite[T comparable](name string, variable *T, value T) {
	var none T
	if *variable == none {
		panic(fmt.Sprintf("%s is not a variable of this version of Kubernetes, or is not set yet: "+
			"find its replacement, or do without it", name))
	}
	*variable = value
}

// The second of Kubernetes' error handlers sleeps between errors within a millisecond. It counts from the process'
// start, so in a bubble the first error's goroutine would sleep for decades. The first one logs.
func init() { utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] }

// probes is the registry of the probes' counters (/metrics/probes), a variable of the process that each kubelet resets.
var probes = func() metrics.KubeRegistry {
	registry := metrics.NewKubeRegistry()
	registry.MustRegister(prober.ProberResults)
	return registry
}()

// FailedProbes returns prober_probe_total's failures by pod UID, container, and probe type in lower case.
func FailedProbes() (map[string]map[string]map[string]int, error) {
	families, err := probes.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather the probes' counters: %w", err)
	}
	failed := map[string]map[string]map[string]int{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range m.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if family.GetName() != "prober_probe_total" || labels["result"] != "failed" {
				continue
			}
			pod, container := labels["pod_uid"], labels["container"]
			if failed[pod] == nil {
				failed[pod] = map[string]map[string]int{}
			}
			if failed[pod][container] == nil {
				failed[pod][container] = map[string]int{}
			}
			failed[pod][container][strings.ToLower(labels["probe_type"])] = int(m.GetCounter().GetValue())
		}
	}
	return failed, nil
}

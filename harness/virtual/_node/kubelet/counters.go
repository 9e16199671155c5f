package kubelet

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/kubernetes/pkg/kubelet/prober"
)

// probes is the registry of the probes' counters, which the kubelet's server serves as /metrics/probes. A counter
// outside of all registries counts nothing.
var probes = sync.OnceValue(func() metrics.KubeRegistry {
	registry := metrics.NewKubeRegistry()
	registry.MustRegister(prober.ProberResults)
	return registry
})

// FailedProbes returns the kubelet's counts of failed probes (prober_probe_total): by the pod's UID, the container,
// and the probe's type in lower case.
func FailedProbes() (map[string]map[string]map[string]int, error) {
	families, err := probes().Gather()
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

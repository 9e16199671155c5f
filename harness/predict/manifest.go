package predict

import "github.com/podclock/podclock/harness/manifest"

// Workloads are what a manifest's objects are to predictions, in their order.
func Workloads(m manifest.Manifest) []Workload {
	all := make([]Workload, len(m.Objects))
	for i, o := range m.Objects {
		all[i] = Workload{
			Document:  o.Document,
			Line:      o.Line,
			Kind:      o.Kind,
			Namespace: o.Namespace,
			Name:      o.Name,
			Pod:       o.Pod,
			PodPath:   o.PodPath,
			lineOf:    o.LineOf,
		}
	}
	return all
}

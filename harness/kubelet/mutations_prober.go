package kubelet

// proberMutations break what the kubelet's prober does: how often it asks, what it counts, what a result leads to.
func proberMutations() []Mutation {
	return []Mutation{
		{
			Name: "resultrun-one", Component: TheKubelet,
			File: "pkg/kubelet/prober/worker.go", Within: "worker.doProbe",
			Now: "w.resultRun = 0", Mutant: "w.resultRun = 1",
			Breaks: "A container is killed by failureThreshold failing probes in every life. " +
				"Here the count begins at one after a kill, so later lives are killed one failing probe early.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes PR 62853",
		},
		{
			Name: "resultrun-kept", Component: TheKubelet,
			File: "pkg/kubelet/prober/worker.go", Within: "worker.doProbe",
			Now: "w.resultRun = 0", Mutant: "w.resultRun = w.resultRun",
			Breaks: "A container is killed by failureThreshold failing probes in every life. " +
				"Here the count outlives a kill, so later lives are killed by their first failing probe.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes#53530",
		},
	}
}

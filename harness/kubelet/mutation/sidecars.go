package mutation

const (
	terminationOrder       = "pkg/kubelet/kuberuntime/kuberuntime_termination_order.go"
	newTerminationOrdering = "newTerminationOrdering"
	waitForTurn            = "terminationOrdering.waitForTurn"
)

// sidecarMutations break when the sidecars of a pod are ended, and what is left to them.
func sidecarMutations() []Mutation {
	return []Mutation{
		{
			Name: "sidecar-wait-not-subtracted", File: containerRuntime, Within: killContainer,
			Now:    "gracePeriod -= int64(ordering.waitForTurn(containerName, gracePeriod))",
			Mutant: "_ = ordering.waitForTurn(containerName, gracePeriod)",
			Breaks: "All containers of a pod share its grace period. Here a sidecar has all of it from its own " +
				"SIGTERM on, however long it waited for its turn.",
			Formula: "sidecars/remainder", Versions: since134,
		},
		{
			Name: "sidecar-wait-forgotten-at-the-end", File: terminationOrder, Within: waitForTurn,
			Now:    "case <-remainingGrace.C: return time.Since(start).Seconds()",
			Mutant: "case <-remainingGrace.C: return 0",
			Breaks: "A sidecar that waited for its turn until the grace period was over has two seconds left. Here " +
				"such a wait counts for nothing, and the whole grace period begins again.",
			Formula: "sidecars/remainder", Versions: since134,
		},
		{
			Name: "sidecars-in-forward-order", File: terminationOrder, Within: newTerminationOrdering,
			Now: "pod.Spec.InitContainers[len(pod.Spec.InitContainers)-i-1]", Mutant: "pod.Spec.InitContainers[i]",
			Breaks: "Sidecars are ended in the reverse of the order in which they began. Here they are ended in " +
				"that order.",
			Formula: "sidecars/signal", Versions: since134,
		},
		{
			Name: "sidecar-with-the-mains", File: terminationOrder, Within: newTerminationOrdering,
			Now:     "to.prereqs[ic.Name] = append(to.prereqs[ic.Name], mainContainerChannels...)",
			Mutant:  "_ = mainContainerChannels",
			Breaks:  "Sidecars are ended after the main containers. Here the last sidecar gets SIGTERM with them.",
			Formula: "sidecars/signal", Versions: since134,
		},
		{
			Name: "sidecars-together", File: terminationOrder, Within: newTerminationOrdering,
			Now:    "to.prereqs[ic.Name] = append(to.prereqs[ic.Name], to.terminated[previousSidecarName])",
			Mutant: "_ = to.terminated[previousSidecarName]",
			Breaks: "A sidecar is ended after the sidecars that began after it. Here all sidecars are ended when " +
				"the main containers are dead.",
			Formula: "sidecars/signal", Versions: since134,
		},
		{
			Name: "order-broken-by-init-container", File: terminationOrder, Within: newTerminationOrdering,
			Now: "previousSidecarName = ic.Name; }", Mutant: "}\npreviousSidecarName = ic.Name",
			Breaks: "A sidecar waits for the next sidecar, whatever stands between them. Here an ordinary init " +
				"container between them, which has long ended, is taken for the one to wait for.",
			Formula: "sidecars/signal", Versions: since134,
		},
		{
			Name: "stopped-sidecar-waited-for", File: terminationOrder, Within: newTerminationOrdering,
			Now: "if _, isRunning := runningContainers[ic.Name]; !isRunning { close(channel); }", Mutant: "",
			Breaks: "A sidecar waits only for containers that run. Here it waits for one that does not run, until " +
				"the grace period is over.",
			Formula: "sidecars/signal", Versions: since134, Reference: "kubernetes#125880",
		},
		{
			Name: "stopped-main-waited-for", File: terminationOrder, Within: newTerminationOrdering,
			Now: "if _, isRunning := runningContainers[c.Name]; !isRunning { close(channel); }", Mutant: "",
			Breaks: "A sidecar waits only for containers that run. Here it waits for a main container that has " +
				"ended before the kill, until the grace period is over.",
			Formula: "sidecars/signal", Versions: since134,
		},
		{
			Name: "end-never-told", File: containerRuntime, Within: killContainer,
			Now: "ordering.containerTerminated(containerName)", Mutant: "_ = containerName",
			Breaks: "A sidecar is ended as soon as those before it are dead. Here nobody tells it, and it waits " +
				"until the grace period is over.",
			Formula: "sidecars/signal", Versions: since134,
		},
	}
}

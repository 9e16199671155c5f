package mutation

const (
	terminationOrder       = "pkg/kubelet/kuberuntime/kuberuntime_termination_order.go"
	newTerminationOrdering = "newTerminationOrdering"
	waitForTurn            = "terminationOrdering.waitForTurn"
)

func sidecarMutations() []Mutation {
	shared := Mutation{
		File: terminationOrder, Within: newTerminationOrdering, Formula: "sidecars/signal", Versions: since134,
	}
	return with(shared, []Mutation{
		{
			Name: "sidecar-wait-not-subtracted", File: containerRuntime, Within: killContainer,
			Now:    "gracePeriod -= int64(ordering.waitForTurn(containerName, gracePeriod))",
			Mutant: "_ = ordering.waitForTurn(containerName, gracePeriod)",
			Breaks: "All containers share the pod's grace period. The mutant gives a sidecar all of it from its " +
				"SIGTERM on.",
			Formula: "sidecars/remainder",
		}, {
			Name: "sidecar-wait-forgotten-at-the-end", Within: waitForTurn,
			Now:    "case <-remainingGrace.C: return time.Since(start).Seconds()",
			Mutant: "case <-remainingGrace.C: return 0",
			Breaks: "A sidecar that waited for the whole grace period has two seconds left. The mutant gives it all " +
				"again.",
			Formula: "sidecars/remainder",
		}, {
			Name: "sidecars-start-in-reverse", File: containerRuntime,
			Within: "kubeGenericRuntimeManager.computeInitContainerActions", Formula: "sidecars/start-again-in-order",
			Now: "l := len(changes.InitContainersToStart)", Mutant: "l := 0",
			Breaks: "Sidecars start again in the order of the specification. The mutant starts the last one first.",
		}, {
			Name: "sidecars-in-forward-order",
			Now:  "pod.Spec.InitContainers[len(pod.Spec.InitContainers)-i-1]", Mutant: "pod.Spec.InitContainers[i]",
			Breaks: "Sidecars end in the reverse order of their start. The mutant uses the order of their start.",
		}, {
			Name:   "sidecar-with-the-mains",
			Now:    "to.prereqs[ic.Name] = append(to.prereqs[ic.Name], mainContainerChannels...)",
			Mutant: "_ = mainContainerChannels",
			Breaks: "Sidecars end after the main containers. The mutant signals the last sidecar together with them.",
		}, {
			Name:   "sidecars-together",
			Now:    "to.prereqs[ic.Name] = append(to.prereqs[ic.Name], to.terminated[previousSidecarName])",
			Mutant: "_ = to.terminated[previousSidecarName]",
			Breaks: "A sidecar ends after later sidecars. The mutant ends all after the main containers.",
		}, {
			Name: "order-broken-by-init-container",
			Now:  "previousSidecarName = ic.Name; }", Mutant: "}\npreviousSidecarName = ic.Name",
			Breaks: "A sidecar waits for the next sidecar. The mutant waits for an init container between them.",
		}, {
			Name: "stopped-sidecar-waited-for",
			Now:  "if _, isRunning := runningContainers[ic.Name]; !isRunning { close(channel); }", Mutant: "",
			Breaks:    "A sidecar waits only for running containers. The mutant waits for a stopped sidecar.",
			Reference: "kubernetes#125880",
		}, {
			Name: "stopped-main-waited-for",
			Now:  "if _, isRunning := runningContainers[c.Name]; !isRunning { close(channel); }", Mutant: "",
			Breaks: "A sidecar waits only for running containers. The mutant waits for a main container that has " +
				"ended.",
		}, {
			Name: "sidecars-never-started", File: runtimeManager, Within: "kubeGenericRuntimeManager.SyncPod",
			Now: "container := &pod.Spec.InitContainers[idx]",
			Mutant: "container := &pod.Spec.InitContainers[idx]\n" +
				"if podutil.IsRestartableInitContainer(container) { continue }",
			Breaks:  "The kubelet starts the sidecars of a pod. The mutant starts none, so their pods wait for ever.",
			Formula: "kubelet/starts",
		}, {
			Name: "end-never-told", File: containerRuntime, Within: killContainer,
			Now: "ordering.containerTerminated(containerName)", Mutant: "_ = containerName",
			Breaks: "A sidecar ends as soon as those before it have ended. The mutant waits until the grace period " +
				"ends.",
		},
	})
}

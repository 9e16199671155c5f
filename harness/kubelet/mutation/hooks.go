package mutation

const (
	lifecycleHandlers  = "pkg/kubelet/lifecycle/handlers.go"
	executePreStopHook = "kubeGenericRuntimeManager.executePreStopHook"
)

// hookMutations break how a preStop hook is run, how long it is waited for, and how its time is counted.
func hookMutations() []Mutation {
	return []Mutation{
		{
			Name: "sleep-hook-in-milliseconds", File: lifecycleHandlers, Within: "handlerRunner.runSleepHandler",
			Now: "time.Duration(seconds) * time.Second", Mutant: "time.Duration(seconds) * time.Millisecond",
			Breaks:  "The sleep action delays SIGTERM by its seconds. Here it takes them for milliseconds.",
			Formula: "termination/sleep-then-signal", Versions: since134,
		},
		{
			Name: "exec-hook-cut", File: lifecycleHandlers, Within: "handlerRunner.Run",
			Now: "handler.Exec.Command, 0)", Mutant: "handler.Exec.Command, time.Second)",
			Breaks:  "A hook may take all of the grace period. Here one that is a process is killed after a second.",
			Formula: "termination/hook-bound", Versions: since123,
		},
		{
			Name: "force-delete-without-hook", File: "pkg/kubelet/pod_workers.go",
			Within: "calculateEffectiveGracePeriod", Now: "if gracePeriod < 1 {", Mutant: "if gracePeriod < 0 {",
			Breaks: "A delete without grace has one second, in which the preStop hook is run. Here it has none, and " +
				"no hook is run.",
			Formula: "termination/hook-runs", Versions: since134,
		},
		{
			Name: "hook-needs-two-seconds", File: containerRuntime, Within: killContainer,
			Now:    "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 0",
			Mutant: "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 1",
			Breaks: "The preStop hook is run where there is any grace. Here a grace period of one second is too " +
				"short for it.",
			Formula: "termination/hook-runs", Versions: since123,
		},
		{
			Name: "hook-without-grace", File: containerRuntime, Within: killContainer,
			Now:     "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 0",
			Mutant:  "containerSpec.Lifecycle.PreStop != nil && gracePeriod >= 0",
			Breaks:  "Without grace no preStop hook is run. Here it is begun, and not waited for.",
			Formula: "termination/hook-runs", Versions: since123,
		},
		{
			Name: "hook-seconds-rounded-up", File: containerRuntime, Within: executePreStopHook,
			Now:    "int64(metav1.Now().Sub(start.Time).Seconds())",
			Mutant: "int64((metav1.Now().Sub(start.Time) + time.Second - 1) / time.Second)",
			Breaks: "Of the hook's time whole seconds that have passed are subtracted. Here the second that it " +
				"began counts as a whole one.",
			Formula: "termination/remainder", Versions: hookSubtractedLast,
		},
		{
			Name: "hook-counted-in-milliseconds", File: containerRuntime, Within: executePreStopHook,
			Now: "metav1.Now().Sub(start.Time).Seconds()", Mutant: "metav1.Now().Sub(start.Time).Milliseconds()",
			Breaks: "The hook's seconds are subtracted from the grace period. Here its milliseconds are, as if they " +
				"were seconds: two seconds are left after any hook.",
			Formula: "termination/remainder", Versions: hookSubtractedLast,
		},
		{
			Name: "hook-bound-in-milliseconds", File: containerRuntime, Within: executePreStopHook,
			Now: "time.Duration(gracePeriod) * time.Second", Mutant: "time.Duration(gracePeriod) * time.Millisecond",
			Breaks: "A hook is waited for until the grace period is over. Here its seconds are taken for " +
				"milliseconds, and SIGTERM overtakes every hook.",
			Formula: "termination/hook-then-signal", Versions: since123,
		},
		{
			Name: "failed-hook-repeated", File: containerRuntime, Within: executePreStopHook,
			Now: "if _, err := m.runner.Run(ctx, containerID, pod, containerSpec, containerSpec.Lifecycle.PreStop); " +
				"err != nil {",
			Mutant: "_, err := m.runner.Run(ctx, containerID, pod, containerSpec, " +
				"containerSpec.Lifecycle.PreStop)\nif err != nil { _, err = m.runner.Run(ctx, containerID, pod, " +
				"containerSpec, containerSpec.Lifecycle.PreStop) }\nif err != nil {",
			Breaks:  "A hook is run once, whatever becomes of it. Here one that failed is run a second time.",
			Formula: "termination/hook-runs", Versions: since134,
		},
		{
			Name: "hook-of-first-container", File: containerRuntime, Within: killContainer,
			Now:    "kubecontainer.GetContainerSpec(pod, containerName)",
			Mutant: "kubecontainer.GetContainerSpec(pod, pod.Spec.Containers[0].Name)",
			Breaks: "Every container is killed with its own hook. Here all are killed with that of the pod's first " +
				"container, if it has one.",
			Formula: "termination/hook-runs", Versions: since123,
		},
		{
			Name: "hook-port-of-first-container", File: lifecycleHandlers, Within: "handlerRunner.runHTTPHandler",
			Now:    `httpprobe.NewRequestForHTTPGetAction(handler.HTTPGet, container, podIP, "lifecycle")`,
			Mutant: `httpprobe.NewRequestForHTTPGetAction(handler.HTTPGet, &pod.Spec.Containers[0], podIP, "lifecycle")`,
			Breaks: "A hook over HTTP asks the port of its own container that it names. Here the name is looked up " +
				"among the ports of the pod's first container.",
			Formula: "termination/hook-runs", Versions: since134,
		},
	}
}

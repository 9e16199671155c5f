package mutation

const (
	lifecycleHandlers  = "pkg/kubelet/lifecycle/handlers.go"
	executePreStopHook = "kubeGenericRuntimeManager.executePreStopHook"
)

func hookMutations() []Mutation {
	shared := Mutation{File: containerRuntime, Formula: "termination/hook-runs"}
	return with(shared, []Mutation{
		{
			Name: "sleep-hook-in-milliseconds", File: lifecycleHandlers, Within: "handlerRunner.runSleepHandler",
			Now: "time.Duration(seconds) * time.Second", Mutant: "time.Duration(seconds) * time.Millisecond",
			Breaks:  "The sleep action delays SIGTERM by its seconds. The mutant reads them as milliseconds.",
			Formula: "termination/sleep-then-signal", Versions: since134,
		}, {
			Name: "exec-hook-cut", File: lifecycleHandlers, Within: "handlerRunner.Run",
			Now: "handler.Exec.Command, 0)", Mutant: "handler.Exec.Command, time.Second)",
			Breaks:  "A hook may use the whole grace period. The mutant kills an exec hook after a second.",
			Formula: "termination/hook-bound", Versions: since123,
		}, {
			Name: "fallback-reported", File: "pkg/kubelet/container/helpers.go", Within: "innerEventRecorder.Event",
			Now: "if ref, ok := irecorder.shouldRecordEvent(object); ok {",
			Mutant: "if _, ok := object.(*v1.Pod); ok {\nirecorder.recorder.Event(object, eventtype, reason, message)\n}\n" +
				"if ref, ok := irecorder.shouldRecordEvent(object); ok {",
			Breaks:  "The fallback of a hook to HTTP causes no event, because it is about the pod. The mutant records it.",
			Formula: "termination/fallback-silent", Versions: since134,
		}, {
			Name: "force-delete-without-hook", File: "pkg/kubelet/pod_workers.go",
			Within: "calculateEffectiveGracePeriod", Now: "if gracePeriod < 1 {", Mutant: "if gracePeriod < 0 {",
			Breaks:   "A delete without grace leaves the hook one second. The mutant leaves none and runs no hook.",
			Versions: since134,
		}, {
			Name: "hook-bound-by-pod", Within: killContainer,
			Now: "m.executePreStopHook(ctx, pod, containerID, containerSpec, gracePeriod)",
			Mutant: "m.executePreStopHook(ctx, pod, containerID, containerSpec, " +
				"*pod.Spec.TerminationGracePeriodSeconds)",
			Breaks: "A hook may use the kill's grace period, which may be the probe's own. The mutant's may use the " +
				"pod's.",
			Formula: "termination/hook-bound", Versions: since134,
		}, {
			Name: "hook-needs-two-seconds", Within: killContainer,
			Now:      "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 0",
			Mutant:   "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 1",
			Breaks:   "The preStop hook runs if there is any grace. The mutant does not run it in one second.",
			Versions: since123,
		}, {
			Name: "hook-without-grace", Within: killContainer,
			Now:    "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 0",
			Mutant: "containerSpec.Lifecycle.PreStop != nil && gracePeriod >= 0",
			Breaks: "No preStop hook runs without grace. The mutant starts it and does not wait.", Versions: since123,
		}, {
			Name: "hook-seconds-rounded-up", Within: executePreStopHook,
			Now:     "int64(metav1.Now().Sub(start.Time).Seconds())",
			Mutant:  "int64((metav1.Now().Sub(start.Time) + time.Second - 1) / time.Second)",
			Breaks:  "The kubelet subtracts the whole seconds that the hook took. The mutant rounds them up.",
			Formula: "termination/remainder", Versions: hookSubtractedLast,
		}, {
			Name: "hook-counted-in-milliseconds", Within: executePreStopHook,
			Now: "metav1.Now().Sub(start.Time).Seconds()", Mutant: "metav1.Now().Sub(start.Time).Milliseconds()",
			Breaks: "The hook's seconds are subtracted from the grace period. The mutant subtracts its milliseconds " +
				"as seconds.",
			Formula: "termination/remainder", Versions: hookSubtractedLast,
		}, {
			Name: "hook-bound-in-milliseconds", Within: executePreStopHook,
			Now: "time.Duration(gracePeriod) * time.Second", Mutant: "time.Duration(gracePeriod) * time.Millisecond",
			Breaks: "The kubelet waits for a hook until the grace period ends. The mutant waits for as many " +
				"milliseconds.",
			Formula: "termination/hook-then-signal", Versions: since123,
		}, {
			Name: "failed-hook-repeated", Within: executePreStopHook,
			Now: "if _, err := m.runner.Run(ctx, containerID, pod, containerSpec, containerSpec.Lifecycle.PreStop); " +
				"err != nil {",
			Mutant: "_, err := m.runner.Run(ctx, containerID, pod, containerSpec, " +
				"containerSpec.Lifecycle.PreStop)\nif err != nil { _, err = m.runner.Run(ctx, containerID, pod, " +
				"containerSpec, containerSpec.Lifecycle.PreStop) }\nif err != nil {",
			Breaks: "A hook runs once, even if it fails. The mutant runs a failed hook again.", Versions: since134,
		}, {
			Name: "hook-of-first-container", Within: killContainer,
			Now:      "kubecontainer.GetContainerSpec(pod, containerName)",
			Mutant:   "kubecontainer.GetContainerSpec(pod, pod.Spec.Containers[0].Name)",
			Breaks:   "Every container has its own hook. The mutant uses the hook of the pod's first container.",
			Versions: since123,
		}, {
			Name: "hook-port-of-first-container", File: lifecycleHandlers, Within: "handlerRunner.runHTTPHandler",
			Now: `httpprobe.NewRequestForHTTPGetAction(handler.HTTPGet, container, podIP, "lifecycle")`,
			Mutant: `httpprobe.NewRequestForHTTPGetAction(` +
				`handler.HTTPGet, &pod.Spec.Containers[0], podIP, "lifecycle")`,
			Breaks:   "An HTTP hook uses its own container's named port. The mutant uses the first container's.",
			Versions: since134,
		},
	})
}

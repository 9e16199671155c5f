package mutation

const (
	proberWorker  = "pkg/kubelet/prober/worker.go"
	proberManager = "pkg/kubelet/prober/prober_manager.go"
	proberProbes  = "pkg/kubelet/prober/prober.go"
)

// streakMutations break how results are counted, what they begin as, and what they lead to.
func streakMutations() []Mutation {
	return []Mutation{
		{
			Name: "resultrun-one", File: proberWorker, Within: "worker.doProbe",
			Now: "w.resultRun = 0", Mutant: "w.resultRun = 1",
			Breaks: "A container is killed by failureThreshold failing probes in every life. Here the count begins " +
				"at one after a kill, so later lives are killed one failing probe early.",
			Formula: "probes/failing-probes", Versions: Range{From: "v1.11.0"}, Reference: "kubernetes PR 62853",
		},
		{
			Name: "resultrun-kept", File: proberWorker, Within: "worker.doProbe",
			Now: "w.resultRun = 0", Mutant: "w.resultRun = w.resultRun",
			Breaks: "A container is killed by failureThreshold failing probes in every life. Here the count " +
				"outlives a kill, so later lives are killed by their first failing probe.",
			Formula: "probes/failing-probes", Versions: Range{From: "v1.11.0"}, Reference: "kubernetes#53530",
		},
		{
			Name: "resultrun-ends-with-life", File: proberWorker, Within: "worker.doProbe",
			Now: "w.onHold = false", Mutant: "w.onHold, w.resultRun = false, 0",
			Breaks: "The count of results outlives a container that ended by itself, which nobody promises. Here " +
				"each container begins with none, as the documentation has it.",
			Formula: "probes/failing-probes", Mends: true, Versions: since123,
		},
		{
			Name: "failure-threshold-plus-one", File: proberWorker, Within: "worker.doProbe",
			Now: "w.resultRun < int(w.spec.FailureThreshold)", Mutant: "w.resultRun <= int(w.spec.FailureThreshold)",
			Breaks:  "failureThreshold failing probes in a row kill a container. Here it takes one more.",
			Formula: "probes/failing-probes", Versions: since123,
		},
		{
			Name: "first-of-streak-uncounted", File: proberWorker, Within: "worker.doProbe",
			Now: "w.resultRun = 1", Mutant: "w.resultRun = 0",
			Breaks: "failureThreshold failing probes in a row kill a container, the first included. Here the probe " +
				"whose result differs from the one before does not count.",
			Formula: "probes/failing-probes", Versions: since123,
		},
		{
			Name: "success-threshold-plus-one", File: proberWorker, Within: "worker.doProbe",
			Now: "w.resultRun < int(w.spec.SuccessThreshold)", Mutant: "w.resultRun <= int(w.spec.SuccessThreshold)",
			Breaks:  "successThreshold successes in a row make a container ready. Here it takes one more.",
			Formula: "probes/ready-after-successes", Versions: since123,
		},
		{
			Name: "errors-count", File: proberWorker, Within: "worker.doProbe",
			Now: "if err != nil {", Mutant: "if _ = err; false {",
			Breaks:  "A probe that ends in an error counts for nothing. Here it counts as a failure.",
			Formula: "probes/errors-never-count", Versions: since123,
		},
		{
			Name: "on-hold-for-good", File: proberWorker, Within: "worker.doProbe",
			Now: "w.onHold = false", Mutant: "w.onHold = true",
			Breaks:  "A new container is probed. Here it puts its probes on hold, and no fault is ever found.",
			Formula: "probes/first-probe", Versions: since123,
		},
		{
			Name: "ready-before-probed", File: proberWorker, Within: "newWorker",
			Now: "w.initialValue = results.Failure", Mutant: "w.initialValue = results.Success",
			Breaks: "A container with a readiness probe is not ready before the probe has succeeded. Here it is " +
				"ready from its start on.",
			Formula: "probes/ready-after-successes", Versions: since123,
		},
		{
			Name: "unhealthy-before-probed", File: proberWorker, Within: "newWorker",
			Now: "w.initialValue = results.Success", Mutant: "w.initialValue = results.Failure",
			Breaks: "A container is healthy until its liveness probe says otherwise. Here it is killed before the " +
				"first probe.",
			Formula: "probes/no-kill", Versions: since123,
		},
	}
}

// tickMutations break when probes come.
func tickMutations() []Mutation {
	return []Mutation{
		{
			Name: "period-doubled", File: proberWorker, Within: "worker.run",
			Now:     "time.Duration(w.spec.PeriodSeconds) * time.Second",
			Mutant:  "2 * time.Duration(w.spec.PeriodSeconds) * time.Second",
			Breaks:  "Probes are periodSeconds apart. Here they are twice as far apart.",
			Formula: "probes/cadence", Versions: since123,
		},
		{
			Name: "first-probe-at-random", File: proberWorker, Within: "worker.run",
			Now: "if probeTickerPeriod > time.Since(w.probeManager.start) {", Mutant: "if true {",
			Breaks: "A probe's ticker begins with its pod; only a kubelet that was just started waits a random part " +
				"of the period first. Here every kubelet does.",
			Formula: "probes/first-tick", Versions: since123, Reference: "kubernetes#62036",
		},
		{
			Name: "delay-is-period", File: proberWorker, Within: "worker.doProbe",
			Now: "w.spec.InitialDelaySeconds", Mutant: "w.spec.PeriodSeconds",
			Breaks:  "The first probe waits for initialDelaySeconds. Here it waits for periodSeconds.",
			Formula: "probes/first-probe", Versions: since123,
		},
		{
			Name: "delay-in-milliseconds", File: proberWorker, Within: "worker.doProbe",
			Now:     "int32(time.Since(c.State.Running.StartedAt.Time).Seconds())",
			Mutant:  "int32(time.Since(c.State.Running.StartedAt.Time).Milliseconds())",
			Breaks:  "The first probe waits for initialDelaySeconds. Here it waits for as many milliseconds.",
			Formula: "probes/first-probe", Versions: since123,
		},
		{
			Name: "probed-while-terminating", File: proberManager, Within: "manager.StopLivenessAndStartup",
			Now: "range pod.Spec.Containers", Mutant: "range pod.Spec.InitContainers",
			Breaks: "Liveness and startup probes end when their pod begins to terminate. Here those of its main " +
				"containers go on.",
			Formula: "probes/while-terminating", Versions: since134, Reference: "kubernetes#107473",
		},
		{
			Name: "exec-readiness-goes-on", File: proberManager, Within: "manager.AddPod",
			Now:    "logger := klog.FromContext(ctx)",
			Mutant: "ctx = context.WithoutCancel(ctx); logger := klog.FromContext(ctx)",
			Breaks: "A terminating pod's readiness probes over exec are cancelled with the context of its last " +
				"sync. Here they go on, as those of the other handlers do and the documentation has it.",
			Formula: "probes/while-terminating", Mends: true, Versions: since135, Reference: "kubernetes#140881",
		},
	}
}

// startupMutations break what the startup probe holds back, and when it is over.
func startupMutations() []Mutation {
	const verdict = "(w.probeType == liveness && result == results.Failure) || w.probeType == startup"
	return []Mutation{
		{
			Name: "liveness-before-startup", File: proberWorker, Within: "worker.doProbe",
			Now: "if w.probeType != startup {", Mutant: "if w.probeType == readiness {",
			Breaks: "Neither liveness nor readiness probe comes before the startup probe has succeeded. Here the " +
				"liveness probe does not wait.",
			Formula: "probes/held-back-by-startup", Versions: since123,
		},
		{
			Name: "started-while-unknown", File: proberManager, Within: "manager.isContainerStarted",
			Now: "return result == results.Success", Mutant: "return result != results.Failure",
			Breaks: "A container counts as started when its startup probe has succeeded. Here it does as long as " +
				"the probe has not failed.",
			Formula: "probes/held-back-by-startup", Versions: since134,
		},
		{
			Name: "startup-never-on-hold", File: proberWorker, Within: "worker.doProbe",
			Now: verdict, Mutant: "w.probeType == liveness && result == results.Failure",
			Breaks: "A startup probe's verdict, good or bad, puts it on hold until there is another container. Here " +
				"it goes on, and its count outlives a kill.",
			Formula: "probes/startup-succeeds-once", Versions: Range{From: "v1.29.0"}, Reference: "kubernetes#117153",
		},
		{
			Name: "startup-probed-again", File: proberWorker, Within: "worker.doProbe",
			Now: verdict, Mutant: "(w.probeType == liveness || w.probeType == startup) && result == results.Failure",
			Breaks: "A startup probe is on hold from its success on. Here it comes once more where its next tick is " +
				"due before the success is seen, as it did up to 1.28.",
			Formula: "probes/startup-succeeds-once", Versions: Range{From: "v1.29.0"}, Reference: "kubernetes#117153",
		},
		{
			Name: "startup-worker-ends", File: proberWorker, Within: "worker.doProbe",
			Now: "if w.probeType == startup {\nreturn true\n}", Mutant: "if w.probeType == startup {\nreturn false\n}",
			Breaks: "A started container's startup probe stands by for the container after it. Here its worker ends " +
				"with every look that finds the container started, and the next container never sees a startup " +
				"probe.",
			Formula: "probes/startup-again", Versions: since123, Reference: "kubernetes#101064",
		},
		{
			Name: "started-not-inherited", File: "pkg/kubelet/kubelet_pods.go",
			Within: "Kubelet.convertToAPIContainerStatuses",
			Now:    "ok && oldStatus.Started != nil",
			Mutant: "ok && oldStatus.Started != nil && oldStatus.ContainerID == status.ContainerID",
			Breaks: "A restarted container inherits the started flag of the one before, so that liveness probes may " +
				"come before its startup probe. Here it inherits nothing, as the documentation has it.",
			Formula: "probes/startup-first-after-restart", Mends: true, Versions: since135,
			Reference: "kubernetes#141155",
		},
	}
}

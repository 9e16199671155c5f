package mutation

const (
	proberWorker  = "pkg/kubelet/prober/worker.go"
	proberManager = "pkg/kubelet/prober/prober_manager.go"
	proberProbes  = "pkg/kubelet/prober/prober.go"
)

// streakMutations break the count of results, their initial values, and their consequences.
func streakMutations() []Mutation {
	shared := Mutation{
		File: proberWorker, Within: "worker.doProbe", Formula: "probes/failing-probes", Versions: since123,
	}
	return with(shared, []Mutation{
		{
			Name: "resultrun-one", Now: "w.resultRun = 0", Mutant: "w.resultRun = 1",
			Breaks: "failureThreshold failing probes kill a container in every life. The mutant's count begins at " +
				"one after a kill, so one probe fewer kills later lives.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes PR 62853",
		},
		{
			Name: "resultrun-kept", Now: "w.resultRun = 0", Mutant: "w.resultRun = w.resultRun",
			Breaks: "failureThreshold failing probes kill a container in every life. The mutant keeps the count " +
				"over a kill, so the first failing probe kills later lives.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes#53530",
		},
		{
			Name: "resultrun-ends-with-life", Now: "w.onHold = false", Mutant: "w.onHold, w.resultRun = false, 0",
			Breaks: "The count of results survives a container that ends by itself, which no document promises. The " +
				"mutant resets it, as documented.",
			Mends: true,
		},
		{
			Name: "failure-threshold-plus-one",
			Now:  "w.resultRun < int(w.spec.FailureThreshold)", Mutant: "w.resultRun <= int(w.spec.FailureThreshold)",
			Breaks: "failureThreshold failing probes in a row kill a container. The mutant needs one more.",
		},
		{
			Name: "first-of-streak-uncounted", Now: "w.resultRun = 1", Mutant: "w.resultRun = 0",
			Breaks: "failureThreshold failing probes in a row kill a container, including the first. The mutant " +
				"does not count a probe whose result differs from the one before.",
		},
		{
			Name: "success-threshold-plus-one",
			Now:  "w.resultRun < int(w.spec.SuccessThreshold)", Mutant: "w.resultRun <= int(w.spec.SuccessThreshold)",
			Breaks:  "successThreshold successes in a row make a container ready. The mutant needs one more.",
			Formula: "probes/ready-after-successes",
		},
		{
			Name: "errors-count", Now: "if err != nil {", Mutant: "if _ = err; false {",
			Breaks:  "A probe that ends in an error does not count. The mutant counts it as a failure.",
			Formula: "probes/errors-never-count",
		},
		{
			Name: "on-hold-for-good", Now: "w.onHold = false", Mutant: "w.onHold = true",
			Breaks: "The kubelet probes a new container. The mutant puts its probes on hold, so it never finds a " +
				"fault.",
			Formula: "probes/first-probe",
		},
		{
			Name: "ready-before-probed", Within: "newWorker",
			Now: "w.initialValue = results.Failure", Mutant: "w.initialValue = results.Success",
			Breaks: "A container with a readiness probe is not ready before the probe succeeds. The mutant makes it " +
				"ready at its start.",
			Formula: "probes/ready-after-successes",
		},
		{
			Name: "unhealthy-before-probed", Within: "newWorker",
			Now: "w.initialValue = results.Success", Mutant: "w.initialValue = results.Failure",
			Breaks: "A container is healthy until its liveness probe fails. The mutant kills it before the first " +
				"probe.",
			Formula: "probes/no-kill",
		},
	})
}

// tickMutations break the times of probes.
func tickMutations() []Mutation {
	shared := Mutation{File: proberWorker, Versions: since123}
	return with(shared, []Mutation{
		{
			Name: "period-doubled", Within: "worker.run",
			Now:     "time.Duration(w.spec.PeriodSeconds) * time.Second",
			Mutant:  "2 * time.Duration(w.spec.PeriodSeconds) * time.Second",
			Breaks:  "Probes are periodSeconds apart. The mutant doubles the distance.",
			Formula: "probes/cadence",
		},
		{
			Name: "first-probe-at-random", Within: "worker.run",
			Now: "if probeTickerPeriod > time.Since(w.probeManager.start) {", Mutant: "if true {",
			Breaks: "A probe's ticker begins with its pod. Only a kubelet that has just started first waits a " +
				"random part of the period. The mutant always does.",
			Formula: "probes/first-tick", Reference: "kubernetes#62036",
		},
		{
			Name: "delay-is-period", Within: "worker.doProbe",
			Now: "w.spec.InitialDelaySeconds", Mutant: "w.spec.PeriodSeconds",
			Breaks:  "The first probe waits for initialDelaySeconds. The mutant waits for periodSeconds.",
			Formula: "probes/first-probe",
		},
		{
			Name: "delay-in-milliseconds", Within: "worker.doProbe",
			Now:     "int32(time.Since(c.State.Running.StartedAt.Time).Seconds())",
			Mutant:  "int32(time.Since(c.State.Running.StartedAt.Time).Milliseconds())",
			Breaks:  "The first probe waits for initialDelaySeconds. The mutant waits for as many milliseconds.",
			Formula: "probes/first-probe",
		},
		{
			Name: "probed-while-terminating", File: proberManager, Within: "manager.StopLivenessAndStartup",
			Now: "range pod.Spec.Containers", Mutant: "range pod.Spec.InitContainers",
			Breaks: "Liveness and startup probes end when their pod begins to terminate. The mutant continues those " +
				"of the main containers.",
			Formula: "probes/while-terminating", Versions: since134, Reference: "kubernetes#107473",
		},
		{
			Name: "exec-readiness-goes-on", File: proberManager, Within: "manager.AddPod",
			Now:    "logger := klog.FromContext(ctx)",
			Mutant: "ctx = context.WithoutCancel(ctx); logger := klog.FromContext(ctx)",
			Breaks: "The end of a terminating pod's last sync cancels its exec readiness probes. The mutant " +
				"continues them, like those of other handlers, as documented.",
			Formula: "probes/while-terminating", Mends: true, Versions: since135, Reference: "kubernetes#140881",
		},
	})
}

// startupMutations break which probes the startup probe delays, and when it ends.
func startupMutations() []Mutation {
	const verdict = "(w.probeType == liveness && result == results.Failure) || w.probeType == startup"
	shared := Mutation{File: proberWorker, Within: "worker.doProbe"}
	return with(shared, []Mutation{
		{
			Name: "liveness-before-startup",
			Now:  "if w.probeType != startup {", Mutant: "if w.probeType == readiness {",
			Breaks: "Liveness and readiness probes wait for the success of the startup probe. The mutant's liveness " +
				"probe does not wait.",
			Formula: "probes/held-back-by-startup", Versions: since123,
		},
		{
			Name: "started-while-unknown", File: proberManager, Within: "manager.isContainerStarted",
			Now: "return result == results.Success", Mutant: "return result != results.Failure",
			Breaks: "A container counts as started once its startup probe succeeds. The mutant counts it as started " +
				"until the probe fails.",
			Formula: "probes/held-back-by-startup", Versions: since134,
		},
		{
			Name: "startup-never-on-hold", Now: verdict, Mutant: "w.probeType == liveness && result == results.Failure",
			Breaks: "A startup probe's result, good or bad, puts it on hold until there is another container. The " +
				"mutant continues it, and its count survives a kill.",
			Formula: "probes/startup-succeeds-once", Versions: Range{From: "v1.29.0"}, Reference: "kubernetes#117153",
		},
		{
			Name: "startup-probed-again",
			Now:  verdict, Mutant: "(w.probeType == liveness || w.probeType == startup) && result == results.Failure",
			Breaks: "A startup probe is on hold after its success. The mutant probes again if the next tick comes " +
				"before the kubelet sees the success, as versions up to 1.28 did.",
			Formula: "probes/startup-succeeds-once", Versions: Range{From: "v1.29.0"}, Reference: "kubernetes#117153",
		},
		{
			Name: "startup-worker-ends",
			Now:  "if w.probeType == startup {\nreturn true\n}", Mutant: "if w.probeType == startup {\nreturn false\n}",
			Breaks: "A started container's startup probe waits for the next container. The mutant ends its worker, " +
				"so the next container has no startup probe.",
			Formula: "probes/startup-again", Versions: since123, Reference: "kubernetes#101064",
		},
		{
			Name: "started-not-inherited", File: "pkg/kubelet/kubelet_pods.go",
			Within: "Kubelet.convertToAPIContainerStatuses",
			Now:    "ok && oldStatus.Started != nil",
			Mutant: "ok && oldStatus.Started != nil && oldStatus.ContainerID == status.ContainerID",
			Breaks: "A restarted container inherits the started flag, so liveness probes may come before its " +
				"startup probe. The mutant inherits nothing, as documented.",
			Formula: "probes/startup-first-after-restart", Mends: true, Versions: since135,
			Reference: "kubernetes#141155",
		},
	})
}

package mutation

const (
	proberWorker  = "pkg/kubelet/prober/worker.go"
	proberManager = "pkg/kubelet/prober/prober_manager.go"
	proberProbes  = "pkg/kubelet/prober/prober.go"
)

func streakMutations() []Mutation {
	shared := Mutation{
		File: proberWorker, Within: "worker.doProbe", Formula: "probes/failing-probes", Versions: since123,
	}
	return with(shared, []Mutation{
		{
			Name: "resultrun-one", Now: "w.resultRun = 0", Mutant: "w.resultRun = 1",
			Breaks:   "failureThreshold failing probes kill every life. The mutant's count begins at one after a kill.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes PR 62853",
		}, {
			Name: "resultrun-kept", Now: "w.resultRun = 0", Mutant: "w.resultRun = w.resultRun",
			Breaks:   "failureThreshold failing probes kill every life. The mutant keeps the count over a kill.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes#53530",
		}, {
			Name: "resultrun-ends-with-life", Now: "w.onHold = false", Mutant: "w.onHold, w.resultRun = false, 0",
			Breaks:  "The count of results survives a container's own end. The mutant resets it, as documented.",
			Repairs: true,
		}, {
			Name: "failure-threshold-plus-one",
			Now:  "w.resultRun < int(w.spec.FailureThreshold)", Mutant: "w.resultRun <= int(w.spec.FailureThreshold)",
			Breaks: "failureThreshold failing probes in a row kill a container. The mutant needs one more.",
		}, {
			Name: "first-of-streak-uncounted", Now: "w.resultRun = 1", Mutant: "w.resultRun = 0",
			Breaks: "failureThreshold failing probes in a row kill a container. The mutant does not count the first.",
		}, {
			Name: "success-threshold-plus-one",
			Now:  "w.resultRun < int(w.spec.SuccessThreshold)", Mutant: "w.resultRun <= int(w.spec.SuccessThreshold)",
			Breaks:  "successThreshold successes in a row make a container ready. The mutant needs one more.",
			Formula: "probes/last-success-to-ready",
		}, {
			Name: "errors-count", Now: "if err != nil {", Mutant: "if _ = err; false {",
			Breaks:  "A probe that ends in an error does not count. The mutant counts it as a failure.",
			Formula: "probes/errors-never-count",
		}, {
			Name: "on-hold-for-good", Now: "w.onHold = false", Mutant: "w.onHold = true",
			Breaks:  "The kubelet probes a new container. The mutant puts its probes on hold.",
			Formula: "probes/first-probe",
		}, {
			Name: "ready-before-probed", Within: "newWorker",
			Now: "w.initialValue = results.Failure", Mutant: "w.initialValue = results.Success",
			Breaks: "A container is not ready before its readiness probe succeeds. The mutant makes it ready at its " +
				"start.",
			Formula: "probes/ready-after-successes",
		}, {
			Name: "unhealthy-before-probed", Within: "newWorker",
			Now: "w.initialValue = results.Success", Mutant: "w.initialValue = results.Failure",
			Breaks: "A container is healthy until its liveness probe fails. The mutant kills it before the first " +
				"probe.",
			Formula: "probes/no-kill",
		},
	})
}

func tickMutations() []Mutation {
	shared := Mutation{File: proberWorker, Versions: since123}
	return with(shared, []Mutation{
		{
			Name: "period-doubled", Within: "worker.run",
			Now:    "time.Duration(w.spec.PeriodSeconds) * time.Second",
			Mutant: "2 * time.Duration(w.spec.PeriodSeconds) * time.Second",
			Breaks: "Probes are periodSeconds apart. The mutant doubles the distance.", Formula: "probes/cadence",
		}, {
			Name: "first-probe-at-random", Within: "worker.run",
			Now: "if probeTickerPeriod > time.Since(w.probeManager.start) {", Mutant: "if true {",
			Breaks: "Only a kubelet that has just started waits a random part of the period first. The mutant always " +
				"does.",
			Formula: "probes/first-tick", Reference: "kubernetes#62036",
		}, {
			Name: "delay-is-period", Within: "worker.doProbe",
			Now: "w.spec.InitialDelaySeconds", Mutant: "w.spec.PeriodSeconds",
			Breaks:  "The first probe waits for initialDelaySeconds. The mutant waits for periodSeconds.",
			Formula: "probes/first-probe",
		}, {
			Name: "delay-in-milliseconds", Within: "worker.doProbe",
			Now:     "int32(time.Since(c.State.Running.StartedAt.Time).Seconds())",
			Mutant:  "int32(time.Since(c.State.Running.StartedAt.Time).Milliseconds())",
			Breaks:  "The first probe waits for initialDelaySeconds. The mutant waits for as many milliseconds.",
			Formula: "probes/first-probe",
		}, {
			Name: "probed-while-terminating", File: proberManager, Within: "manager.StopLivenessAndStartup",
			Now: "range pod.Spec.Containers", Mutant: "range pod.Spec.InitContainers",
			Breaks:  "A terminating pod's liveness and startup probes end. The mutant continues its main containers'.",
			Formula: "probes/while-terminating", Versions: since134, Reference: "kubernetes#107473",
		}, {
			Name: "exec-readiness-goes-on", File: proberManager, Within: "manager.AddPod",
			Now:    "logger := klog.FromContext(ctx)",
			Mutant: "ctx = context.WithoutCancel(ctx); logger := klog.FromContext(ctx)",
			Breaks: "A terminating pod's exec readiness probes are cancelled. The mutant continues them, as " +
				"documented.",
			Formula: "probes/while-terminating", Repairs: true,
			Versions: Range{From: "v1.35.0", Before: "v1.37.0"}, Reference: "kubernetes#140881",
		}, {
			Name: "exec-readiness-cancelled", File: proberManager, Within: "manager.AddPod",
			Now: "ctx = context.WithoutCancel(ctx)", Mutant: "ctx = klog.NewContext(ctx, logger)",
			Breaks:  "A terminating pod's exec readiness probes go on. The mutant cancels them, as v1.36.3 does.",
			Formula: "probes/while-terminating", Versions: since137, Reference: "kubernetes#140881",
		},
	})
}

func startupMutations() []Mutation {
	const verdict = "(w.probeType == liveness && result == results.Failure) || w.probeType == startup"
	shared := Mutation{File: proberWorker, Within: "worker.doProbe"}
	return with(shared, []Mutation{
		{
			Name: "liveness-before-startup",
			Now:  "if w.probeType != startup {", Mutant: "if w.probeType == readiness {",
			Breaks:  "Liveness and readiness probes wait for the startup probe. The mutant's liveness probe does not.",
			Formula: "probes/held-back-by-startup", Versions: since123,
		}, {
			Name: "started-while-unknown", File: proberManager, Within: "manager.isContainerStarted",
			Now: "return result == results.Success", Mutant: "return result != results.Failure",
			Breaks:  "A container has started once its startup probe succeeds. The mutant assumes so until it fails.",
			Formula: "probes/held-back-by-startup", Versions: since134,
		}, {
			Name: "startup-never-on-hold", Now: verdict, Mutant: "w.probeType == liveness && result == results.Failure",
			Breaks:  "A startup probe's result puts it on hold until the next container. The mutant continues it.",
			Formula: "probes/startup-succeeds-once", Versions: since132, Reference: "kubernetes#117153",
		}, {
			Name: "startup-probed-again",
			Now:  verdict, Mutant: "(w.probeType == liveness || w.probeType == startup) && result == results.Failure",
			Breaks: "A startup probe is on hold after its success. The mutant may probe once more, as versions up to " +
				"1.31 did.",
			Formula: "probes/startup-succeeds-once", Versions: since132, Reference: "kubernetes#117153",
		}, {
			Name: "startup-worker-ends",
			Now:  "if w.probeType == startup {\nreturn true\n}", Mutant: "if w.probeType == startup {\nreturn false\n}",
			Breaks:  "A startup probe waits for the next container. The mutant ends its worker.",
			Formula: "probes/startup-again", Versions: since123, Reference: "kubernetes#101064",
		}, {
			Name: "started-not-inherited", File: "pkg/kubelet/kubelet_pods.go",
			Within:  "Kubelet.convertToAPIContainerStatuses",
			Now:     "ok && oldStatus.Started != nil",
			Mutant:  "ok && oldStatus.Started != nil && oldStatus.ContainerID == status.ContainerID",
			Breaks:  "A restarted container inherits the started flag. The mutant inherits nothing, as documented.",
			Formula: "probes/startup-first-after-restart", Repairs: true, Versions: since135,
			Reference: "kubernetes#141155",
		},
	})
}

package mutation

// probeWorkerMutations change how a probe's worker counts, waits and ends.
func probeWorkerMutations() []Mutation {
	const held = "(w.probeType == liveness && result == results.Failure) || w.probeType == startup"
	shared := Mutation{
		File: proberWorker, Within: "worker.doProbe", Formula: "probes/failing-probes", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "startup-count-kept", Now: "w.resultRun = 0",
			Mutant: "if w.probeType == liveness {\nw.resultRun = 0\n}",
			Breaks: "A startup kill sets the count of results to zero. The mutant keeps it for the next life.",
		}, {
			Name: "streak-counted-by-two", Now: "w.resultRun++", Mutant: "w.resultRun += 2",
			Breaks: "Each result in a row counts once. The mutant counts all but the first twice.",
		}, {
			Name: "failure-threshold-of-success", Now: "int(w.spec.FailureThreshold)",
			Mutant: "int(w.spec.SuccessThreshold)",
			Breaks: "failureThreshold failures in a row count. The mutant needs only successThreshold failures.",
		}, {
			Name: "success-threshold-of-failure", Formula: "probes/ready-after-successes",
			Now: "int(w.spec.SuccessThreshold)", Mutant: "int(w.spec.FailureThreshold)",
			Breaks: "successThreshold successes in a row count. The mutant needs failureThreshold successes.",
		}, {
			Name: "first-failure-uncounted-at-times", Now: "w.resultRun = 1",
			Mutant: "w.resultRun = int(w.pod.UID[0] & 1)",
			Breaks: "The first result of a row counts. Half of the mutant's pods do not count it.",
		}, {
			Name: "liveness-held-by-success", Formula: "probes/cadence", Now: held,
			Mutant: "w.probeType != readiness",
			Breaks: "Only a failure puts a liveness probe on hold. The mutant's first success does so, too.",
		}, {
			Name: "readiness-held-by-failure", Formula: "probes/recovery-to-ready", Now: held,
			Mutant: "result == results.Failure || w.probeType == startup",
			Breaks: "A readiness probe goes on after failures. The mutant holds it until the next container.",
		}, {
			Name: "initial-delay-inclusive", Formula: "probes/first-probe", Now: "< w.spec.InitialDelaySeconds",
			Mutant: "<= w.spec.InitialDelaySeconds",
			Breaks: "Probes may come when initialDelaySeconds have passed. The mutant waits a second longer.",
		}, {
			Name: "later-lives-without-delay", Formula: "probes/later-first-probe",
			Now:    "if int32(time.Since(c.State.Running.StartedAt.Time)",
			Mutant: "if c.RestartCount == 0 && int32(time.Since(c.State.Running.StartedAt.Time)",
			Breaks: "initialDelaySeconds count in every life. The mutant probes later lives without a delay.",
		}, {
			Name: "initial-delay-doubled-at-times", Formula: "probes/first-probe", Now: "w.spec.InitialDelaySeconds",
			Mutant: "w.spec.InitialDelaySeconds<<(w.pod.UID[0]&1)",
			Breaks: "The first probe waits for initialDelaySeconds. The mutant doubles them in half of the pods.",
		}, {
			Name: "first-result-of-older-containers", Formula: "probes/ready-over-kubelet-restart",
			Now: "if !isRestart {", Mutant: "if isRestart {",
			Breaks: "A container older than its kubelet gets no first result. The mutant gives it to older ones only.",
		}, {
			Name: "sidecar-start-not-restored", Now: "isRestartableInitContainer && w.probeType == startup",
			Mutant:  "isRestartableInitContainer && w.probeType == liveness",
			Formula: "probes/sidecar-heeded-after-kubelet-restart",
			// Up to 1.36, it starts no main container again either. From 1.37 on, one that has ended shows as well that
			// the sidecars before it have started.
			Breaks: "A restarted kubelet knows that a sidecar has started. The mutant forgets it, and heeds none of " +
				"its failures.",
			Versions: Range{From: "v1.35.4"}, Reference: "kubernetes#136910",
		}, {
			Name: "sidecar-worker-ends", Formula: "probes/streak-survives-crash",
			Now:    "w.pod.Spec.RestartPolicy != v1.RestartPolicyNever || isRestartableInitContainer",
			Mutant: "w.pod.Spec.RestartPolicy != v1.RestartPolicyNever",
			Breaks: "A sidecar's worker waits for its next life, whatever its pod's restartPolicy. The mutant's ends " +
				"with restartPolicy Never.",
			Versions: since135, Reference: "kubernetes PR 133072",
		}, {
			Name: "worker-ends-with-life", Formula: "probes/streak-survives-crash",
			Now:    "return containerShouldRestart || allContainersRestarting",
			Mutant: "return containerShouldRestart && allContainersRestarting",
			Breaks: "A worker waits for its container's next life. The mutant's ends, and a new one forgets results.",
		}, {
			Name: "gate-open-in-later-lives", Formula: "probes/startup-first-after-restart",
			Now: "if w.probeType != startup {", Mutant: "if w.probeType != startup && c.RestartCount == 0 {",
			Breaks: "Liveness probes wait for the startup probe. The mutant's wait in the first life only.",
		}, {
			Name: "sidecar-never-probed", Now: "GetContainerStatus(status.InitContainerStatuses,",
			Mutant: "GetContainerStatus(status.ContainerStatuses,",
			Breaks: "A sidecar's status is among those of init containers. The mutant looks elsewhere.",
		}, {
			Name: "stop-ignored", Within: "worker.run", Formula: "probes/while-terminating", Now: "break probeLoop",
			Mutant: "continue probeLoop",
			Breaks: "A worker that is to stop ends. The mutant's takes that for a tick, and goes on.",
		}, {
			Name: "no-manual-run", Within: "worker.run", Formula: "probes/out-of-turn",
			Now: "case <-w.manualTriggerCh:", Mutant: "case <-(chan struct{})(nil):",
			Breaks: "A sync of an unready pod probes its readiness. The mutant waits for the next tick.",
		}, {
			Name: "manual-run-keeps-ticker", Within: "worker.run", Formula: "probes/after-out-of-turn",
			Reference: "kubernetes#118815, kubernetes PR 119089",
			Now:       "probeTicker.Reset(probeTickerPeriod)",
			Mutant:    "_ = probeTickerPeriod",
			Breaks:    "A probe out of turn begins a new period. The mutant's next probe comes at the old tick.",
		}, {
			Name: "wait-after-kubelet-start-doubled", Within: "worker.run", Formula: "probes/after-kubelet-start",
			Now:    "rand.Float64() * float64(probeTickerPeriod)",
			Mutant: "2 * rand.Float64() * float64(probeTickerPeriod)",
			Breaks: "After the kubelet's start a probe waits up to a period. The mutant waits up to two.",
		},
	})
}

// probeAnswerMutations change what a probe asks and how its answer counts.
func probeAnswerMutations() []Mutation {
	const (
		httpProbe = "pkg/probe/http/http.go"
		grpcProbe = "pkg/probe/grpc/grpc.go"
		within    = "grpcProber.Probe"
	)
	shared := Mutation{File: proberProbes, Formula: "probes/failing-probes", Versions: since137}
	return with(shared, []Mutation{
		{
			Name: "redirect-away-fails", Within: "prober.probe", Formula: "probes/redirect-is-success",
			Now:    "\"output\", output)\nreturn results.Success, nil",
			Mutant: "\"output\", output)\nreturn results.Failure, nil",
			Breaks: "A redirect to another host is a success. The mutant takes it for a failure.",
		}, {
			Name: "failures-tried-again", Within: "prober.runProbeWithRetries", Now: "if err == nil {",
			Mutant: "if err == nil && result != probe.Failure {",
			Breaks: "Only a probe that ends in an error is tried again at once. The mutant repeats failed ones, too.",
		}, {
			Name: "probe-port-of-first-container", Within: "prober.runProbe",
			Now: "p.HTTPGet, &container, status.PodIP", Mutant: "p.HTTPGet, &pod.Spec.Containers[0], status.PodIP",
			Breaks: "An HTTP probe uses its own container's named port. The mutant uses the first container's.",
		}, {
			Name: "http-without-timeout", File: httpProbe, Within: "httpProber.Probe",
			Formula: "probes/last-probe-to-kill", Now: "Timeout: timeout,", Mutant: "Timeout: 0,",
			Breaks: "An HTTP probe without an answer within timeoutSeconds fails. The mutant waits without a limit.",
		}, {
			Name: "cut-body-is-healthy", File: httpProbe, Within: "DoHTTPProbe",
			Formula: "probes/errors-are-tried-again", Now: "err == utilio.ErrLimitReached",
			Mutant: "err != utilio.ErrLimitReached",
			Breaks: "A response whose body breaks off is an error. The mutant accepts it, but no long body.",
		}, {
			Name: "redirect-to-port-is-away", File: httpProbe, Within: "RedirectChecker",
			Formula: "probes/redirect-away-warns", Now: "req.URL.Hostname() != via[0].URL.Hostname()",
			Mutant: "req.URL.Host != via[0].URL.Host",
			Breaks: "A redirect to another port of its host is followed. The mutant takes it for another host.",
		}, {
			Name: "grpc-timeout-is-error", File: grpcProbe, Within: within,
			Now:    `return probe.Failure, fmt.Sprintf("timeout: health rpc did not complete within %v", timeout), nil`,
			Mutant: "return probe.Unknown, \"\", err",
			Breaks: "A gRPC probe beyond timeoutSeconds has failed. The mutant makes it an error.",
		}, {
			Name: "grpc-service-ignored", File: grpcProbe, Within: within, Now: "Service: service,",
			Mutant: "Service: \"\",",
			Breaks: "A gRPC probe asks for the named service. The mutant asks for the whole server.",
		},
	})
}

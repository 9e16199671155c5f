package mutation

// handlerMutations break how one probe is carried out: what is asked, for how long, and what an answer means.
func handlerMutations() []Mutation {
	return []Mutation{
		{
			Name: "probe-tried-once", File: proberProbes, Within: "maxProbeRetries",
			Now: "maxProbeRetries = 3", Mutant: "maxProbeRetries = 1",
			Breaks:  "A probe that errs is tried three times in a period. Here it is tried once.",
			Formula: "probes/errors-are-tried-again", Versions: since123,
		},
		{
			Name: "timeout-tripled", File: proberProbes, Within: "prober.runProbe",
			Now:     "time.Duration(p.TimeoutSeconds) * time.Second",
			Mutant:  "3 * time.Duration(p.TimeoutSeconds) * time.Second",
			Breaks:  "A probe that is not answered within timeoutSeconds has failed. Here it has three times as long.",
			Formula: "probes/last-probe-to-kill", Versions: since123,
		},
		{
			Name: "startup-asks-liveness", File: proberProbes, Within: "prober.probe",
			Now: "probeSpec = container.StartupProbe", Mutant: "probeSpec = container.LivenessProbe",
			Breaks: "The startup probe does what the container's startupProbe says. Here it does what the " +
				"livenessProbe says, and succeeds where there is none.",
			Formula: "probes/failing-probes", Versions: since123,
		},
		{
			Name: "redirected-anywhere", File: proberProbes, Within: "newProber",
			Now: "followNonLocalRedirects = false", Mutant: "followNonLocalRedirects = true",
			Breaks: "A redirect to another host is not followed, and is a success. Here it is followed, and counts " +
				"as what is found there.",
			Formula: "probes/redirect-away-warns", Versions: since123,
		},
		{
			Name: "not-found-is-healthy", File: "pkg/probe/http/http.go", Within: "DoHTTPProbe",
			Now: "res.StatusCode < http.StatusBadRequest", Mutant: "res.StatusCode < http.StatusInternalServerError",
			Breaks: "An HTTP probe fails unless it is answered with a status from 200 to 399. Here those from 400 " +
				"to 499 are a success, too.",
			Formula: "probes/start-to-kill", Versions: since123,
		},
		{
			Name: "tcp-refusal-is-error", File: "pkg/probe/tcp/tcp.go", Within: "DoTCPProbe",
			Now: "return probe.Failure, err.Error(), nil", Mutant: "return probe.Unknown, err.Error(), err",
			Breaks: "A TCP probe that gets no connection has failed. Here that is an error of the prober, which " +
				"counts for nothing.",
			Formula: "probes/failing-probes", Versions: since123,
		},
		{
			Name: "exit-code-ignored", File: "pkg/probe/exec/exec.go", Within: "execProber.Probe",
			Now: "exit.ExitStatus() == 0", Mutant: "exit.ExitStatus() >= 0",
			Breaks: "An exec probe fails whose command ends with another code than 0. Here it is enough that the " +
				"command ends.",
			Formula: "probes/failing-probes", Versions: since123,
		},
		{
			Name: "exec-timeout-is-success", File: "pkg/probe/exec/exec.go", Within: "execProber.Probe",
			Now: "return probe.Failure, err.Error(), nil", Mutant: "return probe.Success, err.Error(), nil",
			Breaks:  "An exec probe whose command outlasts timeoutSeconds has failed. Here it has succeeded.",
			Formula: "probes/failing-probes", Versions: since134, Reference: "kubernetes#100198",
		},
		{
			Name: "exec-timeout-is-error", File: "pkg/probe/exec/exec.go", Within: "execProber.Probe",
			Now: "return probe.Failure, err.Error(), nil", Mutant: "return probe.Unknown, err.Error(), err",
			Breaks: "An exec probe whose command outlasts timeoutSeconds has failed. Here that is an error of the " +
				"runtime, which counts for nothing.",
			Formula: "probes/failing-probes", Versions: since134, Reference: "kubernetes#92464",
		},
		{
			Name: "exec-timeout-not-passed", File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Within: "kubeGenericRuntimeManager.RunInContainer", Now: "id.ID, cmd, timeout)", Mutant: "id.ID, cmd, 0)",
			Breaks: "An exec probe whose command outlasts timeoutSeconds has failed. Here the runtime is not told " +
				"of the timeout, and waits for ever.",
			Formula: "probes/last-probe-to-kill", Versions: since123, Reference: "kubernetes#50389",
		},
		{
			Name: "exec-never-times-out", Module: runtimeClient, File: "pkg/remote_runtime.go",
			Within: "remoteRuntimeService.execSyncV1", Now: "int64(timeout.Seconds())", Mutant: "int64(0)",
			Breaks: "An exec probe whose command outlasts timeoutSeconds has failed. Here the runtime is asked to " +
				"wait for ever.",
			Formula: "probes/last-probe-to-kill", Versions: since134, Reference: "kubernetes#94080",
		},
		{
			Name: "not-serving-is-healthy", File: "pkg/probe/grpc/grpc.go", Within: "grpcProber.Probe",
			Now:    "resp.GetStatus() != grpchealth.HealthCheckResponse_SERVING",
			Mutant: "resp.GetStatus() == grpchealth.HealthCheckResponse_UNKNOWN",
			Breaks: "A gRPC probe fails unless its service is serving. Here it is enough that the service says what " +
				"it is.",
			Formula: "probes/failing-probes", Versions: since123,
		},
	}
}

package mutation

func handlerMutations() []Mutation {
	shared := Mutation{Formula: "probes/failing-probes", Versions: since123}
	return with(shared, []Mutation{
		constant(Mutation{
			Name: "probe-tried-once", File: proberProbes, Within: "maxProbeRetries", Now: "3", Mutant: "1",
			Breaks:  "The kubelet tries a probe with an error three times in a period. The mutant tries it once.",
			Formula: "probes/errors-are-tried-again",
		}),
		{
			Name: "timeout-tripled", File: proberProbes, Within: "prober.runProbe",
			Now:     "time.Duration(p.TimeoutSeconds) * time.Second",
			Mutant:  "3 * time.Duration(p.TimeoutSeconds) * time.Second",
			Breaks:  "A probe without an answer within timeoutSeconds has failed. The mutant triples the time.",
			Formula: "probes/last-probe-to-kill",
		}, {
			Name: "startup-asks-liveness", File: proberProbes, Within: "prober.probe",
			Now: "probeSpec = container.StartupProbe", Mutant: "probeSpec = container.LivenessProbe",
			Breaks: "The startup probe uses startupProbe. The mutant uses livenessProbe, and succeeds without one.",
		}, {
			Name: "redirected-anywhere", File: proberProbes, Within: "newProber",
			Now: "followNonLocalRedirects = false", Mutant: "followNonLocalRedirects = true",
			Breaks:  "A redirect to another host is a success, and is not followed. The mutant follows it.",
			Formula: "probes/redirect-away-warns",
		}, {
			Name: "not-found-is-healthy", File: "pkg/probe/http/http.go", Within: "DoHTTPProbe",
			Now: "res.StatusCode < http.StatusBadRequest", Mutant: "res.StatusCode < http.StatusInternalServerError",
			Breaks:  "An HTTP probe succeeds with a status from 200 to 399. The mutant also accepts 400 to 499.",
			Formula: "probes/start-to-kill",
		}, {
			Name: "h2c-by-http1", File: proberProbes, Within: "prober.runProbe",
			Now: "return pb.http.ProbeH2C(req, timeout)", Mutant: "return pb.http.Probe(req, timeout)",
			Breaks:  "An HTTP probe of protocol HTTP2 speaks HTTP/2. The mutant speaks HTTP/1.1.",
			Formula: "probes/start-to-kill", Versions: Range{From: "v1.37.0"},
		}, {
			Name: "grpc-mode-reversed", File: proberProbes, Within: "prober.runProbe",
			Now: "*p.GRPC.Mode == v1.GRPCProbeModeTLS", Mutant: "*p.GRPC.Mode != v1.GRPCProbeModeTLS",
			Breaks:  "A gRPC probe encrypts if its mode is TLS. The mutant encrypts if it is Plaintext.",
			Formula: "probes/closed-grpc-kills", Versions: Range{From: "v1.37.0"},
		}, {
			Name: "tcp-refusal-is-error", File: "pkg/probe/tcp/tcp.go", Within: "DoTCPProbe",
			Now: "return probe.Failure, err.Error(), nil", Mutant: "return probe.Unknown, err.Error(), err",
			Breaks: "A TCP probe without a connection has failed. The mutant makes it an error, which does not count.",
		}, {
			Name: "exit-code-ignored", File: "pkg/probe/exec/exec.go", Within: "execProber.Probe",
			Now: "exit.ExitStatus() == 0", Mutant: "exit.ExitStatus() >= 0",
			Breaks: "An exec probe fails if its command ends with another code than 0. The mutant accepts every code.",
		}, {
			Name: "exec-timeout-is-success", File: "pkg/probe/exec/exec.go", Within: "execProber.Probe",
			Now: "return probe.Failure, err.Error(), nil", Mutant: "return probe.Success, err.Error(), nil",
			Breaks:   "An exec probe beyond timeoutSeconds has failed. The mutant makes it a success.",
			Versions: since134, Reference: "kubernetes#100198",
		}, {
			Name: "exec-timeout-is-error", File: "pkg/probe/exec/exec.go", Within: "execProber.Probe",
			Now: "return probe.Failure, err.Error(), nil", Mutant: "return probe.Unknown, err.Error(), err",
			Breaks: "An exec probe beyond timeoutSeconds has failed. The mutant makes it an error, which does not " +
				"count.",
			Versions: since134, Reference: "kubernetes#92464",
		}, {
			Name: "exec-timeout-not-passed", File: "pkg/kubelet/kuberuntime/kuberuntime_container.go",
			Within: "kubeGenericRuntimeManager.RunInContainer", Now: "id.ID, cmd, timeout)", Mutant: "id.ID, cmd, 0)",
			Breaks: "An exec probe beyond timeoutSeconds has failed. The mutant does not pass the timeout to the " +
				"runtime.",
			Formula: "probes/last-probe-to-kill", Reference: "kubernetes#50389",
		}, {
			Name: "exec-never-times-out", Module: runtimeClient, File: "pkg/remote_runtime.go",
			Within: "remoteRuntimeService.execSyncV1", Now: "int64(timeout.Seconds())", Mutant: "int64(0)",
			Breaks:  "An exec probe beyond timeoutSeconds has failed. The mutant requests no timeout from the runtime.",
			Formula: "probes/last-probe-to-kill", Versions: since134, Reference: "kubernetes#94080",
		}, {
			Name: "not-serving-is-healthy", File: "pkg/probe/grpc/grpc.go", Within: "grpcProber.Probe",
			Now:    "resp.GetStatus() != grpchealth.HealthCheckResponse_SERVING",
			Mutant: "resp.GetStatus() == grpchealth.HealthCheckResponse_UNKNOWN",
			Breaks: "A gRPC probe fails unless its service is serving. The mutant accepts any known status.",
		},
	})
}

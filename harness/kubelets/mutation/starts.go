package mutation

const imageManager = "pkg/kubelet/images/image_manager.go"

// startMutations change how containers start that cannot, and how sandboxes begin again.
func startMutations() []Mutation {
	shared := Mutation{File: runtimeManager, Within: "kubeGenericRuntimeManager.computePodActions", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "sync-cancelled", File: kubeletFile, Within: "Kubelet.SyncPod",
			Now: "sctx := context.WithoutCancel(ctx)", Mutant: "sctx := ctx",
			Formula: "deletion/held-start", Reference: "kubernetes#113606",
			Breaks: "A delete cancels no pull, start or hook. The mutant cancels them.",
		}, {
			Name: "always-pulled-once", File: imageManager, Within: "imageManager.imagePullPrecheck",
			Now: "case v1.PullAlways:", Mutant: "case \"\":\nreturn\ncase v1.PullAlways:\n" +
				"imageRef, err = m.imageService.GetImageRef(ctx, *spec)\nif err == nil && imageRef != \"\" {\n" +
				"return imageRef, new(true), msg, nil\n}",
			Formula: "restarts/pulled-again", Versions: since137,
			Breaks: "With imagePullPolicy Always, each start pulls the image. The mutant pulls what is missing only.",
		}, {
			Name: "pulled-for-nobody", File: imageManager, Within: "trackedToImagePullCreds",
			Now: "ret.NodePodsAccessible = true", Mutant: "ret.NodePodsAccessible = false",
			Formula: "kubelet/starts", Versions: since137,
			Breaks: "Each pod can use an image that was pulled without a Secret. The mutant lets nobody use it.",
		}, {
			Name: "pull-secret-always-reported", File: kubeletFile, Within: "Kubelet.SyncPod",
			Now: "if hasPullFailures {", Mutant: "if hasPullFailures || true {",
			Formula: "restarts/pull-secret-events", Versions: since137, Reference: "kubernetes PR 138432",
			Breaks: "A missing pull secret is reported if a pull fails. The mutant reports it in each sync.",
		}, {
			Name: "pull-secret-never-reported", File: kubeletFile, Within: "Kubelet.SyncPod",
			Now: "hasPullFailures = true", Mutant: "hasPullFailures = false",
			Formula: "restarts/pull-secret-reported", Versions: since137,
			Breaks: "A missing pull secret is reported if a pull fails. The mutant does not report it.",
		}, {
			Name: "missing-key-is-empty", File: "pkg/kubelet/kubelet_pods.go",
			Within:  "Kubelet.makeEnvironmentVariables",
			Now:     "return result, fmt.Errorf(\"couldn't find key %v in Secret %v/%v\", key, pod.Namespace, name)",
			Mutant:  "continue",
			Formula: "restarts/cannot-start",
			Breaks:  "A container waits for its Secret's key. The mutant starts it without the variable.",
		}, {
			Name: "start-error-is-free", Within: "kubeGenericRuntimeManager.doBackOff",
			Now:     "c.State == kubecontainer.ContainerStateExited",
			Mutant:  "c.State == kubecontainer.ContainerStateExited && c.ExitCode != 128",
			Formula: "restarts/start-error-retry",
			Breaks:  "A container that cannot start waits for a back-off. The mutant counts only those that started.",
		}, {
			Name: "out-of-memory-is-free", Within: "kubeGenericRuntimeManager.doBackOff",
			Now:     "c.State == kubecontainer.ContainerStateExited",
			Mutant:  "c.State == kubecontainer.ContainerStateExited && c.Reason != \"OOMKilled\"",
			Formula: "restarts/delay",
			Breaks:  "A container that was killed for its memory waits for its back-off. The mutant starts it at once.",
		}, {
			Name: "out-of-memory-is-an-error", File: containerRuntime,
			Within:  "kubeGenericRuntimeManager.toKubeContainerStatus",
			Now:     "cStatus.Reason = status.Reason",
			Mutant:  "cStatus.Reason = strings.TrimPrefix(status.Reason, \"OOM\")",
			Formula: "restarts/out-of-memory", Versions: since135,
			Breaks: "The status has the runtime's reason, OOMKilled. The mutant cuts it.",
		}, {
			Name: "sandbox-restarts-succeeded",
			Now:  "if runOnce && containerSucceeded(&c, podStatus) {", Mutant: "if runOnce && idx < 0 {",
			Formula: "restarts/starts", Versions: since135,
			Breaks: "With OnFailure a container that succeeded does not start in its pod's new sandbox. The mutant " +
				"starts it.",
		}, {
			Name: "sandbox-lost-for-nothing", Now: "!shouldRestartOnFailure(pod) && attempt != 0",
			Mutant: "attempt != 0", Formula: "restarts/sandbox-lost",
			Breaks: "A pod whose sandbox is lost gets a new one. The mutant ends it as with restartPolicy Never.",
		}, {
			Name: "pull-not-verified", File: imageManager, Within: "imageManager.EnsureImageExists",
			Now: "} else if !pullRequired {", Mutant: "} else if _ = pullRequired; true {",
			Formula: "restarts/cannot-start", Versions: since135,
			Breaks: "A pod needs the Secret with which its image was pulled. The mutant lets every pod use the image.",
		},
	})
}

// requestMutations change what probes and hooks ask, and what a readiness gate does.
func requestMutations() []Mutation {
	const (
		requestFile = "pkg/probe/http/request.go"
		handlers    = "pkg/kubelet/lifecycle/handlers.go"
	)
	shared := Mutation{Formula: "probes/no-kill", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "host-header-lost", File: requestFile, Within: "newProbeRequest",
			Now: "req.Host = headers.Get(\"Host\")", Mutant: "",
			Breaks: "A probe's header Host is the request's host. The mutant sends the pod's address.",
		}, {
			Name: "http-host-ignored", File: requestFile, Within: "NewRequestForHTTPGetAction",
			Now: "host := httpGet.Host", Mutant: "host := httpGet.Host[:0]", Formula: "probes/start-to-kill",
			Breaks: "An HTTP probe asks the host that it names. The mutant asks the pod.",
		}, {
			Name: "tcp-host-ignored", File: "pkg/kubelet/prober/prober.go", Within: "prober.runProbe",
			Now: "host := p.TCPSocket.Host", Mutant: "host := p.TCPSocket.Host[:0]", Formula: "probes/start-to-kill",
			Breaks: "A TCP probe asks the host that it names. The mutant asks the pod.",
		}, {
			Name: "headers-once", File: requestFile, Within: "v1HeaderToHTTPHeader",
			Now: "headers.Add(header.Name, header.Value)", Mutant: "headers.Set(header.Name, header.Value)",
			Breaks: "A probe sends a header twice that its spec has twice. The mutant sends the last one.",
		}, {
			Name: "certificates-verified", File: "pkg/probe/http/http.go", Within: "New",
			Now: "InsecureSkipVerify: true", Mutant: "InsecureSkipVerify: false",
			Breaks: "An HTTPS probe accepts any certificate. The mutant verifies it.",
		}, {
			Name: "redirects-without-end", File: "pkg/probe/http/http.go", Within: "RedirectChecker",
			Now:     "return errors.New(\"stopped after 10 redirects\")",
			Mutant:  "return map[error]error{errors.ErrUnsupported: http.ErrUseLastResponse}[errors.ErrUnsupported]",
			Formula: "probes/failing-probes",
			Breaks:  "A probe that is redirected ten times has failed. The mutant takes the redirect for an answer.",
		}, {
			Name: "unimplemented-is-healthy", File: "pkg/probe/grpc/grpc.go", Within: "grpcProber.Probe",
			Now: "case codes.Unimplemented:", Mutant: "case codes.Unimplemented:\nreturn probe.Success, \"\", nil",
			Formula: "probes/failing-probes",
			Breaks:  "A gRPC probe with the status UNIMPLEMENTED has failed. The mutant accepts it.",
		}, {
			Name: "grpc-refusal-at-once", File: "pkg/probe/grpc/grpc.go", Within: "grpcProber.Probe",
			Now: "grpc.WithBlock(),", Mutant: "", Formula: "probes/closed-grpc-kills",
			Breaks: "A gRPC probe of a closed port fails after its timeout. The mutant fails at once.",
		}, {
			Name: "hook-status-counts", File: handlers, Within: "handlerRunner.runHTTPHandler",
			Now: "resp, err := hr.httpDoer.Do(req)",
			Mutant: "resp, err := hr.httpDoer.Do(req)\nif err == nil && resp.StatusCode >= 400 {\n" +
				"err = errors.New(resp.Status)\n}",
			Formula: "termination/hook-status-ignored",
			Breaks:  "An HTTP hook that is answered has succeeded. The mutant takes the status 404 for a failure.",
		}, {
			Name: "hook-repeated", File: handlers, Within: "handlerRunner.runHTTPHandler",
			Now: "resp, err := hr.httpDoer.Do(req)",
			Mutant: "resp, err := hr.httpDoer.Do(req)\nif err != nil {\ntime.Sleep(2 * time.Second)\n" +
				"resp, err = hr.httpDoer.Do(req.Clone(ctx))\n}",
			Formula: "termination/post-start-refused",
			Breaks:  "An HTTP hook that cannot connect fails at once. The mutant tries again after two seconds.",
		}, {
			Name: "no-fallback-to-http", File: handlers, Within: "handlerRunner.runHTTPHandler",
			Now: "if isHTTPResponseError(err) {", Mutant: "if false {", Formula: "termination/hook-runs",
			Breaks: "An HTTPS hook of a port with plain HTTP is repeated without TLS. The mutant gives up.",
		}, {
			Name: "gates-not-awaited", File: "pkg/kubelet/status/generate.go", Within: "GeneratePodReadyCondition",
			Now: "c.Status != v1.ConditionTrue", Mutant: "c.Status == \"\"", Formula: "probes/readiness-gate",
			Breaks: "A readiness gate whose condition is False keeps its pod from being Ready. The mutant accepts it.",
		}, {
			Name: "gates-seen-at-resync", File: "pkg/kubelet/status/status_manager.go",
			Within: "NeedToReconcilePodReadiness", Now: "return true", Mutant: "return false",
			Formula: "probes/readiness-gate",
			Breaks:  "The kubelet looks at a pod whose gate's condition changed. The mutant waits for the next sync.",
		},
	})
}

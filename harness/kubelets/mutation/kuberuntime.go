package mutation

// The files of restarts and of dead containers.
const (
	computePodActions  = "kubeGenericRuntimeManager.computePodActions"
	computeInitActions = "kubeGenericRuntimeManager.computeInitContainerActions"
	startContainer     = "kubeGenericRuntimeManager.startContainer"
	podUtilFile        = "pkg/api/v1/pod/util.go"
	deletorFile        = "pkg/kubelet/pod_container_deletor.go"
)

// killMutations change how containers are killed, and what their hooks and probes have to do with it.
func killMutations() []Mutation {
	const (
		hook     = "containerSpec.Lifecycle.PreStop != nil && gracePeriod > 0"
		timedOut = `logger.V(2).Info("PreStop hook not completed in grace period"`
	)
	shared := Mutation{
		File: containerRuntime, Within: killContainer, Formula: "termination/hook-runs", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "no-hook-after-liveness", Now: hook, Mutant: hook + " && reason != reasonLivenessProbe",
			Breaks: "A container that its liveness probe kills has its preStop hook. The mutant runs none.",
		}, {
			Name: "no-hook-after-startup", Now: hook, Mutant: hook + " && reason != reasonStartupProbe",
			Breaks: "A container that its startup probe kills has its preStop hook. The mutant runs none.",
		}, {
			Name: "hook-skipped-at-times", Now: hook, Mutant: hook + " && pod.UID[0]&1 == 0",
			Breaks: "Every kill with a grace period runs the preStop hook. The mutant runs it in half of the pods.",
		}, {
			Name: "sidecar-hook-in-turn", Formula: "sidecars/hooks-in-parallel",
			Now: "if containerSpec.Lifecycle != nil",
			Mutant: "if ordering != nil && gracePeriod > 0 {\ngracePeriod -= " +
				"int64(ordering.waitForTurn(containerName, gracePeriod))\n}\nif containerSpec.Lifecycle != nil",
			Breaks: "A sidecar's hook begins with the pod's kill. The mutant's begins when it is the sidecar's turn.",
		}, {
			Name: "own-stop-signal-ignored", Within: "kubeGenericRuntimeManager.generateContainerConfig",
			Formula: "termination/own-stop-signal",
			Now:     "stopsignal != nil", Mutant: "stopsignal != nil && restartCount > 0",
			Breaks: "lifecycle.stopSignal counts from a container's first life. The mutant's counts from the second.",
		}, {
			Name: "minimum-of-nothing-left", Formula: "termination/remainder",
			Now: "gracePeriod < minimumGracePeriodInSeconds {", Mutant: "gracePeriod <= 0 {",
			Breaks: "A container has two seconds at least. The mutant leaves one if one is left.",
		}, {
			Name: "probe-grace-lost-at-times", Formula: "termination/remainder",
			Now:    "containerName, containerID, reason)",
			Mutant: "containerName, containerID, map[byte]containerKillReason{1: reason}[containerID.ID[0]&1])",
			Breaks: "A probe's kill uses the probe's grace period. Half of the mutant's kills use the pod's.",
		}, {
			Name: "longer-probe-grace-ignored", Within: "isProbeTerminationGracePeriodSecondsSet",
			Formula: "termination/remainder", Now: "probe != nil && probe.TerminationGracePeriodSeconds != nil",
			Mutant: "probe != nil && probe.TerminationGracePeriodSeconds != nil && " +
				"*probe.TerminationGracePeriodSeconds <= *pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "A probe's grace period may exceed the pod's. The mutant ignores one that does.",
		}, {
			Name: "sidecar-startup-kill-as-liveness", Within: computeInitActions, Formula: "termination/remainder",
			Now: "reason: reasonStartupProbe", Mutant: "reason: reasonLivenessProbe",
			Breaks: "A sidecar's startup kill uses that probe's grace period. The mutant uses the liveness probe's.",
		}, {
			Name: "hook-failure-silent", Within: executePreStopHook, Formula: "termination/hook-failure-event",
			Now: "m.recordContainerEvent(ctx, pod, containerSpec, containerID.ID, v1.EventTypeWarning, " +
				"events.FailedPreStopHook, \"PreStopHook failed\")",
			Breaks: "A preStop hook that fails causes an event. The mutant reports none.",
		}, {
			Name: "hook-timeout-reported", Within: executePreStopHook, Formula: "termination/hook-timeout-silent",
			Now: timedOut,
			Mutant: "m.recordContainerEvent(ctx, pod, containerSpec, containerID.ID, v1.EventTypeWarning, " +
				"events.FailedPreStopHook, \"PreStopHook timed out\")\n" + timedOut,
			Breaks: "A preStop hook that times out causes no event. The mutant reports it at once.",
		}, {
			Name: "post-start-kill-without-grace", Within: startContainer, Formula: "termination/post-start-kills",
			Now: "reasonFailedPostStartHook, nil, nil)", Mutant: "reasonFailedPostStartHook, new(int64), nil)",
			Breaks: "A failed postStart hook leaves the preStop hook and the grace period. The mutant leaves neither.",
		}, {
			Name: "post-start-in-first-life-only", Within: startContainer, Formula: "termination/post-start-event",
			Now:    "container.Lifecycle.PostStart != nil",
			Mutant: "container.Lifecycle.PostStart != nil && restartCount == 0",
			Breaks: "Every life has its postStart hook. The mutant runs it in the first life only.",
		}, {
			Name: "http-hook-without-address", File: lifecycleHandlers, Within: "handlerRunner.runHTTPHandler",
			Now: "len(host) == 0", Mutant: "len(host) != 0",
			Breaks: "An HTTP hook without a host asks the pod. The mutant has no address to ask.",
		}, {
			Name: "killed-one-by-one", Within: "kubeGenericRuntimeManager.killContainersWithSyncResult",
			Formula: "termination/killed-together", Now: "go func(container *kubecontainer.Container) {",
			Mutant: "func(container *kubecontainer.Container) {",
			Breaks: "The containers of a pod are killed in parallel. The mutant kills one after another.",
		}, {
			Name: "sidecar-order-at-times", Within: "kubeGenericRuntimeManager.killContainersWithSyncResult",
			Formula: "sidecars/signal", Now: "types.HasRestartableInitContainer(pod)",
			Mutant: "types.HasRestartableInitContainer(pod) && pod.UID[0]&1 == 0",
			Breaks: "Sidecars end after the main containers. In half of the mutant's pods all end together.",
		}, {
			Name: "whole-pod-killed-without-grace", File: runtimeManager, Within: "kubeGenericRuntimeManager.SyncPod",
			Formula: "termination/probe-grace-ignored", Now: "podStatus), nil)", Mutant: "podStatus), new(int64))",
			Breaks: "A kill that ends its pod leaves the pod's grace period. The mutant leaves two seconds, no hook.",
		}, {
			Name: "restart-all-removes-the-running", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.getContainersToReset", Formula: "termination/restart-all-kills",
			Now:    "info.kill = true",
			Breaks: "A restart of all containers stops those that run. The mutant removes them without a signal.",
		}, {
			Name: "failed-stop-keeps-sandbox", File: runtimeManager,
			Within:  "kubeGenericRuntimeManager.killPodWithSyncResult",
			Formula: "termination/stop-fails", Now: "result.AddSyncResult(containerResult)",
			Mutant: "result.AddSyncResult(containerResult)\nif containerResult.Error != nil {\nreturn result\n}",
			Breaks: "A pod's sandbox is stopped even if a container could not be. The mutant leaves both.",
		}, {
			Name: "failed-status-is-gone", File: containerRuntime,
			Within:  "kubeGenericRuntimeManager.getPodContainerStatuses",
			Formula: "restarts/runtime-answers", Now: "crierror.IsNotFound(err)", Mutant: "err != nil",
			Breaks: "A container whose status fails is as it was. The mutant takes it for gone, and starts another.",
		}, {
			Name: "restart-all-ends-its-pod", File: "pkg/api/v1/pod/util.go", Within: "ContainerShouldRestart",
			Formula: "termination/restart-all-free",
			Now:     "utilfeature.DefaultFeatureGate.Enabled(features.RestartAllContainersOnContainerExits)",
			Mutant:  "false",
			Breaks: "A pod does not end if the last end restarts all containers. The mutant asks only for the policy " +
				"of that container.",
		}, {
			Name: "restart-all-fails-init", File: "pkg/kubelet/kubelet_pods.go", Within: "getPhase",
			Formula: "termination/restart-all-free",
			Now: "failedInitialization++\n" +
				"restartable := podutil.ContainerShouldRestart(container, pod.Spec, exitCode)",
			Mutant: "failedInitialization++\nfailedInitializationNotRestartable++\n" +
				"restartable := podutil.ContainerShouldRestart(container, pod.Spec, exitCode)",
			Breaks: "An init container that was removed to restart all has not failed. The mutant's has, for good.",
		}, {
			Name: "restart-all-keeps-init", File: runtimeManager, Within: computePodActions,
			Formula: "termination/restart-all-free",
			Now:     "changes.ContainersToReset = append(changes.ContainersToReset, sourceInitContainers...)",
			Mutant:  "_ = sourceInitContainers",
			Breaks: "A restart of all containers removes the init container that caused it. The mutant keeps it and " +
				"begins again.",
		}, {
			Name: "restart-all-begins-back-off", File: runtimeManager, Within: "kubeGenericRuntimeManager.SyncPod",
			Formula: "restarts/first-crash",
			Now:     "if err := m.removeContainer(ctx, containerInfo.containerID.ID, true)",
			Mutant: "backOff.Next(GetBackoffKey(pod, containerInfo.container), backOff.Clock.Now())\n" +
				"if err := m.removeContainer(ctx, containerInfo.containerID.ID, true)",
			Breaks: "A restart of all containers begins no back-off. The mutant's delays the restart after the next " +
				"crash.",
		},
	})
}

// actionMutations change which containers a sync starts and stops.
func actionMutations() []Mutation {
	const starts = "changes.InitContainersToStart = append(changes.InitContainersToStart, i)"
	shared := Mutation{
		File: runtimeManager, Within: computePodActions, Formula: "restarts/uncaused", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "sidecar-start-not-awaited", File: containerRuntime, Within: computeInitActions,
			Formula: "restarts/init-then-next", Now: "startup != proberesults.Success {",
			Mutant: "startup == proberesults.Failure {",
			Breaks: "The next container waits for a sidecar's startup to succeed. The mutant's waits for any result.",
		}, {
			Name: "sidecar-restarted-a-sync-later", File: containerRuntime, Within: computeInitActions,
			Formula: "restarts/after-probe-kill", Now: "reason: reasonLivenessProbe,\n}\n" + starts,
			Mutant: "reason: reasonLivenessProbe,\n}",
			Breaks: "The sync that kills a sidecar for its liveness starts it again. The mutant's next sync does.",
		}, {
			Name: "finished-sidecar-not-restarted", File: containerRuntime, Within: computeInitActions,
			Formula: "restarts/first-crash",
			Now:     "case kubecontainer.ContainerStateExited:\nif podutil.IsRestartableInitContainer(container) {",
			Mutant: "case kubecontainer.ContainerStateExited:\nif podutil.IsRestartableInitContainer(container) " +
				"{\nif status.ExitCode == 0 {\nbreak\n}",
			Breaks: "A sidecar starts again after every end. The mutant does not start one that succeeded.",
		}, {
			Name: "init-run-again", File: containerRuntime, Within: computeInitActions, Formula: "restarts/starts",
			Now: "else if !isPreviouslyInitialized {", Mutant: "else {",
			Breaks: "An init container after a sidecar runs once. The mutant runs it again in every sync.",
		}, {
			Name: "init-container-not-kept", File: containerRuntime,
			Within: "kubeGenericRuntimeManager.pruneInitContainersBeforeStart", Formula: "restarts/delay",
			Now: "count == 1", Mutant: "count == 0",
			Breaks: "An init container's last end is kept, so a failed one waits. The mutant removes it.",
		}, {
			Name: "failed-init-taken-for-done", File: helpersFile, Within: "isInitContainerFailed",
			Formula: "restarts/init-then-next", Now: "status.ExitCode != 0", Mutant: "status.ExitCode > 255",
			Breaks: "An init container that ends with an error has failed. The mutant goes on to the next one.",
		}, {
			Name: "on-failure-ends-with-kill", Within: "shouldRestartOnFailure", Formula: "restarts/after-probe-kill",
			Now: "!= v1.RestartPolicyNever", Mutant: "== v1.RestartPolicyAlways",
			Breaks: "With OnFailure a container starts again after a probe's kill. The mutant ends its pod.",
		}, {
			Name: "changed-image-not-restarted", Formula: "termination/image-change-starts", Now: "restart = true",
			Mutant: "restart = false",
			Breaks: "A changed image restarts its container. The mutant kills the whole pod if nothing else runs.",
		}, {
			Name: "starting-container-killed", Formula: "probes/no-kill",
			Now: "startup == proberesults.Failure", Mutant: "startup != proberesults.Success",
			Breaks: "A failed startup probe kills its container. The mutant kills it as long as nothing is known.",
		}, {
			Name: "rule-not-in-as-in", File: podUtilFile, Within: "FindMatchingContainerRestartRule",
			Now: "if !exitCodeMatched {", Mutant: "if exitCodeMatched {",
			Breaks: "A rule with NotIn holds for other exit codes. The mutant's holds for those that it names.",
		}, {
			Name: "rule-restart-refuses", File: podUtilFile, Within: "ContainerShouldRestart",
			Formula: "restarts/first-crash", Now: "case v1.ContainerRestartRuleActionRestart:\nreturn true",
			Mutant: "case v1.ContainerRestartRuleActionRestart:\nreturn false",
			Breaks: "A rule with Restart restarts its container. The mutant's forbids that.",
		}, {
			Name: "container-never-ignored", File: podUtilFile, Within: "ContainerShouldRestart",
			Now:    "case v1.ContainerRestartPolicyNever:\nreturn false",
			Mutant: "case v1.ContainerRestartPolicyNever:\nreturn true",
			Breaks: "A container's own restartPolicy Never is obeyed. The mutant restarts the container.",
		},
	})
}

// waitMutations change the back-off, its memory, and when the kubelet notices an end.
func waitMutations() []Mutation {
	const ended = "case plegContainerExited:\nreturn []*PodLifecycleEvent{{ID: podID, Type: "
	shared := Mutation{
		File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff", Formula: "restarts/delay",
		Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "backoff-of-any-container", Now: "c.Name == container.Name && c.State", Mutant: "c.State",
			Breaks: "A back-off counts from its container's last end. The mutant counts from any container's.",
		}, {
			Name: "backoff-since-oldest-end", Now: "cStatus = c\nbreak", Mutant: "cStatus = c",
			Breaks: "A back-off counts from the last end. The mutant counts from the oldest that is kept.",
		}, {
			Name: "backoff-grows-while-waiting", Now: "backoff := backOff.Get(key)",
			Mutant: "backOff.Next(key, ts)\nbackoff := backOff.Get(key)",
			Breaks: "A back-off doubles with each restart. The mutant doubles it in each sync that waits.",
		}, {
			Name: "backoff-longest-is-least", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "min(delay, p.maxDuration)", Mutant: "max(delay, p.maxDuration)",
			Breaks: "Back-offs grow up to the longest. The mutant's second one is the longest already.",
		}, {
			Name: "pull-backoff-from-now", Within: "imageManager.pullImage",
			File: "pkg/kubelet/images/image_manager.go", Formula: "restarts/pull-delay",
			Now: "m.backOff.IsInBackOffSinceUpdate(", Mutant: "m.backOff.IsInBackOffSince(",
			Breaks: "A pull's back-off counts from the last pull. The mutant counts from now, and waits ten minutes.",
		}, {
			Name: "collection-leaves-none", File: "pkg/kubelet/kuberuntime/kuberuntime_gc.go",
			Within: "containerGC.enforceMaxContainersPerEvictUnit", Now: "len(evictUnits[key]) - MaxContainers",
			Mutant: "len(evictUnits[key]) - MaxContainers + 1",
			Breaks: "The collection keeps a container's last end. The mutant removes it, so the back-off is lost.",
		}, {
			Name: "deletor-keeps-oldest", File: deletorFile, Within: "containerStatusbyCreatedList.Less",
			Formula: "restarts/restart-count", Now: "a[i].CreatedAt.After(a[j].CreatedAt)",
			Mutant: "a[i].CreatedAt.Before(a[j].CreatedAt)",
			Breaks: "The kubelet keeps the newest dead container. The mutant keeps the oldest.",
		}, {
			Name: "deletor-keeps-one-per-pod", File: deletorFile, Within: "getContainersToDeleteInPod",
			Now: "matchedContainer.Name == containerStatus.Name", Mutant: "matchedContainer.Name != \"\"",
			Breaks: "The kubelet keeps a dead container of each name. The mutant keeps one in a pod.",
		}, {
			Name: "end-not-noticed", File: "pkg/kubelet/pleg/generic.go", Within: "generateEvents",
			Formula: "restarts/first-crash",
			Now:     ended + "ContainerDied, Data: cid}}", Mutant: ended + "ContainerChanged, Data: cid}}",
			Breaks: "A container's end leads to a sync. The mutant waits for the next regular one.",
		}, {
			Name: "queue-gives-the-undue", File: "pkg/kubelet/util/queue/work_queue.go",
			Within: "basicWorkQueue.GetWork", Now: "v.Before(now)", Mutant: "now.Before(v)",
			Breaks: "A pod is due when its time has come. The mutant's is due before, and never again.",
		},
	})
}

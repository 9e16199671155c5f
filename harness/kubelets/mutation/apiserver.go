package mutation

const (
	podEvictionFile = "pkg/registry/core/pod/storage/eviction.go"
	podDefaultsFile = "pkg/apis/core/v1/defaults.go"
	minToleration   = "getMinTolerationTime"
)

// podDeleteMutations change what the API server makes of pods and of their deletes.
func podDeleteMutations() []Mutation {
	shared := Mutation{
		Component: APIServer, File: podStrategy, Within: checkGraceful, Formula: deletionGrace, Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "failed-pod-keeps-grace", Formula: "deletion/object-without-process",
			Now:    "pod.Status.Phase == api.PodFailed || pod.Status.Phase == api.PodSucceeded",
			Mutant: "pod.Status.Phase == api.PodSucceeded",
			Breaks: "An evicted pod that is deleted disappears at once. The mutant leaves it its grace period.",
		}, {
			Name: "grace-always-thirty", Now: "period = *pod.Spec.TerminationGracePeriodSeconds",
			Mutant: "period = 30",
			Breaks: "A delete without an own grace period takes the pod's. The mutant takes thirty seconds.",
		}, {
			Name: "delete-never-lengthens", Now: "period = *options.GracePeriodSeconds",
			Mutant: "period = *options.GracePeriodSeconds\nif g := pod.Spec.TerminationGracePeriodSeconds; g != " +
				"nil {\nperiod = min(period, *g)\n}",
			Breaks: "A delete's grace period may exceed the pod's. The mutant takes the shorter one.",
		}, {
			Name: "delete-grace-halved-at-times", Now: "period = *options.GracePeriodSeconds",
			Mutant: "period = *options.GracePeriodSeconds >> (pod.UID[0] & 1)",
			Breaks: "A delete's own grace period is stored. The mutant halves it for half of the pods.",
		}, {
			Name: "default-grace-ten", File: podDefaultsFile, Within: "SetDefaults_PodSpec",
			Now: "int64(v1.DefaultTerminationGracePeriodSeconds)", Mutant: "int64(10)",
			Breaks: "A pod's grace period is thirty seconds by default. The mutant's is ten.",
		}, {
			Name: "timestamp-in-the-past", Module: apiserverModule, File: beforeDelete, Within: "BeforeDelete",
			Formula: deletionShift, Now: "newDeletionTimestamp = now", Mutant: "_ = now",
			Breaks: "A shorter delete moves deletionTimestamp to now at most. The mutant moves it into the past.",
		}, {
			Name: "deletion-timestamp-now", Module: apiserverModule, File: beforeDelete, Within: "BeforeDelete",
			Formula: "deletion/began",
			Now:     "metav1Now().Add(time.Second * time.Duration(*options.GracePeriodSeconds))",
			Mutant:  "metav1Now().Add(0)",
			Breaks:  "deletionTimestamp is the end of the grace period. The mutant stores its begin.",
		}, {
			Name: "late-delete-keeps-grace", Module: apiserverModule, File: beforeDelete, Within: "BeforeDelete",
			Now:    "objectMeta.SetDeletionGracePeriodSeconds(&period)",
			Mutant: "objectMeta.SetDeletionGracePeriodSeconds(options.GracePeriodSeconds)",
			Breaks: "A later delete whose time has passed leaves one second. The mutant stores what it asks for.",
		}, {
			Name: "one-second-removes", Module: apiserverModule, File: "pkg/registry/generic/registry/store.go",
			Within: "Store.updateForGracefulDeletionAndFinalizers", Formula: "deletion/object-after-death",
			Now: "lastGraceful > 0", Mutant: "lastGraceful > 1",
			Breaks: "Only a delete without grace removes the object. The mutant's with one second does so, too.",
		},
	})
}

// podEvictionMutations change the eviction subresource.
func podEvictionMutations() []Mutation {
	const tooMany = `errors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)`
	shared := Mutation{
		Component: APIServer, File: podEvictionFile, Within: "EvictionREST.Create",
		Formula: "deletion/eviction-refused", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "ready-pod-evicted-freely", Now: "if !podutil.IsPodReady(pod) {",
			Mutant: "if podutil.IsPodReady(pod) {",
			Breaks: "Pods that are not ready may go if enough others are. The mutant lets ready ones go.",
		}, {
			Name: "running-pod-evicted-freely", Within: "canIgnorePDB", Now: "pod.Status.Phase == api.PodPending",
			Mutant: "pod.Status.Phase == api.PodRunning",
			Breaks: "A disruption budget protects running pods. The mutant protects pending ones.",
		}, {
			Name: "refusal-forbids", Within: "EvictionREST.checkAndDecrement", Now: tooMany,
			Mutant: "errors.NewForbidden(policy.Resource(\"poddisruptionbudget\"), pdb.Name, goerrors.New(\"no " +
				"disruption is allowed\"))",
			Breaks: "A budget's refusal has the status 429. The mutant's has 403.",
		}, {
			Name: "unready-pod-protected", Formula: "deletion/eviction-allowed",
			Now:    "*pdb.Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow",
			Mutant: "*pdb.Spec.UnhealthyPodEvictionPolicy != policyv1.AlwaysAllow",
			Breaks: "AlwaysAllow lets pods go that are not ready. The mutant protects them.",
		}, {
			Name: "dry-run-disrupts", Within: "EvictionREST.checkAndDecrement",
			Formula: "deletion/eviction-allowed", Now: "if dryRun {", Mutant: "if false {",
			Breaks: "A dry run uses up no disruption that a budget allows. The mutant's does.",
		}, {
			Name: "old-version-evicted", Within: "addConditionAndDeletePod", Formula: "deletion/precondition-failed",
			Now: "*rv != latestPod.ResourceVersion", Mutant: "*rv == \"\"",
			Breaks: "An eviction that demands an old resourceVersion is refused. The mutant's is obeyed.",
		}, {
			Name: "api-eviction-without-condition", Within: "addConditionAndDeletePod",
			Formula: "deletion/disruption-condition", Now: "if !dryrun.IsDryRun(options.DryRun) {",
			Mutant: "if dryrun.IsDryRun(options.DryRun) {",
			Breaks: "An eviction writes the condition DisruptionTarget first. The mutant only deletes.",
		},
	})
}

// controllerMutations change the controllers that delete pods.
func controllerMutations() []Mutation {
	shared := Mutation{
		Component: ControllerManager, File: taintEviction, Within: minToleration, Formula: taintDeletion,
		Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "zero-toleration-for-ever", Now: "if tolerationSeconds <= 0 {\nreturn 0",
			Mutant: "if tolerationSeconds <= 0 {\nreturn -1",
			Breaks: "tolerationSeconds of 0 mean a delete at once. The mutant's pod stays for ever.",
		}, {
			Name: "endless-toleration-ends", Formula: "deletion/lives-on", Now: "return -1", Mutant: "return 0",
			Breaks: "A pod that tolerates a taint without a limit stays. The mutant deletes it at once.",
		}, {
			Name: "toleration-doubled-at-times", Within: "Controller.processPodOnNode",
			Now:    "triggerTime := startTime.Add(minTolerationTime)",
			Mutant: "triggerTime := startTime.Add(minTolerationTime << (now.Unix() & 1))",
			Breaks: "A pod is deleted after tolerationSeconds. The mutant doubles them in every other second.",
		}, {
			Name: "toleration-begins-again", Within: "Controller.processPodOnNode",
			Now: "startTime = scheduledEviction.CreatedAt", Mutant: "_ = scheduledEviction.CreatedAt",
			Breaks: "A further taint does not delay a delete. The mutant's begins tolerationSeconds again.",
		}, {
			Name: "no-schedule-evicts", Within: "getNoExecuteTaints", Formula: "deletion/lives-on",
			Now: "== v1.TaintEffectNoExecute", Mutant: "!= v1.TaintEffectPreferNoSchedule",
			Breaks: "Only a taint with NoExecute deletes pods. The mutant's with NoSchedule does so, too.",
		}, {
			Name: "taint-deletes-by-force", Within: "addConditionAndDeletePod", Formula: deletionGrace,
			Now: "metav1.DeleteOptions{}", Mutant: "metav1.DeleteOptions{GracePeriodSeconds: new(int64)}",
			Breaks: "A taint's delete leaves the pod's grace period. The mutant's leaves none.",
		}, {
			Name: "ended-pods-collected", File: podCollector, Within: "PodGCController.gcTerminated",
			Formula: "eviction/object-stays", Now: "terminatedPodCount - gcc.terminatedPodThreshold",
			Mutant: "terminatedPodCount",
			Breaks: "Objects of ended pods stay below a threshold of 12,500. The mutant removes all.",
		}, {
			Name: "terminating-pods-collected", File: podCollector, Within: "PodGCController.gcTerminating",
			Formula: "deletion/object-after-death", Now: "!nodeutil.IsNodeReady(node) && taints",
			Mutant: "nodeutil.IsNodeReady(node) && !taints",
			Breaks: "Terminating pods of a node out of service are removed. The mutant removes those of sound nodes.",
		},
	})
}

package mutation

const (
	podStrategy     = "pkg/registry/core/pod/strategy.go"
	beforeDelete    = "pkg/registry/rest/delete.go"
	taintEviction   = "pkg/controller/tainteviction/taint_eviction.go"
	apiserverModule = "k8s.io/apiserver"
	checkGraceful   = "podStrategy.CheckGracefulDelete"
	deletionGrace   = "deletion/grace-seconds"
	deletionShift   = "deletion/timestamp-shift"
	taintDeletion   = "deletion/taint"
)

// sinceOwnFiles is since the taint-eviction controller has files of its own.
var sinceOwnFiles = Range{From: "v1.29.0"}

func podStrategyMutations() []Mutation {
	shared := Mutation{
		Component: APIServer, File: podStrategy, Within: checkGraceful, Formula: deletionGrace,
		Versions: sinceOwnFiles,
	}
	return with(shared, []Mutation{
		{
			Name: "scheduled-deleted-at-once",
			Now:  "len(pod.Spec.NodeName) == 0", Mutant: "len(pod.Spec.NodeName) != 0",
			Breaks: "A pod without a node is deleted at once, others after their grace period. The mutant swaps them.",
		}, {
			Name: "negative-grace-thirty", Now: "period = 1", Mutant: "period = 30",
			Breaks: "A negative grace period is stored as one second. The mutant stores thirty.",
			Equivalent: "A negative value becomes one before this code: a request's in BeforeDelete, a pod's in " +
				"SetDefaults_Pod.",
		}, {
			Name: "negative-pod-grace-default", File: "pkg/apis/core/v1/defaults.go", Within: "SetDefaults_Pod",
			Now:    "obj.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1)",
			Mutant: "obj.Spec.TerminationGracePeriodSeconds = ptr.To[int64](30)",
			Breaks: "A pod's negative grace period becomes one second. The mutant makes it thirty.", Versions: since137,
		}, {
			Name:   "zero-grace-taken-for-unset",
			Now:    "options.GracePeriodSeconds != nil",
			Mutant: "options.GracePeriodSeconds != nil && *options.GracePeriodSeconds != 0",
			Breaks: "A delete without grace overrides the pod's grace period. The mutant treats zero as unset.",
		}, {
			Name: "eviction-options-lost", File: "pkg/registry/core/pod/storage/eviction.go",
			Within: "addConditionAndDeletePod",
			Now:    "r.store.Delete(ctx, name, rest.ValidateAllObjectFunc, options)",
			Mutant: "r.store.Delete(ctx, name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})",
			Breaks: "An eviction's own grace period replaces the pod's. The mutant drops it.",
		},
	})
}

func laterDeleteMutations() []Mutation {
	shared := Mutation{
		Component: APIServer, Module: apiserverModule, File: beforeDelete, Within: "BeforeDelete",
		Formula: deletionGrace, Versions: sinceOwnFiles,
	}
	return with(shared, []Mutation{
		{
			Name:    "equal-delete-renews",
			Now:     "period >= *objectMeta.GetDeletionGracePeriodSeconds()",
			Mutant:  "period > *objectMeta.GetDeletionGracePeriodSeconds()",
			Breaks:  "A later, equal delete changes nothing. The mutant moves a deletion that is due to now.",
			Formula: deletionShift,
		}, {
			Name: "later-delete-added-on",
			Now:  "Add(-time.Second * time.Duration(*objectMeta.GetDeletionGracePeriodSeconds()))", Mutant: "Add(0)",
			Breaks:  "A later, shorter delete counts from the first request. The mutant adds it to the deletion's end.",
			Formula: deletionShift,
		}, {
			Name:     "negative-delete-default",
			Now:      "options.GracePeriodSeconds = ptr.To[int64](1)",
			Mutant:   "options.GracePeriodSeconds = ptr.To[int64](30)",
			Breaks:   "A delete's negative grace period becomes one second. The mutant makes it thirty.",
			Versions: since134,
		}, {
			Name: "late-delete-forces", Now: "period = int64(1)", Mutant: "period = int64(0)",
			Breaks:   "A later delete whose time has passed leaves one second. The mutant leaves none.",
			Versions: since133,
		},
	})
}

func laterEvictionMutations() []Mutation {
	shared := Mutation{
		Component: APIServer, File: "pkg/registry/core/pod/storage/eviction.go", Within: "EvictionREST.Create",
		Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "second-budget-ignored", Now: "if len(pdbs) > 1 {", Mutant: "if len(pdbs) > 2 {",
			Breaks:  "An eviction fails with 500 if the pod has two budgets. The mutant asks the first one.",
			Formula: "deletion/eviction-of-two-budgets",
		}, {
			Name: "terminating-pod-not-evicted",
			Now: "err = addConditionAndDeletePod(r, ctx, eviction.Name, rest.ValidateAllObjectFunc, deleteOptions)\n" +
				"if err != nil {\nreturn err\n}\ndeletedPod = true",
			Mutant: "if pod.DeletionTimestamp == nil {\nerr = addConditionAndDeletePod(r, ctx, eviction.Name, " +
				"rest.ValidateAllObjectFunc, deleteOptions)\n}\nif err != nil {\nreturn err\n}\ndeletedPod = true",
			Breaks:  "An eviction shortens a delete that is under way. The mutant's changes nothing.",
			Formula: deletionGrace,
		},
	})
}

func taintMutations() []Mutation {
	shared := Mutation{
		Component: ControllerManager, File: taintEviction, Within: "getMinTolerationTime",
		Formula: taintDeletion, Versions: sinceOwnFiles,
	}
	return with(shared, []Mutation{
		{
			Name: "toleration-longest",
			Now:  "tolerationSeconds < minTolerationTime", Mutant: "tolerationSeconds > minTolerationTime",
			Breaks: "A pod is deleted when its shortest toleration ends. The mutant never deletes it.",
		}, {
			Name: "toleration-ignored", Within: "Controller.processPodOnNode",
			Now: "triggerTime := startTime.Add(minTolerationTime)", Mutant: "triggerTime := startTime",
			Breaks: "A pod is deleted tolerationSeconds after its node was tainted. The mutant deletes it at once.",
		}, {
			Name: "second-taint-obeyed", Within: "Controller.processPodOnNode",
			Now: "startTime = scheduledEviction.CreatedAt\n" +
				"if startTime.Add(minTolerationTime).Before(triggerTime) {",
			Mutant:  "if !triggerTime.Before(scheduledEviction.FireAt) {",
			Breaks:  "A second taint with shorter tolerationSeconds does not move a delete. The mutant obeys it.",
			Formula: "deletion/second-taint", Repairs: true, Versions: since137,
		}, {
			Name: "untolerated-taint-waits", Within: "Controller.processPodOnNode",
			Now: "tc.cancelWorkWithEvent(logger, podNamespacedName)\ntc.taintEvictionQueue.AddWork(ctx, " +
				"NewWorkArgs(podNamespacedName.Name, podNamespacedName.Namespace), now, now)",
			Mutant: "tc.taintEvictionQueue.AddWork(ctx, " +
				"NewWorkArgs(podNamespacedName.Name, podNamespacedName.Namespace), now, now)",
			Breaks: "A second taint that a pod does not tolerate deletes it at once. The mutant waits for the first " +
				"one's tolerationSeconds.",
			Formula: "deletion/second-taint", Versions: since137,
		}, {
			Name:   "toleration-milliseconds",
			Now:    "time.Duration(minTolerationTime) * time.Second",
			Mutant: "time.Duration(minTolerationTime) * time.Millisecond",
			Breaks: "tolerationSeconds are seconds. The mutant reads them as milliseconds.",
		}, {
			Name: "taint-removal-forgotten", Within: "Controller.cancelWorkWithEvent",
			Now:     "tc.taintEvictionQueue.CancelWork(logger, nsName.String())",
			Mutant:  "tc.taintEvictionQueue.CancelWork(logger, nsName.Name)",
			Breaks:  "A taint that is removed in time deletes no pod. The mutant does not find the deletion to cancel.",
			Formula: "deletion/lives-on",
		},
	})
}

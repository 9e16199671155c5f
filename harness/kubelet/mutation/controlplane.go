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

// sinceOwnFiles is since the taint-eviction controller has files of its own. Before 1.29 it was part of the
// node-lifecycle controller. Every control plane that podclock builds is newer.
var sinceOwnFiles = Range{From: "v1.29.0"}

// podStrategyMutations break what the first delete request does to a pod.
func podStrategyMutations() []Mutation {
	shared := Mutation{
		Component: APIServer, File: podStrategy, Within: checkGraceful, Formula: deletionGrace,
		Versions: sinceOwnFiles,
	}
	return with(shared, []Mutation{
		{
			Name: "scheduled-deleted-at-once",
			Now:  "len(pod.Spec.NodeName) == 0", Mutant: "len(pod.Spec.NodeName) != 0",
			Breaks: "A pod without a node is deleted at once, a pod with a node after its grace period. The mutant " +
				"exchanges the two.",
		},
		{
			Name: "negative-grace-thirty", Now: "period = 1", Mutant: "period = 30",
			Breaks: "A negative grace period is stored as one second. The mutant stores the default of thirty.",
			Unseen: "This code is never reached. A negative value of the request becomes one before it " +
				"(BeforeDelete), and so does one of the pod in each conversion (Convert_v1_Pod_To_core_Pod).",
		},
		{
			Name: "negative-pod-grace-default", File: "pkg/apis/core/v1/conversion.go",
			Within: "Convert_v1_Pod_To_core_Pod",
			Now:    "out.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1)",
			Mutant: "out.Spec.TerminationGracePeriodSeconds = ptr.To[int64](30)",
			Breaks: "A pod's negative grace period becomes one second. The mutant uses the default of thirty.",
		},
		{
			Name:   "zero-grace-taken-for-unset",
			Now:    "options.GracePeriodSeconds != nil",
			Mutant: "options.GracePeriodSeconds != nil && *options.GracePeriodSeconds != 0",
			Breaks: "A delete request without grace overrides the pod's grace period. The mutant treats zero as " +
				"unset and uses the pod's.",
		},
		{
			Name: "eviction-options-lost", File: "pkg/registry/core/pod/storage/eviction.go",
			Within: "addConditionAndDeletePod",
			Now:    "r.store.Delete(ctx, name, rest.ValidateAllObjectFunc, options)",
			Mutant: "r.store.Delete(ctx, name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})",
			Breaks: "An eviction's own grace period replaces the pod's. The mutant deletes without the eviction's " +
				"options.",
		},
	})
}

// laterDeleteMutations break what a later delete request changes.
func laterDeleteMutations() []Mutation {
	shared := Mutation{
		Component: APIServer, Module: apiserverModule, File: beforeDelete, Within: "BeforeDelete",
		Formula: deletionGrace, Versions: sinceOwnFiles,
	}
	return with(shared, []Mutation{
		{
			Name:   "equal-delete-renews",
			Now:    "period >= *objectMeta.GetDeletionGracePeriodSeconds()",
			Mutant: "period > *objectMeta.GetDeletionGracePeriodSeconds()",
			Breaks: "A later delete with an equal grace period changes nothing. The mutant moves the deletion to " +
				"now if its time has passed.",
			Formula: deletionShift,
		},
		{
			Name: "later-delete-added-on",
			Now:  "Add(-time.Second * time.Duration(*objectMeta.GetDeletionGracePeriodSeconds()))", Mutant: "Add(0)",
			Breaks: "A later, shorter delete counts from the first request. The mutant adds its grace period to the " +
				"deletion's end.",
			Formula: deletionShift,
		},
		{
			Name:   "negative-delete-default",
			Now:    "options.GracePeriodSeconds = ptr.To[int64](1)",
			Mutant: "options.GracePeriodSeconds = ptr.To[int64](30)",
			Breaks: "A negative grace period of a delete request becomes one second. The mutant uses the default of " +
				"thirty.",
		},
		{
			Name: "late-delete-forces", Now: "period = int64(1)", Mutant: "period = int64(0)",
			Breaks: "A later delete whose time has passed leaves one second. The mutant leaves none, so the object " +
				"goes before its process.",
		},
	})
}

// taintMutations break when a pod is deleted because of its node's taint.
func taintMutations() []Mutation {
	shared := Mutation{
		Component: ControllerManager, File: taintEviction, Within: "getMinTolerationTime",
		Formula: taintDeletion, Versions: sinceOwnFiles,
	}
	return with(shared, []Mutation{
		{
			Name: "toleration-longest",
			Now:  "tolerationSeconds < minTolerationTime", Mutant: "tolerationSeconds > minTolerationTime",
			Breaks: "A pod is deleted when its shortest toleration ends. In the mutant none is shorter than " +
				"forever, so the pod is never deleted.",
		},
		{
			Name: "toleration-ignored", Within: "Controller.processPodOnNode",
			Now: "triggerTime := startTime.Add(minTolerationTime)", Mutant: "triggerTime := startTime",
			Breaks: "A pod is deleted tolerationSeconds after its node was tainted. The mutant deletes it at once.",
		},
		{
			Name:   "toleration-milliseconds",
			Now:    "time.Duration(minTolerationTime) * time.Second",
			Mutant: "time.Duration(minTolerationTime) * time.Millisecond",
			Breaks: "tolerationSeconds are seconds. The mutant reads them as milliseconds.",
		},
		{
			Name: "taint-removal-forgotten", Within: "Controller.cancelWorkWithEvent",
			Now:    "tc.taintEvictionQueue.CancelWork(logger, nsName.String())",
			Mutant: "tc.taintEvictionQueue.CancelWork(logger, nsName.Name)",
			Breaks: "A taint that is removed in time deletes no pod. The mutant looks the deletion up without the " +
				"namespace, does not find it, and does not cancel it.",
			Formula: "deletion/lives-on",
		},
	})
}

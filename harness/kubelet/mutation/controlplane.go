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

// sinceOwnFiles: before 1.29 the taint-eviction controller was part of the node-lifecycle controller, in
// other files; the oldest control plane that can be had is newer.
var sinceOwnFiles = Range{From: "v1.29.0"}

// podStrategyMutations break what a first request makes of a pod.
func podStrategyMutations() []Mutation {
	return []Mutation{
		{
			Name: "scheduled-deleted-at-once", Component: APIServer, File: podStrategy, Within: checkGraceful,
			Now: "len(pod.Spec.NodeName) == 0", Mutant: "len(pod.Spec.NodeName) != 0",
			Breaks: "A pod that has no node is deleted at once, one that has a node after its grace period. Here it " +
				"is the other way round.",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
		{
			Name: "negative-grace-thirty", Component: APIServer, File: podStrategy, Within: checkGraceful,
			Now: "period = 1", Mutant: "period = 30",
			Breaks: "A negative grace period is stored as one second. Here it is stored as the default of thirty.",
			Unseen: "This code is never reached: a negative value of the request has become one before " +
				"(BeforeDelete), and so has one of the pod, whenever it is converted (Convert_v1_Pod_To_core_Pod).",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
		{
			Name: "negative-pod-grace-default", Component: APIServer, File: "pkg/apis/core/v1/conversion.go",
			Within: "Convert_v1_Pod_To_core_Pod",
			Now:    "out.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1)",
			Mutant: "out.Spec.TerminationGracePeriodSeconds = ptr.To[int64](30)",
			Breaks: "A pod's negative grace period is taken for one second. Here it is taken for the default of " +
				"thirty.",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
		{
			Name: "zero-grace-taken-for-unset", Component: APIServer, File: podStrategy, Within: checkGraceful,
			Now:    "options.GracePeriodSeconds != nil",
			Mutant: "options.GracePeriodSeconds != nil && *options.GracePeriodSeconds != 0",
			Breaks: "A delete request without grace overrides the pod's grace period. Here zero is read as no " +
				"value, and the pod's own stands.",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
		{
			Name: "eviction-options-lost", Component: APIServer, File: "pkg/registry/core/pod/storage/eviction.go",
			Within: "addConditionAndDeletePod",
			Now:    "r.store.Delete(ctx, name, rest.ValidateAllObjectFunc, options)",
			Mutant: "r.store.Delete(ctx, name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})",
			Breaks: "An eviction's own grace period stands in the place of the pod's. Here the eviction deletes " +
				"without its options.",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
	}
}

// laterDeleteMutations break what a later request makes of a deletion.
func laterDeleteMutations() []Mutation {
	return []Mutation{
		{
			Name: "equal-delete-renews", Component: APIServer, Module: apiserverModule, File: beforeDelete,
			Within: "BeforeDelete",
			Now:    "period >= *objectMeta.GetDeletionGracePeriodSeconds()",
			Mutant: "period > *objectMeta.GetDeletionGracePeriodSeconds()",
			Breaks: "A later delete with an equal grace period changes nothing. Here it moves the deletion to now " +
				"when its time is over already.",
			Formula: deletionShift, Versions: sinceOwnFiles,
		},
		{
			Name: "later-delete-added-on", Component: APIServer, Module: apiserverModule, File: beforeDelete,
			Within: "BeforeDelete",
			Now:    "Add(-time.Second * time.Duration(*objectMeta.GetDeletionGracePeriodSeconds()))", Mutant: "Add(0)",
			Breaks: "A later, shorter delete counts from the first request. Here its grace period is added to the " +
				"deletion's end.",
			Formula: deletionShift, Versions: sinceOwnFiles,
		},
		{
			Name: "negative-delete-default", Component: APIServer, Module: apiserverModule, File: beforeDelete,
			Within: "BeforeDelete",
			Now:    "options.GracePeriodSeconds = ptr.To[int64](1)",
			Mutant: "options.GracePeriodSeconds = ptr.To[int64](30)",
			Breaks: "A negative grace period of a delete request becomes one second. Here it becomes the default of " +
				"thirty.",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
		{
			Name: "late-delete-forces", Component: APIServer, Module: apiserverModule, File: beforeDelete,
			Within: "BeforeDelete", Now: "period = int64(1)", Mutant: "period = int64(0)",
			Breaks: "A later delete whose time is over already leaves one second. Here it leaves none, which " +
				"removes the object before its process is dead.",
			Formula: deletionGrace, Versions: sinceOwnFiles,
		},
	}
}

// taintMutations break when a pod is deleted because of its node's taint.
func taintMutations() []Mutation {
	return []Mutation{
		{
			Name: "toleration-longest", Component: ControllerManager, File: taintEviction,
			Within: "getMinTolerationTime",
			Now:    "tolerationSeconds < minTolerationTime", Mutant: "tolerationSeconds > minTolerationTime",
			Breaks: "A pod is deleted when the shortest of its tolerations is over. Here no toleration is shorter " +
				"than forever, and it is never deleted.",
			Formula: taintDeletion, Versions: sinceOwnFiles,
		},
		{
			Name: "toleration-ignored", Component: ControllerManager, File: taintEviction,
			Within: "Controller.processPodOnNode",
			Now:    "triggerTime := startTime.Add(minTolerationTime)", Mutant: "triggerTime := startTime",
			Breaks:  "A pod is deleted tolerationSeconds after its node was tainted. Here it is deleted at once.",
			Formula: taintDeletion, Versions: sinceOwnFiles,
		},
		{
			Name: "toleration-milliseconds", Component: ControllerManager, File: taintEviction,
			Within:  "getMinTolerationTime",
			Now:     "time.Duration(minTolerationTime) * time.Second",
			Mutant:  "time.Duration(minTolerationTime) * time.Millisecond",
			Breaks:  "tolerationSeconds are seconds. Here they are taken for milliseconds.",
			Formula: taintDeletion, Versions: sinceOwnFiles,
		},
		{
			Name: "taint-removal-forgotten", Component: ControllerManager, File: taintEviction,
			Within: "Controller.cancelWorkWithEvent",
			Now:    "tc.taintEvictionQueue.CancelWork(logger, nsName.String())",
			Mutant: "tc.taintEvictionQueue.CancelWork(logger, nsName.Name)",
			Breaks: "A taint that is taken away in time deletes nobody. Here the deletion is looked up by the pod's " +
				"name without its namespace, not found, and not called off.",
			Formula: "deletion/lives-on", Versions: sinceOwnFiles,
		},
	}
}

package predict

import (
	"time"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Workload is one object of a manifest that makes pods.
type Workload struct {
	manifest.Object
	// Pods is how many the controller keeps, nil if that is not known. Budgets and Services are those that select the
	// pods.
	Pods     *replicas.Range
	Budgets  []replicas.Budget
	Services []manifest.Service
	// Where is such as "kubelet v1.37.2 on node-a" for an object of a cluster, empty for one of a manifest.
	Where string
}

// Prediction is everything that is predicted of a workload's pods.
type Prediction struct {
	Workload
	Kubelet formula.Kubelet
	// Presets are the limits of the pod's node that the user chose.
	Presets []preset.Preset
	// NotCovered says why nothing is predicted, or is empty. Unless it is empty, all fields below are.
	NotCovered string
	// Containers are main containers, then sidecars, then init containers. Workloads with equal pods share them.
	Containers []Container
	Findings   []findings.Finding
	// Ignored are findings that the user or the workload's author wants.
	Ignored []findings.Ignored
	// Kills are those of the pod, over all containers but init containers, MainKills those of its main containers.
	Kills, MainKills Kills
	// Readiness is the pod's. Ready counts from the start of the main containers.
	Readiness
	// NeverReady is the probe that keeps the pod from being ready for ever, or nil.
	NeverReady *effective.Ignored
	// RestartAll are the ends of a container that restart all, such as "end of container app with exit code 88".
	RestartAll []string
	// Owner is the kind of what makes the pods again, or "Pod".
	Owner string
	// Traffic is what Services do after a delete. It is nil if none is known to select the pod.
	Traffic *Traffic
	// LostNode is what happens to the pod if its node stops answering.
	LostNode *LostPod
	// Retries are the pods that a Job makes after failed ones. It is nil if no Job replaces failed pods.
	Retries *Retries
	// DrainFlags are the flags without which kubectl drain refuses the pod's node.
	DrainFlags []string
	// AllPods is nil if nothing is known of them.
	AllPods *AllPods
	// AssumedClass is the pod's priority class if a shutdown of the node is predicted as if its value were 0, else "".
	AssumedClass string
}

// Traffic is what happens to new connections through Services when a pod is deleted. Times count from the request.
type Traffic struct {
	// Services are the names of those that select the pod. Always are those that route to it until its object is gone.
	Services, Always []string
	// Unready is when the pod's endpoints are not ready, Routed the last time at which a node's proxy may send it a new
	// connection if another pod of the Service is ready.
	Unready, Routed Span
	// SIGTERM is that of the main containers.
	SIGTERM Span
	// Sleep is the shortest sleep action that keeps SIGTERM from coming before, 0 if it does not, or if none is long
	// enough. It is in whole seconds.
	Sleep time.Duration
}

// LostPod is a pod whose node stops answering. Its times count from then.
type LostPod struct {
	Unready Span
	// Deleted is nil for never.
	Deleted  *Span
	Replaced Replacement
}

// Replacement is when another pod replaces that of a lost node. It is empty if podclock does not know its controller.
type Replacement string

// When another pod replaces that of a lost node.
const (
	ReplacedAtDelete Replacement = "at-delete"
	// ReplacedWhenGone waits until the node answers or is removed, or somebody force-deletes the pod.
	ReplacedWhenGone Replacement = "when-gone"
	NeverReplaced    Replacement = "never"
)

// Container is what is predicted of one container.
type Container struct {
	Name string
	Role effective.Role
	// PostStart are the postStart hooks that hold the container's start.
	PostStart effective.PostStart
	// Hook is its preStop hook's handler, if any.
	Hook    formula.HookKind
	Answers Answers
	// Timelines are at least one for each cause: the shortest first, the longest last.
	Timelines []Timeline
}

// Retries are the new pods after failed ones.
type Retries struct {
	// Waits are the times from a failure to the first new pods. Later pods wait up to Longest.
	Waits   []time.Duration
	Longest time.Duration
	// Limit is how many failed pods a Job survives, PerIndex how many an index does. They are nil for no limit.
	Limit, PerIndex *int32
}

// AllPods is what happens to all pods of a workload: by the control plane of Kubernetes v1.37.2, while its other pods
// stay available, no new pod fails a liveness probe, and nodes have room.
type AllPods struct {
	// Rollout lasts from a change of the pod template until the last new pod is available. It is nil if the controller
	// replaces no pods.
	Rollout *Disruption
	// ScaleDown removes all pods. It is nil for a DaemonSet.
	ScaleDown *Disruption
	// Drain evicts all pods as their PodDisruptionBudget allows. It is nil if the manifest has none for them.
	Drain *Disruption
}

// Disruption is how all pods of a workload are replaced or removed.
type Disruption struct {
	// Never says why they never are, or is empty.
	Never string
	// Pods are those that are replaced or removed, 0 if their number is not known. AtOnce go at a time, all if it is 0.
	Pods, AtOnce int
	// Share is what goes at a time, such as "10% of the nodes", if it is a share of an unknown number.
	Share string
	// Takes has all that is known: deletes, probes, minReadySeconds. If Pods is 0, it is for those that go at a time.
	Takes Span
	// Starts is how many pods start one after another, at most. Takes leaves out what each needs from the controller's
	// decision until its main containers run: scheduling, images, volumes, init containers.
	Starts int
}

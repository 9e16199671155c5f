// Package lifecycle names the events in the life of a pod, of its containers and of its node. What is measured and what
// is predicted have the same names, so the two can be compared.
package lifecycle

// Event is the kind of an instant. Names of events are in saved runs and in published predictions.
type Event = string

// The events of a container's life.
const (
	Started        Event = "start"
	PostStartBegan Event = "post-start-begin"
	PostStartEnded Event = "post-start-end"
	FirstProbe     Event = "first-probe"
	LastProbe      Event = "last-probe"
	NthProbe       Event = "probe"
	// Answered is a probe with a certain answer.
	Answered Event = "answered"
	// ProbeAfterRestart is a probe after a restart of the kubelet.
	ProbeAfterRestart Event = "probe-after-kubelet-restart"
	// Filled is when the container has used as much of a resource as it wanted to.
	Filled Event = "filled"
	// KillBegan is when the kubelet begins to kill the container, before its preStop hook.
	KillBegan Event = "kill"
	HookBegan Event = "hook-begin"
	HookEnded Event = "hook-end"
	SIGTERM   Event = "sigterm"
	Gone      Event = "death"
	// Waiting is when the API shows that a container waits, with a reason.
	Waiting Event = "waiting"
	// CrashLooping is when the API shows that a container waits in its back-off.
	CrashLooping Event = "crash-loop-shown"
	Pulled       Event = "pull"
	// Requested is a client's first request through a Service, LastRequest its last one.
	Requested   Event = "requested"
	LastRequest Event = "last-request"
)

// The events of a pod and of its node.
const (
	Created Event = "created"
	// Fault is what happens to a pod or to a container from outside, such as its delete. Times of predictions count
	// from it.
	Fault         Event = "fault"
	FaultDone     Event = "fault-done"
	StartTime     Event = "start-time"
	DeletionBegan Event = "deletion-began"
	ObjectDeleted Event = "object-deleted"
	Phase         Event = "phase"
	Condition     Event = "condition"
	NoCondition   Event = "no-condition"
	Shown         Event = "event"
	NodeCondition Event = "node-condition"
	// NoNodeCondition is when a condition of the node is no longer true.
	NoNodeCondition Event = "no-node-condition"
	// EndpointReady and EndpointUnready are when the EndpointSlices of the pod's Service have it as ready, and no more.
	EndpointReady   Event = "endpoint-ready"
	EndpointUnready Event = "endpoint-unready"
)

// The phases and conditions that predictions have.
const (
	Ready     = Condition + "-ready"
	Unready   = NoCondition + "-ready"
	Failed    = Phase + "-failed"
	Succeeded = Phase + "-succeeded"
)

package wire

// Entry is one thing that happened on a node: a call of the container runtime, a request of the API server, an event,
// or a mark of a victim. Pods, containers and addresses have stable names in it, not their UIDs and IDs.
type Entry struct {
	// At is its begin, in nanoseconds since 1970; in a saved trace, since the node's start.
	At   int64 `json:"at"`
	Kind Kind  `json:"kind"`
	// By is the requesting component of the control plane, empty for the kubelet.
	By string `json:"by,omitempty"`
	// Pod is namespace/name, empty for what concerns the node.
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	// What is the call, such as StopContainer, the verb and resource of a request, an event's reason, or the kind of
	// a mark.
	What string `json:"what"`
	// Text holds the arguments, as JSON or as words.
	Text string `json:"text,omitempty"`
	// Took is the duration of a call of the runtime in nanoseconds, or [Unanswered].
	Took int64 `json:"took,omitempty"`
	// Error is why a call or request failed.
	Error string `json:"error,omitempty"`
}

// Unanswered is the duration of a call that was not answered before the end of the trial.
const Unanswered = -1

// Kind is the kind of an entry.
type Kind string

const (
	// KindCRI is a call of the container runtime.
	KindCRI Kind = "cri"
	// KindAPI is a request of the API server, except for those of events.
	KindAPI Kind = "api"
	// KindEvent is an event that the kubelet created or counted.
	KindEvent Kind = "event"
	// KindMark is a mark of a victim.
	KindMark Kind = "mark"
	// KindLane is a request of the lane, such as a fault.
	KindLane Kind = "lane"
	// KindObject is a new version of a pod.
	KindObject Kind = "object"
)

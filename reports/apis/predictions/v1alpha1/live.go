package v1alpha1

// LivePod is what happens next to a pod of a cluster.
type LivePod struct {
	// Name is the pod's name.
	Name string `json:"name"`
	// Node is missing if the pod has none yet.
	Node string `json:"node,omitempty"`
	// State is what the pod does, such as "is not ready".
	State string `json:"state"`
	// Since is when the state began. It is missing if that is not known.
	Since string `json:"since,omitempty" jsonschema:"format=date-time"`
	// Events are what happens next. There are none if nothing is due.
	Events []LiveEvent `json:"events,omitempty"`
}

// LiveEvent is something that happens to a pod, or a fact that decides what happens.
type LiveEvent struct {
	// What is the event.
	What string `json:"what"`
	// Earliest is its earliest time. It is missing if no time is known.
	Earliest string `json:"earliest,omitempty" jsonschema:"format=date-time"`
	// Latest is its latest time. It is missing if nothing bounds it.
	Latest string `json:"latest,omitempty" jsonschema:"format=date-time"`
}

package v1alpha1

// ShutdownGroup are pods that a graceful shutdown of the node ends at one time.
type ShutdownGroup struct {
	// Priority is the lowest of the group's pods. The first group also has those below its own.
	Priority int32 `json:"priority"`
	// GraceSeconds is the longest grace period of its pods, and how long the next group waits for them.
	GraceSeconds int64 `json:"graceSeconds"`
}

// Limit is a limit of the pods' nodes to the end of a pod.
type Limit struct {
	// Preset is the limit's name, which `podclock presets` explains.
	Preset string `json:"preset"`
	// LimitSeconds is the limit. It is missing if there is no default.
	LimitSeconds float64 `json:"limitSeconds,omitempty"`
	// Since is the event from which the limit counts.
	Since string `json:"since"`
	// Then is what comes at its end.
	Then string `json:"then"`
	// DocumentedAt is the public page that has the number.
	DocumentedAt string `json:"documentedAt"`
	// ReadOn is the day on which the page was read.
	ReadOn string `json:"readOn"`
}

// Traffic is what happens to new connections through Services when a pod is deleted. Seconds count from the request.
type Traffic struct {
	// Services are the names of those that select the pod.
	Services []string `json:"services"`
	// Always are those that route to the pod until its object is gone (publishNotReadyAddresses).
	Always []string `json:"always,omitempty"`
	// UnreadySecondsMin is the earliest time at which the pod's endpoints are not ready.
	UnreadySecondsMin float64 `json:"unreadySecondsMin"`
	// UnreadySecondsMax is the latest such time.
	UnreadySecondsMax float64 `json:"unreadySecondsMax"`
	// RoutedSecondsMin is the earliest time from which no node's proxy sends the pod new connections, if another pod of
	// the Service is ready. Otherwise, kube-proxy sends them until the pod is not ready or ends.
	RoutedSecondsMin float64 `json:"routedSecondsMin"`
	// RoutedSecondsMax is the latest such time.
	RoutedSecondsMax float64 `json:"routedSecondsMax"`
	// SleepSeconds is the shortest preStop sleep after which no proxy routes to the pod. It is missing if none is
	// needed.
	SleepSeconds float64 `json:"sleepSeconds,omitempty"`
}

// LostNode is what the control plane does with the pod of a node that stops answering. Seconds count from then.
type LostNode struct {
	// UnreadySecondsMin is the earliest time at which the pod is not ready, so that Services leave it out.
	UnreadySecondsMin float64 `json:"unreadySecondsMin"`
	// UnreadySecondsMax is the latest such time.
	UnreadySecondsMax float64 `json:"unreadySecondsMax"`
	// DeletedSecondsMin is the earliest time at which the pod is deleted. It is missing if the pod stays for ever.
	DeletedSecondsMin *float64 `json:"deletedSecondsMin,omitempty"`
	// DeletedSecondsMax is the latest such time.
	DeletedSecondsMax *float64 `json:"deletedSecondsMax,omitempty"`
	// Replacement is when another pod takes its place: with the delete, only when its object is gone, or never. It is
	// missing if podclock does not know the pod's controller.
	Replacement string `json:"replacement,omitempty" jsonschema:"enum=at-delete,enum=when-gone,enum=never"`
}

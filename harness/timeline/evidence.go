// Package timeline turns what was recorded about one pod into facts about its lives.
//
// Evidence goes in: the recorder's marks, the changes of the pod's API object, the cues, and losses. A Timeline comes
// out: per container its lives, per life when it started, was signalled, was probed and died, each with the observer's
// error, on the recorder's clock. Doubts are the reasons not to trust the evidence.
//
// The package is pure. It knows no cluster, no formula and no verdict, so a saved run yields the same facts again.
package timeline

import (
	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/mark"
)

// Instant is a point on the recorder's clock with the observer's error: it was at some time in [At-Early, At+Late].
type Instant struct {
	// At is in nanoseconds since 1970.
	At int64 `json:"at"`
	// Early and Late are how much earlier or later than At it can have been, in nanoseconds.
	Early int64 `json:"early,omitempty"`
	Late  int64 `json:"late,omitempty"`
}

// Evidence is everything recorded about one attempt of a trial.
type Evidence struct {
	// Pod is namespace/name and UID the metadata.uid of the trial's Pod. The evidence includes its companions.
	Pod string `json:"pod"`
	UID string `json:"uid"`
	// Marks are the pods' records as their node's recorder numbered them.
	Marks []mark.Record `json:"marks"`
	// Cues are what podclock did to the pod.
	Cues []Cue `json:"cues,omitempty"`
	// API are the changes of the pods' objects, in order.
	API []Change `json:"api,omitempty"`
	// Events are the API's events about the pods, in the order of their arrival.
	Events []Event `json:"events,omitempty"`
	// Node are the changes of the pods' node, in order, if the trial has a worker. The first is its state at the start.
	Node []NodeChange `json:"node,omitempty"`
	// Counters are the kubelet's own counts of the pod's probes, or nil.
	Counters *Counters `json:"counters,omitempty"`
	// Removals are the containers that the kubelet removed. They are read only if the verdict would be deviates.
	Removals []Removal `json:"removals,omitempty"`
	// Losses are spans in which marks may be missing.
	Losses []delay.Loss `json:"losses,omitempty"`
	// Cut is why the recording ended before the claims had all they need, usually empty.
	Cut string `json:"cut,omitempty"`
	// Known is the last instant, on the recorder's clock, up to which all marks are known.
	Known int64 `json:"known"`
}

// Cue is one thing that podclock did to the pod.
type Cue struct {
	// What is a short name, such as "delete".
	What string `json:"what"`
	// At is when the request was sent. Its Late ends when the request was answered.
	At Instant `json:"at"`
	// Done is when a cue that takes a while was done, such as a restart of the kubelet.
	Done *Instant `json:"done,omitempty"`
	// Status is the HTTP status of an expected refusal, 0 for a request that succeeded.
	Status int `json:"status,omitempty"`
	// Error is the request's error, or empty.
	Error string `json:"error,omitempty"`
}

// Change is one version of a pod's object as a watch delivered it.
type Change struct {
	At Instant `json:"at"`
	// Pod is the object's name, empty for the trial's Pod.
	Pod string `json:"pod,omitempty"`
	// Deleted means that the object disappeared.
	Deleted bool `json:"deleted,omitempty"`
	// Phase is the pod's phase, and Reason its status' reason, such as "Evicted".
	Phase  string `json:"phase,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Conditions are the types of the conditions that are true.
	Conditions []string `json:"conditions,omitempty"`
	// StartTime is status.startTime in seconds since 1970, 0 if unset.
	StartTime int64 `json:"startTime,omitempty"`
	// DeletionTimestamp is in seconds since 1970, 0 if unset.
	DeletionTimestamp          int64  `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty"`
	// Containers are the statuses of the pod's containers and init containers.
	Containers []ContainerStatus `json:"containers,omitempty"`
}

// NodeChange is one version of a node's object as a watch delivered it.
type NodeChange struct {
	At Instant `json:"at"`
	// Conditions are the types of the conditions that are true, such as "DiskPressure".
	Conditions []string `json:"conditions,omitempty"`
}

// Event is one arrival of an event about a pod: a new event, or a new count of a known one.
type Event struct {
	At Instant `json:"at"`
	// Pod is the pod's name, empty for the trial's Pod. Container is empty for events about the pod.
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	Reason    string `json:"reason"`
	Message   string `json:"message,omitempty"`
	// Count is how often it happened according to the API. Clients merge and drop events, so it is a lower bound.
	Count int32 `json:"count"`
}

// ContainerStatus is a container's status in the API.
type ContainerStatus struct {
	Name         string `json:"name"`
	RestartCount int32  `json:"restartCount"`
	Ready        bool   `json:"ready,omitempty"`
	// State is "waiting", "running" or "terminated", and Reason its reason.
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// ContainerID is the beginning of the running container's ID, or empty.
	ContainerID string `json:"containerID,omitempty"`
	// Ended is the newest end that the API shows: of the present state if it is terminated, else of the last one.
	Ended *End `json:"ended,omitempty"`
}

// End is a container's end in the API. Times are in seconds since 1970.
type End struct {
	// Life is the life that ended, from 1 (restartCount starts at 0). ContainerID is the beginning of its ID.
	Life        int    `json:"life"`
	ContainerID string `json:"containerID,omitempty"`
	ExitCode    int32  `json:"exitCode"`
	Reason      string `json:"reason,omitempty"`
	StartedAt   int64  `json:"startedAt,omitempty"`
	FinishedAt  int64  `json:"finishedAt,omitempty"`
}

// Counters are the kubelet's prober_probe_total of one pod at one time.
type Counters struct {
	// Asked and Answered enclose the reading.
	Asked    Instant `json:"asked"`
	Answered Instant `json:"answered"`
	// Failed counts failed probes by container, then by probe type in lower case.
	Failed map[string]map[string]int `json:"failed"`
}

// Removal is the removal of a dead container from the node.
type Removal struct {
	// At is when the container runtime got the request, on the node's clock.
	At int64 `json:"at"`
	// Container is the container's name in the pod, and Life the life that it was.
	Container string `json:"container"`
	Life      int    `json:"life"`
}

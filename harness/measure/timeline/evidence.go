// Package timeline turns what was recorded about one pod into facts about its lives.
//
// Evidence goes in: marks, changes of the pod's API object, faults, losses. A Timeline comes out: each container's
// lives, with instants on the recorder's clock and the observer's error. Doubts are reasons not to trust it.
//
// The package knows no cluster, formula or verdict, so a saved run yields the same facts again.
package timeline

import (
	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

// Instant is a point on the recorder's clock, in nanoseconds since 1970. It was at some time in [At-Early, At+Late].
type Instant struct {
	At    int64 `json:"at"`
	Early int64 `json:"early,omitempty"`
	Late  int64 `json:"late,omitempty"`
}

// MayPrecede reports whether i can have been before another instant, or with it.
func (i Instant) MayPrecede(other Instant) bool { return i.At-i.Early <= other.At+other.Late }

// Evidence is everything recorded about one attempt of a trial.
type Evidence struct {
	// Pod is namespace/name of the trial's Pod.
	Pod string `json:"pod"`
	UID string `json:"uid"`
	// Marks are those of all the trial's pods, in the recorder's order.
	Marks  []mark.Record `json:"marks"`
	Faults []Fault       `json:"cues,omitempty"`
	API    []Change      `json:"api,omitempty"`
	Events []Event       `json:"events,omitempty"`
	// Node are the changes of the node, if the trial has a worker. The first is its state at the start.
	Node     []NodeChange `json:"node,omitempty"`
	Counters *Counters    `json:"counters,omitempty"`
	Removals []Removal    `json:"removals,omitempty"`
	Losses   []delay.Loss `json:"losses,omitempty"`
	// Cut is why the recording ended before the claims had all they need, or empty.
	Cut string `json:"cut,omitempty"`
	// Known is the last instant up to which all marks are known.
	Known int64 `json:"known"`
}

// Fault is one thing that podclock did to the pod.
type Fault struct {
	What string `json:"what"`
	// At is when the request was sent. Its Late ends with the answer.
	At Instant `json:"at"`
	// Done is the end of a longer fault, such as a restart of the kubelet.
	Done *Instant `json:"done,omitempty"`
	// Status is the HTTP status of an expected refusal, else 0.
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Change is one version of a pod's object as a watch delivered it. Its times are in seconds since 1970, 0 if unset.
type Change struct {
	At Instant `json:"at"`
	// Pod is the name of a companion, empty for the trial's Pod.
	Pod     string `json:"pod,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	Phase   string `json:"phase,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Conditions are the types of those that are true.
	Conditions []string `json:"conditions,omitempty"`
	// Disruption is the reason and message of the condition DisruptionTarget, if it is true.
	Disruption                 string `json:"disruption,omitempty"`
	StartTime                  int64  `json:"startTime,omitempty"`
	DeletionTimestamp          int64  `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty"`
	// Containers include init containers.
	Containers []ContainerStatus `json:"containers,omitempty"`
}

// NodeChange is one version of a node's object as a watch delivered it.
type NodeChange struct {
	At         Instant  `json:"at"`
	Conditions []string `json:"conditions,omitempty"`
}

// Event is a new event about a pod, or a new count of a known one.
type Event struct {
	At Instant `json:"at"`
	// Pod is the name of a companion, empty for the trial's Pod. Container is empty for the pod's own events.
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	Reason    string `json:"reason"`
	Message   string `json:"message,omitempty"`
	// Count is a lower bound: clients merge and drop events.
	Count int32 `json:"count"`
}

// ContainerStatus is a container's status in the API.
type ContainerStatus struct {
	Name         string `json:"name"`
	RestartCount int32  `json:"restartCount"`
	Ready        bool   `json:"ready,omitempty"`
	// State is "waiting", "running" or "terminated".
	State       string `json:"state"`
	Reason      string `json:"reason,omitempty"`
	ContainerID string `json:"containerID,omitempty"`
	// Ended is the newest end: of the present state if terminated, else of the last one.
	Ended *End `json:"ended,omitempty"`
}

// Creating reports whether the container waits for nothing but its creation.
func (s ContainerStatus) Creating() bool {
	return s.State == "waiting" && (s.Reason == "" || s.Reason == "ContainerCreating" || s.Reason == "PodInitializing")
}

// End is a container's end in the API. Times are in seconds since 1970.
type End struct {
	// Life counts from 1.
	Life        int    `json:"life"`
	ContainerID string `json:"containerID,omitempty"`
	ExitCode    int32  `json:"exitCode"`
	Reason      string `json:"reason,omitempty"`
	StartedAt   int64  `json:"startedAt,omitempty"`
	FinishedAt  int64  `json:"finishedAt,omitempty"`
}

// Counters are the kubelet's prober_probe_total of one pod.
type Counters struct {
	// Asked and Answered enclose the reading.
	Asked    Instant `json:"asked"`
	Answered Instant `json:"answered"`
	// Failed counts failed probes by container and lower-case probe type.
	Failed map[string]map[string]int `json:"failed"`
}

// Removal is the removal of a dead container from the node.
type Removal struct {
	// At is when the container runtime got the request, on the node's clock.
	At        int64  `json:"at"`
	Container string `json:"container"`
	Life      int    `json:"life"`
}

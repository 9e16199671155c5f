// Package timeline turns what was recorded about one pod into facts about its lives.
//
// What goes in is Evidence: the recorder's marks, the changes of the pod's API object, what the harness did
// to it, and whatever was lost. What comes out is a Timeline: per container its lives, per life when it
// started, was signalled, was probed and died, each with its observer error, all on the recorder's clock.
// Doubts say why the evidence can't be trusted; the judge makes them inconclusive.
//
// The package is pure. It knows no cluster, no formula and no verdict, so a saved run yields the same facts again.
package timeline

import (
	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/mark"
)

// Instant is a point on the recorder's clock with its observer error: what happened did so at some time in
// [At-Early, At+Late].
type Instant struct {
	// At is in nanoseconds since 1970.
	At int64 `json:"at"`
	// Early and Late are how much earlier or later than At it can have been, in nanoseconds.
	Early int64 `json:"early,omitempty"`
	Late  int64 `json:"late,omitempty"`
}

// Evidence is everything recorded about one run of one trial's pod.
type Evidence struct {
	// Pod is namespace/name; UID its metadata.uid. Where a trial has companions, the evidence is that of
	// all its pods, whose containers have names of their own; Pod and UID are the first one's.
	Pod string `json:"pod"`
	UID string `json:"uid"`
	// Marks are the pods' records as their node's recorder numbered them.
	Marks []mark.Record `json:"marks"`
	// Cues are what the harness did to the pod.
	Cues []Cue `json:"cues,omitempty"`
	// API are the changes of the pods' objects, in order.
	API []Change `json:"api,omitempty"`
	// Events are the API's events about the pods, in the order of their arrival.
	Events []Event `json:"events,omitempty"`
	// Node are the changes of the node that the pods run on, in order, the first being what it was at the
	// beginning; where a trial has a worker.
	Node []NodeChange `json:"node,omitempty"`
	// Counters are the kubelet's own counts of this pod's probes, when they were asked for.
	Counters *Counters `json:"counters,omitempty"`
	// Removals are the instances of the pods' containers that the kubelet removed. They are asked for only
	// where a verdict would be deviates.
	Removals []Removal `json:"removals,omitempty"`
	// Losses are spans in which records may be missing.
	Losses []delay.Loss `json:"losses,omitempty"`
	// Cut says why the recording ended before everything that the claims need was there; empty is the rule.
	Cut string `json:"cut,omitempty"`
	// Known is the last instant, on the recorder's clock, up to which every mark is here.
	Known int64 `json:"known"`
}

// Cue is one thing the harness did to the pod.
type Cue struct {
	// What is a short name, such as "delete".
	What string `json:"what"`
	// At is when the request was sent; its Late ends when it was answered.
	At Instant `json:"at"`
	// Done is when what it asks for was done, for a cue that takes its time: a restarted kubelet has started again.
	Done *Instant `json:"done,omitempty"`
	// Status is the HTTP status of a refusal that the trial expects; 0 for a request that succeeded.
	Status int `json:"status,omitempty"`
	// Error is the request's error, empty when it succeeded.
	Error string `json:"error,omitempty"`
}

// Change is one version of a pod's object as a watch delivered it.
type Change struct {
	At Instant `json:"at"`
	// Pod is the object's name where it is not the trial's first pod.
	Pod string `json:"pod,omitempty"`
	// Deleted says that this is the object's disappearance.
	Deleted bool `json:"deleted,omitempty"`
	// Phase is the pod's phase, Reason its status' reason, such as "Evicted".
	Phase  string `json:"phase,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Conditions are the conditions that are true, by type.
	Conditions []string `json:"conditions,omitempty"`
	// StartTime is status.startTime in whole seconds since 1970, 0 when unset.
	StartTime int64 `json:"startTime,omitempty"`
	// DeletionTimestamp is in whole seconds since 1970, 0 when unset; DeletionGracePeriodSeconds belongs to it.
	DeletionTimestamp          int64  `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty"`
	// Containers are the statuses of the pod's containers, init containers included.
	Containers []ContainerStatus `json:"containers,omitempty"`
}

// NodeChange is one version of a node's object as a watch delivered it.
type NodeChange struct {
	At Instant `json:"at"`
	// Conditions are the conditions that are true, by type, such as "DiskPressure".
	Conditions []string `json:"conditions,omitempty"`
}

// Event is one arrival of an event about a pod: a new one, or a new count of one that was there.
type Event struct {
	At Instant `json:"at"`
	// Pod is the pod's name where it is not the trial's first pod, Container the container that the event
	// speaks of, empty for the pod.
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	Reason    string `json:"reason"`
	Message   string `json:"message,omitempty"`
	// Count is how often it happened, by the API's account. It is a lower bound: clients merge and drop events.
	Count int32 `json:"count"`
}

// ContainerStatus is what the API says about one container.
type ContainerStatus struct {
	Name         string `json:"name"`
	RestartCount int32  `json:"restartCount"`
	// Ready is whether the container counts as ready.
	Ready bool `json:"ready,omitempty"`
	// State is "waiting", "running" or "terminated"; Reason belongs to it.
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// ContainerID is the beginning of the running instance's ID, empty where none runs.
	ContainerID string `json:"containerID,omitempty"`
	// Ended is the newest end that the API shows: of the present state when it is terminated, else of the last one.
	Ended *End `json:"ended,omitempty"`
}

// End is a container's end in the API: times in whole seconds since 1970.
type End struct {
	// Life is the life that ended, from 1 (restartCount counts them from 0), ContainerID the beginning of
	// its container's ID.
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
	// Failed counts failed probes: by container, then by probe type in lower case.
	Failed map[string]map[string]int `json:"failed"`
}

// Removal is the removal of a dead instance of a container from the node.
type Removal struct {
	// At is when the container runtime was asked for it, on the node's clock.
	At int64 `json:"at"`
	// Container is the container's name in the pod, Life the life that it was.
	Container string `json:"container"`
	Life      int    `json:"life"`
}

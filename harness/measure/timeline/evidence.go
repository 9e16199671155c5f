// Package timeline turns what was recorded about one pod into facts about its lives.
//
// Evidence goes in: marks, changes of the pod's API object, faults, losses. A Timeline comes out: each container's
// lives, with instants on the recorder's clock and the observer's error. Doubts are reasons not to trust it.
//
// The package knows no cluster, formula or verdict, so a saved run yields the same facts again.
package timeline

import (
	"encoding/json"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

// Evidence is everything recorded about one attempt of a trial.
type Evidence struct {
	// Pod is namespace/name of the trial's Pod.
	Pod string `json:"pod"`
	UID string `json:"uid"`
	// Marks are those of all the trial's pods, in the recorder's order.
	Marks  []mark.Record `json:"marks"`
	Faults []Fault       `json:"cues,omitempty"`
	API    []Version     `json:"api,omitempty"`
	Events []Event       `json:"events,omitempty"`
	// Node are the changes of the node, if the trial has a worker. The first is its state at the start.
	Node []NodeChange `json:"node,omitempty"`
	// Endpoints are the changes of the pods' endpoints, if the trial has a Service.
	Endpoints []EndpointChange `json:"endpoints,omitempty"`
	Counters  *Counters        `json:"counters,omitempty"`
	Removals  []Removal        `json:"removals,omitempty"`
	// Calls are those that the kubelet made for the trial's pods. Only a virtual node records them.
	Calls  []Call       `json:"calls,omitempty"`
	Losses []delay.Loss `json:"losses,omitempty"`
	// Cut is why the recording ended before the claims had all they need, or empty.
	Cut string `json:"cut,omitempty"`
	// Known is the last instant up to which all marks are known.
	Known int64 `json:"known"`
}

// Changes returns what the versions say about the lives.
func (e Evidence) Changes() (changes []Change) {
	for _, v := range e.API {
		changes = append(changes, v.Change())
	}
	return changes
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

// NodeChange is one version of a node's object as a watch delivered it.
type NodeChange struct {
	At         Instant  `json:"at"`
	Conditions []string `json:"conditions,omitempty"`
}

// EndpointChange is a change of a pod's endpoint in the EndpointSlices of the trial's Service, as a watch delivered it.
// A removed endpoint has no condition.
type EndpointChange struct {
	At Instant `json:"at"`
	// Pod is the name of a companion, empty for the trial's Pod.
	Pod         string `json:"pod,omitempty"`
	Ready       bool   `json:"ready,omitempty"`
	Serving     bool   `json:"serving,omitempty"`
	Terminating bool   `json:"terminating,omitempty"`
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
	// Type, Source and Path are the event's type, the component that reported it, and the path of the container in the
	// pod's object. Recorded is when that component recorded it, in seconds since 1970, 0 if unknown. Runs of earlier
	// revisions did not save them.
	Type     string `json:"type,omitempty"`
	Source   string `json:"source,omitempty"`
	Path     string `json:"path,omitempty"`
	Recorded int64  `json:"recorded,omitempty"`
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

// Call is a call of the container runtime that changes something, or a write of a pod's object by the kubelet.
type Call struct {
	// At is its begin.
	At int64 `json:"at"`
	// Pod is the name of a companion, empty for the trial's Pod. Container is empty for calls about the sandbox.
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	// What is the call, such as StopContainer, or the verb and resource of a request.
	What string `json:"what"`
	// Instance is the container or sandbox: its name, and its number among those of the name, such as "victim-2".
	Instance string `json:"instance,omitempty"`
	// Argument is the other argument, as JSON.
	Argument json.RawMessage `json:"argument,omitempty"`
	Error    string          `json:"error,omitempty"`
}

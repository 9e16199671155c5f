// Package v1alpha1 is the output of observations for programs, as JSON: one document a line, as things happen.
//
// Times are in UTC, durations in seconds. Min and Max bound a value that is not exact. The package has the types only.
// The JSON schema beside it is generated from these declarations.
package v1alpha1

import _ "embed"

// The fixed values of every document.
const (
	APIVersion = "podclock.dev/v1alpha1"
	Kind       = "PodObservation"
)

// Schema is the JSON schema of [Observation].
//
//go:embed podobservation.schema.json
var Schema string

// Observation is one line. It has one of death, departure, successor, gap and summary.
type Observation struct {
	// APIVersion is podclock.dev/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"enum=podclock.dev/v1alpha1"`
	// Kind is PodObservation.
	Kind string `json:"kind" jsonschema:"enum=PodObservation"`
	// Death is the end of a container's process.
	Death *Death `json:"death,omitempty"`
	// Departure is the end of a pod.
	Departure *Departure `json:"departure,omitempty"`
	// Successor became ready in place of a container or a pod.
	Successor *Successor `json:"successor,omitempty"`
	// Gap is a time of which something may be missing.
	Gap *Gap `json:"gap,omitempty"`
	// Summary is of one workload, at the end.
	Summary *Summary `json:"summary,omitempty"`
}

// Pod names a pod.
type Pod struct {
	// Namespace is the pod's.
	Namespace string `json:"namespace"`
	// Name is the pod's.
	Name string `json:"name"`
	// UID is the pod's.
	UID string `json:"uid"`
	// Workload is what made the pod, such as deployment/web.
	Workload string `json:"workload"`
	// Node is the pod's node, missing if it had none.
	Node string `json:"node,omitempty"`
}

// Instant is when something happened.
type Instant struct {
	// At is the most probable time.
	At string `json:"at" jsonschema:"format=date-time"`
	// Earliest bounds the time.
	Earliest string `json:"earliest" jsonschema:"format=date-time"`
	// Latest bounds the time.
	Latest string `json:"latest" jsonschema:"format=date-time"`
	// By is how the time is known: the node's kernel, the arrival of a change here, or a time of the API.
	By string `json:"by" jsonschema:"enum=node,enum=watch,enum=status"`
}

// Duration is a time between two instants, in seconds.
type Duration struct {
	// Seconds is the most probable value.
	Seconds float64 `json:"seconds"`
	// Min bounds it.
	Min float64 `json:"min"`
	// Max bounds it.
	Max float64 `json:"max"`
}

// Window is a measured time beside its predicted window.
type Window struct {
	// What is measured, such as "from the delete to the death".
	What string `json:"what"`
	// Measured is the time.
	Measured Duration `json:"measured"`
	// Min is the earliest predicted time in seconds. It is missing if nothing is predicted.
	Min *float64 `json:"min,omitempty"`
	// Max is the latest predicted time in seconds. It is missing if nothing is predicted.
	Max *float64 `json:"max,omitempty"`
	// Outside is how many seconds the time lies outside, below zero if it is too early. It is 0 if the time may lie
	// inside, as exact as it is.
	Outside float64 `json:"outside"`
	// Unpredicted is why nothing is predicted.
	Unpredicted string `json:"unpredicted,omitempty"`
}

// Death is the end of a container's process.
type Death struct {
	Pod
	// Container is its name.
	Container string `json:"container"`
	// Life counts from 1.
	Life int `json:"life"`
	// Cause is what killed it, such as "delete", "liveness" or "OOM". "success" and "crash" are ends by itself.
	Cause string `json:"cause"`
	// Why is what the cluster says about the cause.
	Why string `json:"why,omitempty"`
	// Began is the delete request, or the kubelet's event of the kill. It is missing if nothing asked for the end.
	Began *Instant `json:"began,omitempty"`
	// At is when the process died.
	At Instant `json:"died"`
	// Outcome is how the process ended.
	Outcome string `json:"outcome" jsonschema:"enum=exited,enum=SIGKILL,enum=unknown"`
	// ExitCode is the runtime's, missing if it reported none.
	ExitCode *int32 `json:"exitCode,omitempty"`
	// Took is the time from the beginning of the kill.
	Took *Duration `json:"took,omitempty"`
	// GraceSeconds is the grace period of the kill.
	GraceSeconds *float64 `json:"graceSeconds,omitempty"`
	// ShareOfGrace is the part of the grace period that was used; 1 is all of it.
	ShareOfGrace *float64 `json:"shareOfGrace,omitempty"`
	// APIOnly is set if the node part did not see the end, because the life was too short.
	APIOnly bool `json:"apiOnly,omitempty"`
	// Windows compare the death with its prediction.
	Windows []Window `json:"windows,omitempty"`
}

// Departure is the end of a pod.
type Departure struct {
	Pod
	// Cause is as in a death.
	Cause string `json:"cause"`
	// Why is what the cluster says about the cause.
	Why string `json:"why,omitempty"`
	// Requested is the delete request, missing if nobody deleted the pod.
	Requested *Instant `json:"requested,omitempty"`
	// Gone is when the object was removed, or the kubelet had ended the pod for good.
	Gone Instant `json:"gone"`
	// Services are those that had the pod as ready.
	Services []Service `json:"services,omitempty"`
}

// Service is a Service that had a pod.
type Service struct {
	// Name is the Service's.
	Name string `json:"name"`
	// Left is when the EndpointSlices showed the pod as not ready, missing if they never did.
	Left *Instant `json:"left,omitempty"`
	// Stayed is the time from the delete until then.
	Stayed *Duration `json:"stayed,omitempty"`
}

// Successor is what became ready in place of a container or a pod.
type Successor struct {
	// Of is the pod that is replaced, or whose container is.
	Of Pod `json:"of"`
	// Container is the container that runs again, missing if another pod replaces the pod.
	Container string `json:"container,omitempty"`
	// Pod is the new one.
	Pod Pod `json:"pod"`
	// Ready is when it was ready.
	Ready Instant `json:"ready"`
	// After counts from the death of the container or the delete of the pod. It is below zero if the new pod was ready
	// before.
	After Duration `json:"after"`
	// Windows compare the restart with its prediction.
	Windows []Window `json:"windows,omitempty"`
}

// Gap is a time of which something may be missing.
type Gap struct {
	// From is its begin.
	From string `json:"from" jsonschema:"format=date-time"`
	// To is its end.
	To string `json:"to" jsonschema:"format=date-time"`
	// What is missing, and why.
	What string `json:"what"`
}

// Summary is what happened to a workload.
type Summary struct {
	// Namespace is the workload's.
	Namespace string `json:"namespace"`
	// Workload is such as deployment/web.
	Workload string `json:"workload"`
	// Deaths are all ends of processes.
	Deaths int `json:"deaths"`
	// Departures are the pods that went.
	Departures int `json:"departures"`
	// Causes are the deaths by cause.
	Causes map[string]int `json:"causes"`
	// Killed are the deaths by SIGKILL.
	Killed int `json:"killed"`
	// Late are the times after their windows.
	Late int `json:"late"`
	// Deviating are the times outside of their windows.
	Deviating int `json:"deviating"`
	// Unpredicted are the kills without a window.
	Unpredicted int `json:"unpredicted"`
	// Kills are the deaths that something asked for.
	Kills int `json:"kills"`
	// P50 is the median of the seconds from the beginning of a kill to the death, missing without a kill.
	P50 *float64 `json:"p50,omitempty"`
	// P99 is their 99th percentile.
	P99 *float64 `json:"p99,omitempty"`
	// Longest is the longest of them.
	Longest *float64 `json:"longest,omitempty"`
}

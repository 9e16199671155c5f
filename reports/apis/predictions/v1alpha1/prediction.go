// Package v1alpha1 is the output of predictions for programs, as JSON or YAML: what a kubelet does to the pods of
// manifests, and what a change of the manifests changes.
//
// Times are in seconds. Min and Max are the bounds of a window, both included. The package has the types only. The JSON
// schemas beside it are generated from these declarations.
package v1alpha1

import _ "embed"

// The fixed values of every document.
const (
	APIVersion = "podclock.dev/v1alpha1"
	Kind       = "PodPrediction"
	DiffKind   = "PodPredictionDiff"
)

// Schema and DiffSchema are the JSON schemas of [Prediction] and [Diff].
var (
	//go:embed podprediction.schema.json
	Schema string
	//go:embed podpredictiondiff.schema.json
	DiffSchema string
)

// Prediction is what a kubelet does to the pods of manifests.
type Prediction struct {
	// APIVersion is podclock.dev/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"enum=podclock.dev/v1alpha1"`
	// Kind is PodPrediction.
	Kind string `json:"kind" jsonschema:"enum=PodPrediction"`
	// Manifest names what was read, such as a file.
	Manifest string `json:"manifest,omitempty"`
	// Kubelet has the rules and the settings of the prediction, of a cluster those of its first workload. It is missing
	// if the manifests were refused.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Limits are those of the pods' nodes that the user chose.
	Limits []Limit `json:"limits,omitempty"`
	// Workloads are in the order of the manifests.
	Workloads []Workload `json:"workloads"`
	// WithoutPods are the objects that make no pods, such as Services.
	WithoutPods []Objects `json:"withoutPods,omitempty"`
	// Skipped are custom resources that may make pods, but podclock does not know, and files that are no manifests.
	Skipped []Objects `json:"skipped,omitempty"`
	// Problems are why the manifests were refused. If there is one, nothing is predicted.
	Problems []Problem `json:"problems,omitempty"`
	// At is when the cluster was read. It is missing if none was.
	At string `json:"at,omitempty" jsonschema:"format=date-time"`
	// Unread are sentences about what could not be read of the cluster, and what is assumed instead.
	Unread []string `json:"unread,omitempty"`
	// Formulas describe those of all timelines, by ID. They are missing without --all.
	Formulas map[string]Formula `json:"formulas,omitempty"`
}

// Kubelet is the kubelet whose rules hold. A setting that is missing is unknown, and has its default.
type Kubelet struct {
	// Version is its release, such as v1.37.2.
	Version string `json:"version"`
	// Extrapolated is set if nobody read all rules in the sources of the release.
	Extrapolated bool `json:"extrapolated,omitempty"`
	// FeatureGates are those that are known to be set.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// EvictionSoftGracePeriodSeconds is the longest of evictionSoftGracePeriod.
	EvictionSoftGracePeriodSeconds float64 `json:"evictionSoftGracePeriodSeconds,omitempty"`
	// EvictionMaxPodGracePeriodSeconds is evictionMaxPodGracePeriod.
	EvictionMaxPodGracePeriodSeconds int64 `json:"evictionMaxPodGracePeriodSeconds,omitempty"`
	// MaxContainerRestartPeriodSeconds is crashLoopBackOff.maxContainerRestartPeriod.
	MaxContainerRestartPeriodSeconds float64 `json:"maxContainerRestartPeriodSeconds,omitempty"`
	// VolumeStatsAggPeriodSeconds is volumeStatsAggPeriod.
	VolumeStatsAggPeriodSeconds float64 `json:"volumeStatsAggPeriodSeconds,omitempty"`
	// SyncFrequencySeconds is syncFrequency.
	SyncFrequencySeconds float64 `json:"syncFrequencySeconds,omitempty"`
	// ShutdownGroups are the pods' groups in a graceful shutdown of the node, in their order. Without one it gives pods
	// no time.
	ShutdownGroups []ShutdownGroup `json:"shutdownGroups,omitempty"`
}

// Workload is one object that makes pods.
type Workload struct {
	// File is the name of the object's manifest.
	File string `json:"file,omitempty"`
	// Document is the object's document in the manifest, from 1.
	Document int `json:"document"`
	// Line is the object's first line, from 1. It is missing if it is not known.
	Line int `json:"line,omitempty"`
	// Kind is the object's kind, such as Deployment.
	Kind string `json:"kind"`
	// Namespace is missing if the manifest has none.
	Namespace string `json:"namespace,omitempty"`
	// Name ends with an asterisk after a generateName.
	Name string `json:"name"`
	// Kubelet has the rules of the nodes on which the workload's pods run. It is missing if no cluster was read.
	// A workload is listed once for each kind of kubelet.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Nodes are those nodes.
	Nodes []string `json:"nodes,omitempty"`
	// Pods are the workload's pods there.
	Pods []LivePod `json:"pods,omitempty"`
	// NotCovered is why nothing is predicted of the pods.
	NotCovered string `json:"notCovered,omitempty"`
	// Traffic is what Services do after a delete. It is missing if none is known to select the pod.
	Traffic *Traffic `json:"traffic,omitempty"`
	// LostNode is what happens if the pod's node stops answering. It is missing if nothing is predicted.
	LostNode *LostNode `json:"lostNode,omitempty"`
	// Answers are the sentences that the text output of --all begins with.
	Answers []Answer `json:"answers,omitempty"`
	// AllPods is what happens to all pods of a controller. It is missing for other workloads.
	AllPods *AllPods `json:"allPods,omitempty"`
	// Containers are the main containers, then sidecars, then init containers.
	Containers []Container `json:"containers"`
	// Findings are probable mistakes.
	Findings []Finding `json:"findings,omitempty"`
	// IgnoredFindings are those that the user or the workload's author wants. Each has a reason.
	IgnoredFindings []Finding `json:"ignoredFindings,omitempty"`
}

// Answer is one question about a workload with a sentence that answers it.
type Answer struct {
	// Question is such as "Delete" or "Crash loop".
	Question string `json:"question"`
	// Answer is the sentence.
	Answer string `json:"answer"`
}

// Container is what is predicted of one container.
type Container struct {
	// Name is the container's name.
	Name string `json:"name"`
	// Role is what the container is in its pod.
	Role string `json:"role" jsonschema:"enum=main,enum=sidecar,enum=init"`
	// ReadySecondsMin is the earliest time from the container's start until it is ready. The time to ready is missing
	// without a readiness probe.
	ReadySecondsMin *float64 `json:"readySecondsMin,omitempty"`
	// ReadySecondsMax is the latest such time.
	ReadySecondsMax *float64 `json:"readySecondsMax,omitempty"`
	// UnreadySecondsMin is the earliest time from the failure of a healthy container's readiness probe until the
	// container is not ready.
	UnreadySecondsMin *float64 `json:"unreadySecondsMin,omitempty"`
	// UnreadySecondsMax is the latest such time.
	UnreadySecondsMax *float64 `json:"unreadySecondsMax,omitempty"`
	// Causes are what kills the container.
	Causes []Cause `json:"causes"`
	// CrashLoop are the next restarts of a container that ends again and again.
	CrashLoop []Restart `json:"crashLoop,omitempty"`
	// Timelines are the steps of every cause, by assumption. They are missing without --all.
	Timelines []Timeline `json:"timelines,omitempty"`
}

// Cause is what one cause does to a container, over all assumptions about its hook and its process.
type Cause struct {
	// Cause is such as "delete", "liveness" or "hard eviction".
	Cause string `json:"cause"`
	// Variant distinguishes the cases of one cause, such as "with gracePeriodSeconds 0".
	Variant string `json:"variant,omitempty"`
	// Since is the event from which the seconds count.
	Since string `json:"since"`
	// GraceSeconds is the grace period before the hook takes its part.
	GraceSeconds float64 `json:"graceSeconds"`
	// Hook is what happens to the preStop hook: its time is part of the grace period, the grace period begins again
	// after it, or it is skipped. It is missing if the container has no hook.
	Hook string `json:"hook,omitempty" jsonschema:"enum=in-grace,enum=before-grace,enum=skipped"`
	// SIGTERMSecondsMin is the earliest time of SIGTERM.
	SIGTERMSecondsMin float64 `json:"sigtermSecondsMin"`
	// SIGTERMSecondsMax is the latest time of SIGTERM.
	SIGTERMSecondsMax float64 `json:"sigtermSecondsMax"`
	// SIGKILLSecondsMin is the earliest time of SIGKILL, if the process ignores SIGTERM. It is missing if the process
	// exits in time.
	SIGKILLSecondsMin *float64 `json:"sigkillSecondsMin,omitempty"`
	// SIGKILLSecondsMax is the latest time of SIGKILL.
	SIGKILLSecondsMax *float64 `json:"sigkillSecondsMax,omitempty"`
	// DeathSecondsMin is the earliest time of the process's death, from SIGTERM or SIGKILL.
	DeathSecondsMin float64 `json:"deathSecondsMin"`
	// DeathSecondsMax is the latest time of the death.
	DeathSecondsMax float64 `json:"deathSecondsMax"`
	// RestartSecondsMin is the earliest time of the container's next start in the same pod. It is missing if there is
	// none.
	RestartSecondsMin *float64 `json:"restartSecondsMin,omitempty"`
	// RestartSecondsMax is the latest time of the next start.
	RestartSecondsMax *float64 `json:"restartSecondsMax,omitempty"`
}

// Restart is one restart of a crash loop. The first follows the first end.
type Restart struct {
	// WaitSecondsMin is the shortest time from the end of a life to the start of the next.
	WaitSecondsMin float64 `json:"waitSecondsMin"`
	// WaitSecondsMax is the longest such time.
	WaitSecondsMax float64 `json:"waitSecondsMax"`
}

// Finding is one field of a manifest that probably does not work as its author meant.
type Finding struct {
	// Rule is the rule's ID, which `podclock rules` explains.
	Rule string `json:"rule"`
	// Level is the severity.
	Level string `json:"level" jsonschema:"enum=error,enum=warning,enum=note"`
	// Line is the field's line, from 1. It is missing if it is not known.
	Line int `json:"line,omitempty"`
	// Container is missing if the finding is about the pod.
	Container string `json:"container,omitempty"`
	// Field is the field's path.
	Field string `json:"field"`
	// Message is what is wrong.
	Message string `json:"message"`
	// Fix is what to do.
	Fix string `json:"fix"`
	// DocumentedAt is a page of the documentation.
	DocumentedAt string `json:"documentedAt"`
	// Reason is why the finding is ignored, if it is.
	Reason string `json:"reason,omitempty"`
}

// Objects counts objects of one kind.
type Objects struct {
	// Kind is the objects' kind.
	Kind string `json:"kind"`
	// Count is how many there are.
	Count int `json:"count"`
}

// Problem is one error in what was read.
type Problem struct {
	// File is the manifest, if the problem is in one.
	File string `json:"file,omitempty"`
	// Document is from 1.
	Document int `json:"document,omitempty"`
	// Line is from 1.
	Line int `json:"line,omitempty"`
	// Object is the kind and name, as far as they could be read.
	Object string `json:"object,omitempty"`
	// Field is the field's path.
	Field string `json:"field,omitempty"`
	// Message is what is wrong, and the remedy.
	Message string `json:"message"`
}

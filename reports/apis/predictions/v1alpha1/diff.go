package v1alpha1

// Diff is what changed between two predictions by the same kubelet's rules.
type Diff struct {
	// APIVersion is podclock.dev/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"enum=podclock.dev/v1alpha1"`
	// Kind is PodPredictionDiff.
	Kind string `json:"kind" jsonschema:"enum=PodPredictionDiff"`
	// Before names the first version of the manifests.
	Before string `json:"before"`
	// After names the second version.
	After string `json:"after"`
	// Kubelet has the rules and the settings of both predictions. It is missing if manifests were refused.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Changes are the workloads that differ.
	Changes []Change `json:"changes"`
	// Same is how many workloads have the same answers and findings in both.
	Same int `json:"same"`
	// Problems are why manifests were refused. If there is one, nothing is predicted.
	Problems []Problem `json:"problems,omitempty"`
}

// Change is a workload that one version lacks, or whose answers or findings differ.
type Change struct {
	// Change is what happened to the workload.
	Change string `json:"change" jsonschema:"enum=added,enum=removed,enum=changed"`
	// Workload is its kind, namespace and name, such as "Deployment shop/web".
	Workload string `json:"workload"`
	// Answers are those that differ, and none of a removed workload.
	Answers []ChangedAnswer `json:"answers,omitempty"`
	// NewFindings are those that only the second version has.
	NewFindings []Finding `json:"newFindings,omitempty"`
	// GoneFindings are those that only the first version has.
	GoneFindings []Finding `json:"goneFindings,omitempty"`
	// Before is the whole prediction of the first version, missing if the workload was added.
	Before *Workload `json:"before,omitempty"`
	// After is the whole prediction of the second version, missing if the workload was removed.
	After *Workload `json:"after,omitempty"`
}

// ChangedAnswer is one question about a workload with the sentences that answer it.
type ChangedAnswer struct {
	// Question is as in [Answer].
	Question string `json:"question"`
	// Before is the first version's sentence, if it answers the question.
	Before string `json:"before,omitempty"`
	// After is the second version's sentence, if it answers the question.
	After string `json:"after,omitempty"`
}

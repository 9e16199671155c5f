package run

import "encoding/json"

// Promises is a manifest whose predictions the trials of a run check, instead of those of the catalogue.
type Promises struct {
	// Files are the manifests as the user named them.
	Files []string `json:"files"`
	// Workloads is what the trials are made of again, without what no time depends on: images, variables, arguments.
	Workloads json.RawMessage `json:"workloads"`
	// Unplayed are the predictions that no trial checks.
	Unplayed []Unplayed `json:"unplayed,omitempty"`
}

// Unplayed is a prediction that no trial checks.
type Unplayed struct {
	// Workload is such as "deployment-web", the area of its trials.
	Workload string `json:"workload"`
	// Answer is what is predicted, such as "preemption", or the name of a trial that was left out. It is empty if it is
	// everything.
	Answer string `json:"answer,omitempty"`
	// Containers are those of the answer, none if it is the pod's.
	Containers []string `json:"containers,omitempty"`
	Why        string   `json:"why"`
}

// Predicted begins the IDs of the formulas whose windows are those of a prediction.
const Predicted = "prediction/"

package v1alpha1

// Profile is the conclusion on one area of the catalogue.
type Profile struct {
	// Name is the area's, such as "termination".
	Name string `json:"name" jsonschema:"minLength=1"`
	// Result is the profile's conclusion.
	Result Result `json:"result" jsonschema:"enum=success,enum=partial,enum=failure"`
	// Summary is the conclusion in one sentence.
	Summary string `json:"summary" jsonschema:"minLength=1"`
	// Reasons say why the result is no success; none where it is.
	Reasons []string `json:"reasons,omitempty"`
	// Statistics counts the area's trials.
	Statistics Statistics `json:"statistics"`
	// FailedTrials are those that measured what the kubelet's code should not compute.
	FailedTrials []FailedTrial `json:"failedTrials,omitempty"`
	// InconclusiveTrials are those of which the evidence allows no judgement, and those that never ran.
	InconclusiveTrials []InconclusiveTrial `json:"inconclusiveTrials,omitempty"`
	// SkippedTrials are those that were not to be judged.
	SkippedTrials []SkippedTrial `json:"skippedTrials,omitempty"`
}

// Statistics counts trials. Every trial of the area is one of passed, failed, inconclusive and skipped.
type Statistics struct {
	// Passed is how many did what the kubelet's code computes: those with the verdicts conforms and divergent.
	Passed int `json:"passed" jsonschema:"minimum=0"`
	// Divergent is how many of the passed did not do what the documentation says.
	Divergent int `json:"divergent" jsonschema:"minimum=0"`
	// Failed is how many failedTrials lists.
	Failed int `json:"failed" jsonschema:"minimum=0"`
	// Inconclusive is how many inconclusiveTrials lists.
	Inconclusive int `json:"inconclusive" jsonschema:"minimum=0"`
	// Skipped is how many skippedTrials lists.
	Skipped int `json:"skipped" jsonschema:"minimum=0"`
	// Claims is how many claims were judged in all of these trials.
	Claims int `json:"claims" jsonschema:"minimum=0"`
}

// FailedTrial is a trial that deviates.
type FailedTrial struct {
	// Trial is its ID, such as "termination/ignored-sigterm".
	Trial string `json:"trial" jsonschema:"minLength=1"`
	// Reason says what was measured and what it should have been.
	Reason string `json:"reason" jsonschema:"minLength=1"`
	// Claims are those of its claims that deviate.
	Claims []FailedClaim `json:"claims,omitempty"`
}

// FailedClaim is a claim that deviates.
type FailedClaim struct {
	// Claim names it within its trial.
	Claim string `json:"claim" jsonschema:"minLength=1"`
	// Formula is the ID of what predicted it.
	Formula string `json:"formula" jsonschema:"minLength=1"`
	// Reason says what was measured and what it should have been.
	Reason string `json:"reason" jsonschema:"minLength=1"`
	// Diagnosis is the known wrong behaviour that would have measured the same.
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"`
}

// Diagnosis is a wrong behaviour that is known.
type Diagnosis struct {
	// Name says what a kubelet would be doing wrong.
	Name string `json:"name" jsonschema:"minLength=1"`
	// Reference is where that was reported.
	Reference string `json:"reference,omitempty"`
}

// InconclusiveTrial is a trial that could not be judged.
type InconclusiveTrial struct {
	// Trial is its ID.
	Trial string `json:"trial" jsonschema:"minLength=1"`
	// Reason is why it could not.
	Reason string `json:"reason" jsonschema:"minLength=1"`
}

// SkippedTrial is a trial of the area that was not to be judged.
type SkippedTrial struct {
	// Trial is its ID.
	Trial string `json:"trial" jsonschema:"minLength=1"`
	// Cause is why it was not, as a kind: unsupported, where the kubelet has not what the trial is about;
	// lane, where the lane can't show it; unselected, where the run did not ask for it.
	Cause SkipCause `json:"cause" jsonschema:"enum=unsupported,enum=lane,enum=unselected"`
	// Reason is why it was not, in words.
	Reason string `json:"reason" jsonschema:"minLength=1"`
}

// SkipCause is why a trial is skipped.
type SkipCause string

const (
	// Unsupported means that the kubelet has not the feature that the trial is about.
	Unsupported SkipCause = "unsupported"
	// Lane means that the lane can't show what the trial is about.
	Lane SkipCause = "lane"
	// Unselected means that the run did not ask for the trial.
	Unselected SkipCause = "unselected"
)

// Divergence is one promise of the documentation that the kubelet's code does not keep.
type Divergence struct {
	// Formula is the ID of what predicts what the code computes.
	Formula string `json:"formula" jsonschema:"minLength=1"`
	// Implemented is what the code computes, in one sentence.
	Implemented string `json:"implemented" jsonschema:"minLength=1"`
	// Source is where that was read: file and function of Kubernetes.
	Source string `json:"source" jsonschema:"minLength=1"`
	// Documented is the promise, in podclock's words.
	Documented string `json:"documented" jsonschema:"minLength=1"`
	// Page is where it is made.
	Page string `json:"page" jsonschema:"minLength=1"`
	// Measured is how far what was measured is from what is documented.
	Measured string `json:"measured" jsonschema:"minLength=1"`
	// Issues are where this is discussed; none where nobody seems to have written it down.
	Issues []string `json:"issues,omitempty"`
	// Trials are the trials that show it.
	Trials []string `json:"trials" jsonschema:"minItems=1"`
}

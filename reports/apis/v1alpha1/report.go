// Package v1alpha1 is the conformance report: what one run says of one kubelet's timing, as a document that
// can be published, read by other programs and compared with others. It is made in the manner of the
// Gateway API's ConformanceReport: typed, with a result for every profile, and validated.
//
// The package holds types and what must be true of them, and knows nothing of how a report is come by.
// Beside it lies the JSON schema of the type, made from these declarations.
//
// No result is good by default. A profile is a success where every trial that there is for it was judged on
// a real node and none deviates; see [Profile.Conclusion] and [TimingConformanceReport.Conclusion], which
// the validation holds every report to.
package v1alpha1

// What every report says of itself.
const (
	APIVersion = "podclock.dev/v1alpha1"
	Kind       = "TimingConformanceReport"
)

// TimingConformanceReport is what one run says of one subject.
type TimingConformanceReport struct {
	// APIVersion is podclock.dev/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"enum=podclock.dev/v1alpha1"`
	// Kind is TimingConformanceReport.
	Kind string `json:"kind" jsonschema:"enum=TimingConformanceReport"`
	// Date is when the last verdict was there, in RFC 3339; of a run that never came so far, when it began.
	Date string `json:"date" jsonschema:"format=date-time"`
	// Run is the ID of the run, which its other reports have too.
	Run string `json:"run" jsonschema:"minLength=1"`
	// Mode is what part of the catalogue was offered to the run: quick or full.
	Mode string `json:"mode" jsonschema:"enum=quick,enum=full"`
	// PlanDigest is the SHA-256 of what was asked of the subject: its selected trials, their claims and the
	// formulas that predict them. Reports with the same digest report the same experiment.
	PlanDigest string `json:"planDigest" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
	// Result is the conclusion of the whole report, the worst of its profiles at best.
	Result Result `json:"result" jsonschema:"enum=success,enum=partial,enum=failure"`
	// Reasons say why the result is no success; none where it is.
	Reasons []string `json:"reasons,omitempty"`
	// Subject is the kubelet.
	Subject Subject `json:"subject"`
	// Implementation is who answers for it, where a report is to be published.
	Implementation *Implementation `json:"implementation,omitempty"`
	// Environment is where the run took place.
	Environment Environment `json:"environment"`
	// Oracle is what the kubelet was judged by.
	Oracle Oracle `json:"oracle"`
	// Profiles are the conclusions by area of the catalogue, in its order: those for which at least one
	// trial was selected.
	Profiles []Profile `json:"profiles,omitempty"`
	// SkippedProfiles are the areas of the catalogue without a selected trial.
	SkippedProfiles []string `json:"skippedProfiles,omitempty"`
	// Divergences are where the kubelet does what its code always did and the documentation says otherwise.
	// They are no failures.
	Divergences []Divergence `json:"divergences,omitempty"`
	// Problems are what kept the run from judging: a set-up that failed, an interrupt.
	Problems []string `json:"problems,omitempty"`
	// Trials are the measured numbers, where they were asked for: all selected trials or none of them.
	Trials []Trial `json:"trials,omitempty"`
}

// Result is a conclusion.
type Result string

const (
	// Success means that all was judged, and nothing deviates.
	Success Result = "success"
	// Partial means that nothing that was judged deviates, but not everything was judged.
	Partial Result = "partial"
	// Failure means that something deviates, or nothing at all was judged.
	Failure Result = "failure"
)

// The lanes of a subject: where its trials ran.
const (
	// NodeLane is a real worker of a cluster.
	NodeLane = "node"
	// VirtualLane is the kubelet's own code under virtual time, on models of what is around it: no node was tested.
	VirtualLane = "virtual"
)

// Subject is the kubelet under test.
type Subject struct {
	// Name is what the user of the run called it: "v1.36.3", "v1.36.3+resultrun-one", "virtual:v1.36.3", or
	// a version and the path of a binary.
	Name string `json:"name" jsonschema:"minLength=1"`
	// Lane is where its trials ran: node, a real worker, or virtual, the kubelet's own code under virtual
	// time on models of what is around it.
	Lane string `json:"lane" jsonschema:"enum=node,enum=virtual"`
	// Kubelet is its version as the formulas take it, such as "v1.36.3"; empty where it never came to be known.
	Kubelet string `json:"kubelet,omitempty"`
	// Mutation is the change made to its source, empty for a released one.
	Mutation string `json:"mutation,omitempty"`
	// Reported is the version that a binary of the user's own says of itself.
	Reported string `json:"reported,omitempty"`
	// Configuration is the SHA-256 of its effective configuration (/configz) as compact JSON with sorted
	// keys, empty where it was not read.
	Configuration string `json:"configuration,omitempty" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
}

// Implementation is who answers for the kubelet: a distribution's vendor, or the project itself. All of it
// is mandatory, as it is in the Gateway API.
type Implementation struct {
	// Organization maintains the implementation.
	Organization string `json:"organization" jsonschema:"minLength=1"`
	// Project is its name.
	Project string `json:"project" jsonschema:"minLength=1"`
	// URL is where people read about it.
	URL string `json:"url" jsonschema:"format=uri"`
	// Version is a released one, not a branch.
	Version string `json:"version" jsonschema:"minLength=1"`
	// Contact is who to ask: user or team names, addresses or pages.
	Contact []string `json:"contact" jsonschema:"minItems=1"`
}

// Environment is where the run took place.
type Environment struct {
	// Podclock is the revision of podclock that ran the trials, empty where the run does not say.
	Podclock string `json:"podclock,omitempty"`
	// Go is the version of what compiled that.
	Go string `json:"go,omitempty"`
	// Kernel is its release.
	Kernel string `json:"kernel,omitempty"`
	// CPUs is how many there were.
	CPUs int `json:"cpus,omitempty" jsonschema:"minimum=0"`
	// Engine is the container engine, empty without a cluster.
	Engine string `json:"engine,omitempty"`
	// NodeImage is the image of the cluster's nodes, empty without a cluster.
	NodeImage string `json:"nodeImage,omitempty"`
	// Components are the versions of what the nodes are made of, by name.
	Components map[string]string `json:"components,omitempty"`
	// Adaptations are what the host needed that an ordinary one does not.
	Adaptations []string `json:"adaptations,omitempty"`
}

// Oracle is what the kubelet was judged by.
type Oracle struct {
	// Podclock is the revision of podclock that judged what the run had recorded, with its own formulas,
	// when this report was made; "unknown" where its build did not know it.
	Podclock string `json:"podclock" jsonschema:"minLength=1"`
	// Changed are the trials that the run had come to another verdict of, each with both verdicts.
	Changed []string `json:"changed,omitempty"`
	// Formulas is how many formulas the plan's claims rest on.
	Formulas int `json:"formulas" jsonschema:"minimum=0"`
	// Digest is the SHA-256 of their IDs, sentences, sources and promises.
	Digest string `json:"digest" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
	// Oldest is the oldest Kubernetes release whose source the formulas were read in.
	Oldest string `json:"oldest" jsonschema:"minLength=1"`
	// Newest is the newest one.
	Newest string `json:"newest" jsonschema:"minLength=1"`
	// Extrapolated says that the kubelet is outside of them.
	Extrapolated bool `json:"extrapolated,omitempty"`
}

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
	// InconclusiveTrials are those whose evidence allows no judgement, and those that never ran.
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

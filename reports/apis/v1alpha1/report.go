// Package v1alpha1 is the conformance report of one kubelet's timing in one run. It can be published, read by
// programs and compared. It follows the Gateway API's ConformanceReport: it is typed, has a result for every
// profile, and is validated.
//
// The package has the types and their rules. It does not know how a report is made. The JSON schema beside it
// is generated from these declarations.
//
// No result is good by default. A profile is a success if every trial of its area was judged on a real node and
// none deviates. See [Profile.Conclusion] and [TimingConformanceReport.Conclusion]. The validation compares
// every report with them.
package v1alpha1

// The fixed values of every report.
const (
	APIVersion = "podclock.dev/v1alpha1"
	Kind       = "TimingConformanceReport"
)

// TimingConformanceReport is the result of one subject in one run.
type TimingConformanceReport struct {
	// APIVersion is podclock.dev/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"enum=podclock.dev/v1alpha1"`
	// Kind is TimingConformanceReport.
	Kind string `json:"kind" jsonschema:"enum=TimingConformanceReport"`
	// Date is the time of the last verdict in RFC 3339. It is the start of the run if there was none.
	Date string `json:"date" jsonschema:"format=date-time"`
	// Run is the ID of the run, as in its other reports.
	Run string `json:"run" jsonschema:"pattern=\\S"`
	// Mode is the part of the catalogue that was offered to the run: quick or full.
	Mode string `json:"mode" jsonschema:"enum=quick,enum=full"`
	// PlanDigest is the SHA-256 of the subject's selected trials, their claims and their formulas. Reports with
	// the same digest report the same experiment.
	PlanDigest string `json:"planDigest" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
	// Result is the conclusion of the whole report. It is never better than the worst profile.
	Result Result `json:"result" jsonschema:"enum=success,enum=partial,enum=failure"`
	// Reasons are why the result is no success. A success has none.
	Reasons []string `json:"reasons,omitempty"`
	// Subject is the kubelet.
	Subject Subject `json:"subject"`
	// Implementation identifies who is responsible for the kubelet. A published report must have it.
	Implementation *Implementation `json:"implementation,omitempty"`
	// Environment describes where the run took place.
	Environment Environment `json:"environment"`
	// Oracle describes what judged the kubelet.
	Oracle Oracle `json:"oracle"`
	// Profiles are the conclusions by area, in the catalogue's order. Areas without a selected trial are in
	// SkippedProfiles.
	Profiles []Profile `json:"profiles,omitempty"`
	// SkippedProfiles are the areas of the catalogue without a selected trial.
	SkippedProfiles []string `json:"skippedProfiles,omitempty" jsonschema:"pattern=\\S"`
	// Divergences are the promises of the documentation that the kubelet's code does not keep. They are no
	// failures.
	Divergences []Divergence `json:"divergences,omitempty"`
	// Problems are what kept the run from judging, such as a failed set-up or an interrupt.
	Problems []string `json:"problems,omitempty"`
	// Trials are the measured numbers if they were requested: of all selected trials or of none. A published
	// report must have them.
	Trials []Trial `json:"trials,omitempty"`
}

// Result is a conclusion.
type Result string

const (
	// Success means that everything was judged and nothing deviates.
	Success Result = "success"
	// Partial means that nothing deviates, but not everything was judged.
	Partial Result = "partial"
	// Failure means that something deviates, or that nothing was judged.
	Failure Result = "failure"
)

// The lanes of a subject, that is, where its trials ran.
const (
	// NodeLane is a real worker of a cluster.
	NodeLane = "node"
	// VirtualLane is the kubelet's own code under virtual time, with models of everything around it. It tests
	// no node.
	VirtualLane = "virtual"
)

// Subject is the kubelet under test.
type Subject struct {
	// Name is the subject as the user of the run wrote it: "v1.36.3", "v1.36.3+resultrun-one",
	// "virtual:v1.36.3", or a version and the path of a binary or a source tree.
	Name string `json:"name" jsonschema:"pattern=\\S"`
	// Lane is where the subject's trials ran. node is a real worker. virtual is the kubelet's own code under
	// virtual time, with models of everything around it.
	Lane string `json:"lane" jsonschema:"enum=node,enum=virtual"`
	// Kubelet is the version that the formulas use, such as "v1.36.3". It is empty if it is unknown.
	Kubelet string `json:"kubelet,omitempty" jsonschema:"pattern=^v\\d+\\.\\d+\\.\\d+([-+].+)?$"`
	// Mutation is the change of its source, empty for a released kubelet.
	Mutation string `json:"mutation,omitempty"`
	// Reported is the version that a user's binary reports.
	Reported string `json:"reported,omitempty"`
	// Configuration is the SHA-256 of the effective configuration (/configz) as compact JSON with sorted keys.
	// It is empty if it was not read.
	Configuration string `json:"configuration,omitempty" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
	// System is what the Node object says about the node. A published report must have it.
	System *System `json:"system,omitempty"`
	// Group describes what the node has in common with others of its cluster. It is empty if podclock made the
	// cluster, and a published report must have it otherwise.
	Group string `json:"group,omitempty"`
	// Nodes are the nodes of the group that the run tested, each with a report of its own, or the subject's own worker
	// if podclock made the cluster. A published report must have them.
	Nodes []string `json:"nodes,omitempty" jsonschema:"pattern=\\S"`
}

// System is what a Node object says about the node (status.nodeInfo and spec.providerID).
type System struct {
	// Provider is the scheme of the node's provider ID, such as "aws" or "kind", or "none". A published report must
	// have it.
	Provider string `json:"provider,omitempty"`
	// Distribution is what the kubelet's version adds to its release, such as "k3s1", or "none". A published report
	// must have it.
	Distribution string `json:"distribution,omitempty"`
	// Runtime is the container runtime with its version, such as "containerd://2.1.4".
	Runtime string `json:"runtime" jsonschema:"pattern=\\S"`
	// OS is the name of the operating system's image.
	OS string `json:"os" jsonschema:"pattern=\\S"`
	// Kernel is the release of the node's kernel.
	Kernel string `json:"kernel" jsonschema:"pattern=\\S"`
	// Architecture is the node's, such as "amd64".
	Architecture string `json:"architecture" jsonschema:"pattern=\\S"`
}

// Implementation identifies who is responsible for the kubelet: a distribution's vendor, or the project itself.
// All fields are mandatory, as in the Gateway API.
type Implementation struct {
	// Organization maintains the implementation.
	Organization string `json:"organization" jsonschema:"pattern=\\S"`
	// Project is the name of the project.
	Project string `json:"project" jsonschema:"pattern=\\S"`
	// URL is the address of a page about the project.
	URL string `json:"url" jsonschema:"format=uri,pattern=^https?://"`
	// Version is a released version, not a branch.
	Version string `json:"version" jsonschema:"pattern=\\S"`
	// Contact is whom to ask: names of users or teams, addresses or pages.
	Contact []string `json:"contact" jsonschema:"minItems=1,pattern=\\S"`
}

// Environment describes where the run took place.
type Environment struct {
	// Podclock is the revision of podclock that ran the trials, empty if the run does not have it.
	Podclock string `json:"podclock,omitempty"`
	// Go is the version of the Go compiler of that podclock.
	Go string `json:"go,omitempty"`
	// Kernel is the release of the kernel.
	Kernel string `json:"kernel,omitempty"`
	// CPUs is the number of CPUs of the host.
	CPUs int `json:"cpus,omitempty" jsonschema:"minimum=0"`
	// Engine is the container engine, empty without a cluster.
	Engine string `json:"engine,omitempty"`
	// NodeImage is the image of the cluster's nodes, empty without a cluster.
	NodeImage string `json:"nodeImage,omitempty"`
	// Components are the versions of the programs on the nodes, by name.
	Components map[string]string `json:"components,omitempty"`
	// Adaptations are the settings that this host needed and an ordinary one does not.
	Adaptations []string `json:"adaptations,omitempty"`
	// Command is the command line that runs the same trials. It is empty if the run did not record its settings. A
	// published report must have it.
	Command string `json:"command,omitempty"`
}

// Oracle describes what judged the kubelet.
type Oracle struct {
	// Podclock is the revision of podclock that judged the recorded run with its own formulas for this report.
	// It is "unknown" if the build has no revision.
	Podclock string `json:"podclock" jsonschema:"pattern=\\S"`
	// Changed are the trials whose verdict in the run differs from that in this report, each with both
	// verdicts.
	Changed []string `json:"changed,omitempty" jsonschema:"pattern=\\S"`
	// Formulas is the number of formulas of the plan's claims.
	Formulas int `json:"formulas" jsonschema:"minimum=0"`
	// Digest is the SHA-256 of the formulas' IDs, sentences, sources and promises.
	Digest string `json:"digest" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
	// Oldest is the oldest Kubernetes release in whose source the formulas were read.
	Oldest string `json:"oldest" jsonschema:"pattern=^v\\d+\\.\\d+\\.\\d+([-+].+)?$"`
	// Newest is the newest of these releases.
	Newest string `json:"newest" jsonschema:"pattern=^v\\d+\\.\\d+\\.\\d+([-+].+)?$"`
	// Extrapolated is true if the kubelet is outside these releases.
	Extrapolated bool `json:"extrapolated,omitempty"`
}

// Profile is the conclusion on one area of the catalogue.
type Profile struct {
	// Name is the name of the area, such as "termination".
	Name string `json:"name" jsonschema:"pattern=\\S"`
	// Result is the profile's conclusion.
	Result Result `json:"result" jsonschema:"enum=success,enum=partial,enum=failure"`
	// Summary is the conclusion in one sentence.
	Summary string `json:"summary" jsonschema:"pattern=\\S"`
	// Reasons are why the result is no success. A success has none.
	Reasons []string `json:"reasons,omitempty"`
	// Statistics counts the area's trials.
	Statistics Statistics `json:"statistics"`
	// FailedTrials are the trials that deviate.
	FailedTrials []FailedTrial `json:"failedTrials,omitempty"`
	// InconclusiveTrials are the trials whose evidence allows no judgement, and those that never ran.
	InconclusiveTrials []InconclusiveTrial `json:"inconclusiveTrials,omitempty"`
	// SkippedTrials are unsupported, beyond what the lane can show, or not selected.
	SkippedTrials []SkippedTrial `json:"skippedTrials,omitempty"`
}

// Statistics counts the area's trials. Each is exactly one of passed, failed, inconclusive and skipped.
type Statistics struct {
	// Passed is the number of trials with the verdict conforms or divergent. They did what the kubelet's code
	// computes.
	Passed int `json:"passed" jsonschema:"minimum=0"`
	// Divergent is the number of passed trials that did not do what the documentation promises.
	Divergent int `json:"divergent" jsonschema:"minimum=0"`
	// Failed is the length of failedTrials.
	Failed int `json:"failed" jsonschema:"minimum=0"`
	// Inconclusive is the length of inconclusiveTrials.
	Inconclusive int `json:"inconclusive" jsonschema:"minimum=0"`
	// Skipped is the length of skippedTrials.
	Skipped int `json:"skipped" jsonschema:"minimum=0"`
	// Claims is the number of judged claims of these trials.
	Claims int `json:"claims" jsonschema:"minimum=0"`
}

// FailedTrial is a trial that deviates.
type FailedTrial struct {
	// Trial is the trial's ID, such as "termination/ignored-sigterm".
	Trial string `json:"trial" jsonschema:"pattern=\\S"`
	// Reason has the measured and the expected values.
	Reason string `json:"reason" jsonschema:"pattern=\\S"`
	// Claims are the trial's claims that deviate.
	Claims []FailedClaim `json:"claims,omitempty"`
}

// FailedClaim is a claim that deviates.
type FailedClaim struct {
	// Claim is the claim's name within its trial.
	Claim string `json:"claim" jsonschema:"pattern=\\S"`
	// Formula is the ID of the formula that predicted the claim.
	Formula string `json:"formula" jsonschema:"pattern=\\S"`
	// Reason has the measured and the expected value.
	Reason string `json:"reason" jsonschema:"pattern=\\S"`
	// Diagnosis is a known wrong behaviour that would measure the same.
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"`
}

// Diagnosis is a known wrong behaviour.
type Diagnosis struct {
	// Name describes what such a kubelet does wrong.
	Name string `json:"name" jsonschema:"pattern=\\S"`
	// Reference is the report of the behaviour.
	Reference string `json:"reference,omitempty"`
}

// InconclusiveTrial is a trial that could not be judged.
type InconclusiveTrial struct {
	// Trial is the trial's ID.
	Trial string `json:"trial" jsonschema:"pattern=\\S"`
	// Reason is why the trial could not be judged.
	Reason string `json:"reason" jsonschema:"pattern=\\S"`
}

// SkippedTrial is a trial of the area that was deliberately not judged.
type SkippedTrial struct {
	// Trial is the trial's ID.
	Trial string `json:"trial" jsonschema:"pattern=\\S"`
	// Cause is the kind of the reason. unsupported: the kubelet lacks the feature that the trial is about.
	// lane: the lane cannot show it. unselected: the run did not request the trial.
	Cause SkipCause `json:"cause" jsonschema:"enum=unsupported,enum=lane,enum=unselected"`
	// Reason is why the trial was skipped, in words.
	Reason string `json:"reason" jsonschema:"pattern=\\S"`
}

// SkipCause is the kind of reason for which a trial is skipped.
type SkipCause string

const (
	// Unsupported means that the kubelet lacks the feature that the trial is about.
	Unsupported SkipCause = "unsupported"
	// Lane means that the lane cannot show what the trial is about.
	Lane SkipCause = "lane"
	// Unselected means that the run did not request the trial.
	Unselected SkipCause = "unselected"
)

// Divergence is one promise of the documentation that the kubelet's code does not keep.
type Divergence struct {
	// Formula is the ID of the formula that predicts what the code computes.
	Formula string `json:"formula" jsonschema:"pattern=\\S"`
	// Implemented is what the code computes, in one sentence.
	Implemented string `json:"implemented" jsonschema:"pattern=\\S"`
	// Source is the file and function of Kubernetes in which the formula was read.
	Source string `json:"source" jsonschema:"pattern=\\S"`
	// Documented is the promise of the documentation, in podclock's words.
	Documented string `json:"documented" jsonschema:"pattern=\\S"`
	// Page is the page with the promise.
	Page string `json:"page" jsonschema:"pattern=^https?://"`
	// Measured is the distance between the measured and the documented values.
	Measured string `json:"measured" jsonschema:"pattern=\\S"`
	// Issues are the public discussions of the divergence, if any is known.
	Issues []string `json:"issues,omitempty" jsonschema:"pattern=\\S"`
	// Trials are the trials that show the divergence.
	Trials []string `json:"trials" jsonschema:"minItems=1,pattern=\\S"`
}

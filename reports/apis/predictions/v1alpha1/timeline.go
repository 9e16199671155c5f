package v1alpha1

// Timeline is what happens to a container from one cause under one assumption.
type Timeline struct {
	// ID is the cause, the variant and the assumption, such as "delete/longest".
	ID string `json:"id"`
	// Cause is as in [Cause], or "start", "success", "readiness", "crash", "probe loop" or "lost node".
	Cause string `json:"cause"`
	// Variant is as in [Cause].
	Variant string `json:"variant,omitempty"`
	// Assumes is what no manifest contains, such as "the preStop hook hangs".
	Assumes string `json:"assumes,omitempty"`
	// Since is the event from which the seconds count.
	Since string `json:"since"`
	// Steps are in the order in which they follow from each other.
	Steps []Step `json:"steps"`
	// Values are counted or read, such as an exit code.
	Values []Value `json:"values,omitempty"`
	// Ends is what ends a crash loop or a probe loop.
	Ends string `json:"ends,omitempty"`
}

// Step is one event of a timeline.
type Step struct {
	// ID is unique in its timeline, such as "sigterm".
	ID string `json:"id"`
	// What is the event.
	What string `json:"what"`
	// SecondsMin is the event's earliest time.
	SecondsMin float64 `json:"secondsMin"`
	// SecondsMax is the event's latest time.
	SecondsMax float64 `json:"secondsMax"`
	// DocumentedSecondsMin is the earliest time that the documentation promises, if it promises one.
	DocumentedSecondsMin *float64 `json:"documentedSecondsMin,omitempty"`
	// DocumentedSecondsMax is the latest such time.
	DocumentedSecondsMax *float64 `json:"documentedSecondsMax,omitempty"`
	// After is the step from which the formula counts, or "fault" for the timeline's beginning.
	After string `json:"after"`
	// Formula is the ID of the step's formula. An assumed step has none.
	Formula string `json:"formula,omitempty"`
	// Terms are the sum of the formula.
	Terms string `json:"terms,omitempty"`
}

// Value is something that is counted or read.
type Value struct {
	// ID is unique in its timeline, such as "exit-code".
	ID string `json:"id"`
	// What is its meaning.
	What string `json:"what"`
	// Min is the lowest possible value.
	Min int64 `json:"min"`
	// Max is the highest possible value.
	Max int64 `json:"max"`
	// Unit is the values' unit.
	Unit string `json:"unit"`
}

// Formula is one rule of Kubernetes.
type Formula struct {
	// Message is the rule in one sentence.
	Message string `json:"message"`
	// Source is the file and the function of Kubernetes in which it was read.
	Source string `json:"source"`
	// Component is the component whose rule it is, missing for the kubelet.
	Component string `json:"component,omitempty"`
	// Promise is the documentation's sentence, if there is one.
	Promise string `json:"promise,omitempty"`
	// DocumentedAt is its page.
	DocumentedAt string `json:"documentedAt,omitempty"`
}

package v1alpha1

// Trial is what one trial came to, in numbers.
type Trial struct {
	// Trial is its ID.
	Trial string `json:"trial" jsonschema:"minLength=1"`
	// Verdict is the judgement of its last attempt.
	Verdict string `json:"verdict" jsonschema:"enum=conforms,enum=divergent,enum=unsupported,enum=inconclusive,enum=deviates"`
	// Attempts is how often it ran.
	Attempts int `json:"attempts" jsonschema:"minimum=0"`
	// Claims are those of the last attempt.
	Claims []Claim `json:"claims,omitempty"`
}

// Claim is what was measured and what was predicted. All its numbers are of its unit; "s" are seconds.
type Claim struct {
	// Claim names it within its trial.
	Claim string `json:"claim" jsonschema:"minLength=1"`
	// Formula is the ID of what predicted it.
	Formula string `json:"formula" jsonschema:"minLength=1"`
	// Of is the component whose rule it is.
	Of string `json:"of" jsonschema:"minLength=1"`
	// Verdict is the judgement of this claim.
	Verdict string `json:"verdict" jsonschema:"enum=conforms,enum=divergent,enum=inconclusive,enum=deviates"`
	// Unit is what the numbers count, such as "s" or "count".
	Unit string `json:"unit" jsonschema:"minLength=1"`
	// Measured is what was measured, missing where it never came.
	Measured *float64 `json:"measured,omitempty"`
	// Margin is how far that is inside the implemented window, below zero outside.
	Margin *float64 `json:"margin,omitempty"`
	// Implemented is what the kubelet's code computes, the observer's error included.
	Implemented Window `json:"implemented"`
	// Documented is what the documentation promises, the observer's error included, missing where it
	// promises no number.
	Documented *Window `json:"documented,omitempty"`
}

// Window is a prediction. Both of its ends are inside.
type Window struct {
	// Earliest is its lower end.
	Earliest float64 `json:"earliest"`
	// Latest is its upper end.
	Latest float64 `json:"latest"`
}

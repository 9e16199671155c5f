package v1alpha1

// Trial is the numbers of one trial.
type Trial struct {
	// Trial is the trial's ID.
	Trial string `json:"trial" jsonschema:"pattern=\\S"`
	// Verdict is the verdict of the last attempt.
	Verdict string `json:"verdict" jsonschema:"enum=conforms,enum=divergent,enum=unsupported,enum=inconclusive,enum=deviates"`
	// Attempts is the number of attempts.
	Attempts int `json:"attempts" jsonschema:"minimum=0"`
	// Claims are the claims of the last attempt.
	Claims []Claim `json:"claims,omitempty"`
}

// Claim is a measurement and its predictions. All numbers have the claim's unit; "s" means seconds.
type Claim struct {
	// Claim is the claim's name within its trial.
	Claim string `json:"claim" jsonschema:"pattern=\\S"`
	// Formula is the ID of the formula that predicted the claim.
	Formula string `json:"formula" jsonschema:"pattern=\\S"`
	// Of is the component whose rule the formula is.
	Of string `json:"of" jsonschema:"pattern=\\S"`
	// Verdict is the verdict of this claim.
	Verdict string `json:"verdict" jsonschema:"enum=conforms,enum=divergent,enum=inconclusive,enum=deviates"`
	// Unit is the unit of the numbers, such as "s" or "count".
	Unit string `json:"unit" jsonschema:"pattern=\\S"`
	// Measured is the measured value, missing if it never came.
	Measured *float64 `json:"measured,omitempty"`
	// Margin is the distance of the value from the nearer end of the implemented window, negative outside.
	Margin *float64 `json:"margin,omitempty"`
	// Implemented is the window that the kubelet's code computes, with the observer's error.
	Implemented Window `json:"implemented"`
	// Documented is the window that the documentation promises, with the observer's error. It is missing if the
	// documentation promises no number.
	Documented *Window `json:"documented,omitempty"`
}

// Window is a prediction. Both ends are inside.
type Window struct {
	// Earliest is the lower end.
	Earliest float64 `json:"earliest"`
	// Latest is the upper end.
	Latest float64 `json:"latest"`
}

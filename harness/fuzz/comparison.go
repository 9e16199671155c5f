package fuzz

// Predicted is what was predicted of the scenarios and compared. Package predicted does that.
type Predicted struct {
	// Asked counts the questions by cause, Steps and Values what was compared.
	Asked  map[string]int `json:"asked"`
	Steps  int            `json:"steps"`
	Values int            `json:"values"`
	// Formulas are parts by formula, Answers by cause and step.
	Formulas map[string]*Part `json:"formulas"`
	Answers  map[string]*Part `json:"answers"`
}

// Part is the part of the predicted windows of a formula, or of an answer, in which its events came, over all
// scenarios.
//
// A window is at most twice as wide as what the kubelet's code does if its events come in half of it or more. The
// window is that of a prediction that knows what the process and its hook do. A formula's window counts from the step
// before, an answer's from the timeline's zero, as in a sentence. Places in windows of different scenarios are
// compared as fractions of the width: the phases of the kubelet's timers are random over scenarios. Budgets for the
// work of a real node are not part of the width, because a virtual node needs almost no time for it.
type Part struct {
	// Events counts the events, Waits those whose windows are wider than the budgets.
	Events int `json:"events"`
	Waits  int `json:"waits"`
	// First and Last are the places of the first and the last event with such a window, from 0 to 1.
	First float64 `json:"first"`
	Last  float64 `json:"last"`
}

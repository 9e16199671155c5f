package mutationtest

// LeastDifferent is the required share of mutants whose traces differ from the reference's, 0 to 1. Two runs of one
// kubelet have the same traces, so only mutants without any effect on the node's calls, requests and marks are missed.
const LeastDifferent = 0.99

// Comparison is what the traces of a subject show beside those of the reference, trial by trial. It needs no formula
// and no window. Only the virtual lane has traces, see package trace.
type Comparison struct {
	// Trials is the number of trials with a trace of both, Different that of trials whose traces differ.
	Trials    int `json:"trials"`
	Different int `json:"different"`
	// First is how most of the different trials begin to differ, and one of them.
	First string `json:"first,omitempty"`
}

// Differs reports whether a trace differs. Without a comparison, none does.
func (c *Comparison) Differs() bool { return c != nil && c.Different > 0 }

package detection

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

// Differs reports whether a trace of the mutant differs from the reference's.
func (m Mutant) Differs() bool { return m.Comparison != nil && m.Comparison.Different > 0 }

// compare counts a mutant of the score.
func (f *Figures) compare(m Mutant) {
	if m.Comparison == nil {
		return
	}
	f.Compared++
	if m.Differs() {
		f.Different++
	}
}

// Unsteady returns the references whose traces differ from those of the first one.
func (l LaneReport) Unsteady() (all []Reference) {
	for _, r := range l.References {
		if r.Comparison != nil && r.Comparison.Different > 0 {
			all = append(all, r)
		}
	}
	return all
}

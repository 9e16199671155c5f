package trial

import (
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// Verdict is what judging ends in.
type Verdict string

const (
	// Conforms is measured inside what the code computes and inside what the documentation promises.
	Conforms Verdict = "conforms"
	// Divergent is measured inside what the code computes, outside what the documentation promises.
	Divergent Verdict = "divergent"
	// Unsupported means that the trial can't run on this subject.
	Unsupported Verdict = "unsupported"
	// Inconclusive means that the evidence does not allow a judgement.
	Inconclusive Verdict = "inconclusive"
	// Deviates is measured outside what this kubelet's code should compute.
	Deviates Verdict = "deviates"
)

// severity orders verdicts: a trial's verdict is the most severe of its claims'.
var severity = map[Verdict]int{Conforms: 0, Divergent: 1, Unsupported: 2, Inconclusive: 3, Deviates: 4}

// Worse returns the more severe of two verdicts. A verdict that is none of the five counts as inconclusive.
func Worse(a, b Verdict) Verdict {
	a, b = known(a), known(b)
	if severity[b] > severity[a] {
		return b
	}
	return a
}

func known(v Verdict) Verdict {
	if _, ok := severity[v]; !ok {
		return Inconclusive
	}
	return v
}

// Finding is the judgement of one claim.
type Finding struct {
	Claim   string `json:"claim"`
	Formula string `json:"formula"`
	Says    string `json:"says"`
	Source  string `json:"source"`
	// Of is whose rule it is.
	Of      formula.Component `json:"of,omitempty"`
	Verdict Verdict           `json:"verdict"`
	// Why explains every verdict but Conforms.
	Why string `json:"why,omitempty"`
	// Measured is nil when the value never came.
	Measured *Measured `json:"measured,omitempty"`
	// Since is where, on the recorder's clock, what is measured began whose end never came; see Begins.
	Since int64 `json:"since,omitempty"`
	// Implemented and Documented are the windows, the observer's error among their terms.
	Implemented formula.Window  `json:"implemented"`
	Documented  *formula.Window `json:"documented,omitempty"`
	// Promise, DocumentedAt and Issues tell what a divergence diverges from.
	Promise      string `json:"promise,omitempty"`
	DocumentedAt string `json:"documentedAt,omitempty"`
	Issues       string `json:"issues,omitempty"`
	// Delay is the longest delay that the node can have caused while this was measured.
	Delay time.Duration `json:"noise,omitempty"`
	// Diagnosis names the rival that fits a deviation best.
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"`
}

// Diagnosis is a rival that would have measured what was measured.
type Diagnosis struct {
	Name      string         `json:"name"`
	Reference string         `json:"reference"`
	Would     formula.Window `json:"would"`
	// Never says that the rival never comes to what is measured, as was the case; Would is empty then.
	Never bool `json:"never,omitempty"`
}

// Result is the judgement of one trial's timeline.
type Result struct {
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
	// Doubts are the timeline's.
	Doubts []string `json:"doubts,omitempty"`
	// Extrapolated says that the kubelet is outside the releases whose sources the formulas were read in.
	Extrapolated bool `json:"extrapolated,omitempty"`
}

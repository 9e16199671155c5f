package trial

import (
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Verdict is what the judge decides about a claim or a trial.
type Verdict string

const (
	// Conforms means as the code computes and as the documentation promises.
	Conforms Verdict = "conforms"
	// Divergent means as the code computes, but not as the documentation promises.
	Divergent Verdict = "divergent"
	// Unsupported means that the trial can't run on this subject.
	Unsupported Verdict = "unsupported"
	// Inconclusive means that the evidence allows no verdict.
	Inconclusive Verdict = "inconclusive"
	// Deviates means outside what this kubelet's code computes.
	Deviates Verdict = "deviates"
)

var severity = map[Verdict]int{Conforms: 0, Divergent: 1, Unsupported: 2, Inconclusive: 3, Deviates: 4}

// Worse returns the more severe of two verdicts. An unknown one counts as inconclusive.
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
	Claim        string            `json:"claim"`
	Formula      string            `json:"formula"`
	Description  string            `json:"says"`
	Source       string            `json:"source"`
	Of           formula.Component `json:"of,omitempty"`
	LeftToChance bool              `json:"leftToChance,omitempty"`
	Verdict      Verdict           `json:"verdict"`
	Why          string            `json:"why,omitempty"`
	// Rule is the name of the judge's rule that gave the verdict, empty in files of older revisions.
	Rule     string    `json:"rule,omitempty"`
	Measured *Measured `json:"measured,omitempty"`
	// From and To are the points that a time begins and ends at. Counts have none.
	From Point `json:"from,omitzero"`
	To   Point `json:"to,omitzero"`
	// Since is when a time began whose end never came, on the recorder's clock.
	Since int64 `json:"since,omitempty"`
	// Implemented and Documented are widened by the observer's error.
	Implemented  formula.Window  `json:"implemented"`
	Documented   *formula.Window `json:"documented,omitempty"`
	Promise      string          `json:"promise,omitempty"`
	DocumentedAt string          `json:"documentedAt,omitempty"`
	Issues       string          `json:"issues,omitempty"`
	// Assumes are fields of the configuration that could not be read and that the windows depend on. Delay is the
	// node's longest delay while the value was measured.
	Assumes   []string      `json:"assumes,omitempty"`
	Delay     time.Duration `json:"noise,omitempty"`
	Diagnosis *Diagnosis    `json:"diagnosis,omitempty"`
	Mistakes  []Mistake     `json:"-"` // not saved: the judge computes them again
	// Follows means that the claim counts what contradicts a report. What a known mistake changes can contradict it,
	// so a diagnosis of the other claims need not fit this one.
	Follows bool `json:"-"`
}

// Diagnosis is a known mistake that would have measured what was measured. That of a claim that follows from others has
// no window.
type Diagnosis struct {
	Name      string         `json:"name"`
	Reference string         `json:"reference"`
	Would     formula.Window `json:"would"`
	Never     bool           `json:"never,omitempty"` // the known mistake has no value, and Would is empty
}

// Mistake is a known wrong behaviour beside what was measured.
type Mistake struct {
	Diagnosis
	Kind MistakeKind
	// Fits means that it would have measured the same, Excluded that it would not, whatever delayed the node. Beyond
	// means that its window is beyond the implemented one, on the side of a miss that delay excuses.
	Fits, Excluded, Beyond bool
}

// MistakeKind orders known mistakes that explain the same.
type MistakeKind int

// A fault comes first, then what another release does, then what the documentation promises.
const (
	Bug MistakeKind = iota
	OtherRelease
	Promised
)

// Result is the judgement of one trial's timeline.
type Result struct {
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
	// Doubts are why not to trust the evidence, or why the trial is unsupported.
	Doubts []string `json:"doubts,omitempty"`
	// Extrapolated means that a formula of the trial depends on a change that nobody read in this release's sources.
	Extrapolated bool `json:"extrapolated,omitempty"`
}

// Begins returns when a finding's time began, on the recorder's clock. It returns false for counts.
func (f Finding) Begins() (at int64, known bool) {
	switch {
	case f.Implemented.Unit != formula.Nanoseconds:
		return 0, false
	case f.Measured != nil:
		return f.Measured.From, true
	}
	return f.Since, f.Since != 0
}

// Restart returns the container and the number, from 1, of the restart that the finding measures: from the end of a
// life to the start of the next one. It returns false for other findings.
func (f Finding) Restart() (container string, number int, is bool) {
	is = f.From.Event == lifecycle.Gone && f.To.Event == lifecycle.Started && f.From.Container == f.To.Container &&
		f.From.LifeNumber+1 == f.To.LifeNumber
	return f.To.Container, f.From.LifeNumber, is
}

// Within returns the claim's name without its container if the time begins and ends in one container. The creation of
// a companion counts as a beginning in the container of the same name.
func (f Finding) Within() string {
	if f.To.Container == Main || f.To.Container == "" || f.From.prefix() != f.To.Container {
		return f.Claim
	}
	return Between(f.From.unprefixed(), f.To.unprefixed()).String()
}

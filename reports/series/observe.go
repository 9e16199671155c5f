// Package series computes what several runs say together. Its model is what each run measured of each claim of
// a trial on a subject. Four views are computed from it: the comparison of two runs, the history of many, the
// rounds of one selection, and the rounds on disturbed nodes. It judges nothing and renders nothing: each view
// gives a [Report], which is words and tables, to the renderers.
package series

import (
	"fmt"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// observation is what a series keeps of one run. A run has megabytes of marks, an observation a thousandth of it.
type observation struct {
	view.RunSummary
	// ran is false for a run that failed before any trial ran. All its verdicts are inconclusive.
	ran bool
	// outcomes are sorted by subject and area.
	outcomes []outcome
}

// outcome is what one run found of one trial on one subject.
type outcome struct {
	trial, subject string
	// kubelet is the version that the subject reports, with its mutation.
	kubelet  string
	lane     run.Lane
	verdict  trial.Verdict
	attempts int
	cutShort bool
	// why is the reason of the verdict, empty for one that needs none.
	why    string
	claims []claim
}

// claim is what one run found of one claim.
type claim struct {
	claim, formula string
	of             formula.Component
	unit           formula.Unit
	// doubted is the number of attempts in which it was inconclusive.
	doubted int
	// judged is false if the last attempt has no verdict of it. The point is empty then.
	judged bool
	Point
}

// Point is what one run measured of one claim.
type Point struct {
	// Run is the index of the run in the series.
	Run     int           `json:"run"`
	Verdict trial.Verdict `json:"verdict"`
	// Value is the measured value, nil if it never came.
	Value *int64 `json:"value,omitempty"`
	// Ends are those of the implemented window, which includes the observer's error.
	Ends
	// Documented is the documented window, nil if nothing is documented.
	Documented *Ends `json:"documented,omitempty"`
	// Less and More are how much smaller or larger the true value can be. Delay is the node's delay meanwhile.
	Less  int64 `json:"less,omitempty"`
	More  int64 `json:"more,omitempty"`
	Delay int64 `json:"waited,omitempty"`
}

// Ends are the earliest and the latest value of a window.
type Ends struct {
	Earliest int64 `json:"earliest"`
	Latest   int64 `json:"latest"`
}

// observe returns what a series keeps of a run.
func observe(r run.Run) observation {
	seen := observation{RunSummary: view.SummaryOf(r), ran: r.Ran()}
	for _, b := range view.ColumnsOf(r) {
		for _, o := range b.Outcomes {
			seen.outcomes = append(seen.outcomes, outcomeOf(b.Subject, o))
		}
	}
	return seen
}

func outcomeOf(s run.Subject, o run.Outcome) outcome {
	seen := outcome{
		trial: o.Trial, subject: o.Subject, kubelet: view.Reported(s), lane: s.RanIn(),
		verdict: o.Verdict, attempts: len(o.Attempts), cutShort: o.CutShort, why: view.ReasonOf(o),
	}
	at := map[string]int{}
	for i, a := range o.Attempts {
		for _, f := range a.Result.Findings {
			n, known := at[f.Claim]
			if !known {
				n = len(seen.claims)
				at[f.Claim] = n
				seen.claims = append(seen.claims,
					claim{claim: f.Claim, formula: f.Formula, of: f.Of, unit: f.Implemented.Unit})
			}
			if f.Verdict == trial.Inconclusive {
				seen.claims[n].doubted++
			}
			if i == len(o.Attempts)-1 {
				seen.claims[n].judged, seen.claims[n].Point = true, pointOf(f)
			}
		}
	}
	return seen
}

func pointOf(f trial.Finding) Point {
	p := Point{
		Verdict: f.Verdict,
		Ends:    Ends{f.Implemented.Earliest, f.Implemented.Latest},
		Delay:   int64(f.Delay),
	}
	if f.Measured != nil {
		value := f.Measured.Value
		p.Value, p.Less, p.More = &value, f.Measured.Less, f.Measured.More
	}
	if f.Documented != nil {
		p.Documented = &Ends{f.Documented.Earliest, f.Documented.Latest}
	}
	return p
}

// counted returns the outcomes that count for their trials, and how many do not because the run was cut short.
// If no trial ran, none counts.
func (seen observation) counted() (outcomes []outcome, cutShort int) {
	if !seen.ran {
		return nil, 0
	}
	for _, o := range seen.outcomes {
		if o.cutShort && o.verdict == trial.Inconclusive { // the marks until then can be enough for a verdict
			cutShort++
		} else {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes, cutShort
}

// find returns a claim that the last attempt judged.
func (o outcome) find(name string) (claim, bool) {
	for _, c := range o.claims {
		if c.judged && c.claim == name {
			return c, true
		}
	}
	return claim{}, false
}

// measured returns the measured value in words.
func (c claim) measured() string {
	if c.Value == nil {
		return "never"
	}
	return view.FormatValue(c.unit, *c.Value)
}

// reliable reports whether the point has a value that other points can be compared with.
func (p Point) reliable() bool { return p.Value != nil && p.Verdict != trial.Inconclusive }

// anchor is the earliest value that the formula computes, without the observer's error. Anchors of two points
// differ if the formula computes something else for them, such as after a longer hook.
func (p Point) anchor() int64 { return p.Earliest + p.More }

// offset is where in its window the value lies, in units of the value.
func (p Point) offset() int64 { return *p.Value - p.anchor() }

// observer is the observer's error of the value.
func (p Point) observer() int64 { return p.Less + p.More }

func (e Ends) width() int64 { return e.Latest - e.Earliest }

// tally counts outcomes.
type tally struct {
	outcomes, repeated, attempts int
	verdicts                     map[trial.Verdict]int
}

func tallyOf(outcomes []outcome) tally {
	t := tally{outcomes: len(outcomes), verdicts: map[trial.Verdict]int{}}
	for _, o := range outcomes {
		t.verdicts[o.verdict]++
		t.attempts += o.attempts
		if o.attempts > 1 {
			t.repeated++
		}
	}
	return t
}

// counts returns verdicts in words: "3 conforms", "1 deviates".
func counts(verdicts map[trial.Verdict]int) []string {
	var parts []string
	for _, v := range view.Verdicts() {
		if n := verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return parts
}

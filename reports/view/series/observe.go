// Package series computes what several runs say together. Its model is what each run measured of each claim of
// a trial on a subject. Four views are computed from it: the comparison of two runs, the history of many, the
// rounds of one selection, and the rounds on disturbed nodes. It judges nothing and renders nothing: each view
// gives a [view.Report], which is words and tables, to the renderers.
package series

import (
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// Observation is what a series keeps of one run. A run has megabytes of marks, an observation a thousandth of it.
type Observation struct {
	view.RunSummary
	// Ran is false for a run that failed before any trial ran. All its verdicts are inconclusive.
	Ran bool
	// Outcomes are sorted by subject and area.
	Outcomes []Outcome
}

// Outcome is what one run found of one trial on one subject.
type Outcome struct {
	Trial, Subject string
	// Setup is empty in runs of older revisions.
	Setup string
	// Kubelet is the version that the subject reports, with its mutation.
	Kubelet  string
	Lane     run.Lane
	Verdict  trial.Verdict
	Attempts int
	CutShort bool
	// Why is the reason of the verdict, empty for one that needs none.
	Why    string
	Claims []Claim
}

// Claim is what one run found of one claim.
type Claim struct {
	Name, Formula string
	Of            formula.Component
	Unit          formula.Unit
	// Doubted is the number of attempts in which it was inconclusive.
	Doubted int
	// Judged is false if the last attempt has no verdict of it. What follows is empty then.
	Judged bool
	Point
	// Why is a known wrong behaviour that explains the verdict, or else what the judge says.
	Why string
	// Changes are the references of the changes of Kubernetes that decide the window.
	Changes []string
}

// Point is what one run measured of one claim.
type Point struct {
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

// Observe returns what a series keeps of a run.
func Observe(r run.Run) Observation {
	seen := Observation{RunSummary: view.SummaryOf(r), Ran: r.Ran()}
	for _, c := range view.ColumnsOf(r) {
		for _, o := range c.Outcomes {
			seen.Outcomes = append(seen.Outcomes, outcomeOf(c.Subject, o))
		}
	}
	return seen
}

func outcomeOf(s run.Subject, o run.Outcome) Outcome {
	seen := Outcome{
		Trial: o.Trial, Subject: o.Subject, Setup: o.Setup, Kubelet: view.Reported(s), Lane: s.RanIn(),
		Verdict: o.Verdict, Attempts: len(o.Attempts), CutShort: o.CutShort, Why: view.ReasonOf(o),
	}
	at := map[string]int{}
	for i, a := range o.Attempts {
		for _, f := range a.Result.Findings {
			n := view.Place(at, f.Claim, &seen.Claims,
				Claim{Name: f.Claim, Formula: f.Formula, Of: f.Of, Unit: f.Implemented.Unit})
			if f.Verdict == trial.Inconclusive {
				seen.Claims[n].Doubted++
			}
			if i == len(o.Attempts)-1 {
				seen.Claims[n].judge(f)
			}
		}
	}
	return seen
}

func (c *Claim) judge(f trial.Finding) {
	c.Judged, c.Point, c.Why = true, pointOf(f), f.Why
	if f.Diagnosis != nil {
		c.Why = view.AsIf(*f.Diagnosis)
	}
	for _, m := range f.Mistakes {
		if m.Kind == trial.OtherRelease {
			c.Changes = append(c.Changes, m.Reference)
		}
	}
}

func pointOf(f trial.Finding) Point {
	p := Point{Verdict: f.Verdict, Ends: Ends{f.Implemented.Earliest, f.Implemented.Latest}, Delay: int64(f.Delay)}
	if f.Measured != nil {
		p.Value, p.Less, p.More = new(f.Measured.Value), f.Measured.Less, f.Measured.More
	}
	if f.Documented != nil {
		p.Documented = &Ends{f.Documented.Earliest, f.Documented.Latest}
	}
	return p
}

// Counted returns the outcomes that count for their trials, and how many do not because the run was cut short.
// If no trial ran, none counts.
func (seen Observation) Counted() (outcomes []Outcome, cutShort int) {
	if !seen.Ran {
		return nil, 0
	}
	for _, o := range seen.Outcomes {
		if o.CutShort && o.Verdict == trial.Inconclusive { // the marks until then can be enough for a verdict
			cutShort++
		} else {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes, cutShort
}

// sameTrial reports whether two outcomes of one ID are of the same trial, as far as is known.
func (o Outcome) sameTrial(as Outcome) bool {
	return o.Setup == as.Setup || o.Setup == "" || as.Setup == ""
}

// On returns the outcomes of a subject by trial.
func (seen Observation) On(subject string) map[string]Outcome {
	all := map[string]Outcome{}
	for _, o := range seen.Outcomes {
		if o.Subject == subject {
			all[o.Trial] = o
		}
	}
	return all
}

// Judged returns the claims that the last attempt has a verdict of, by name.
func (o Outcome) Judged() map[string]Claim {
	all := map[string]Claim{}
	for _, c := range o.Claims {
		if c.Judged {
			all[c.Name] = c
		}
	}
	return all
}

func (c Claim) measured() string {
	if c.Value == nil {
		return "never"
	}
	return view.FormatValue(c.Unit, *c.Value)
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

// Width is the length of the window.
func (e Ends) Width() int64 { return e.Latest - e.Earliest }

// Tally counts outcomes.
type Tally struct {
	// Repeated is the number of outcomes with more than one attempt.
	Outcomes, Repeated, Attempts int
	Verdicts                     map[trial.Verdict]int
}

// TallyOf counts outcomes.
func TallyOf(outcomes []Outcome) Tally {
	t := Tally{Outcomes: len(outcomes), Verdicts: map[trial.Verdict]int{}}
	for _, o := range outcomes {
		t.Verdicts[o.Verdict]++
		t.Attempts += o.Attempts
		if o.Attempts > 1 {
			t.Repeated++
		}
	}
	return t
}

type claimKey struct{ trial, subject, claim string }

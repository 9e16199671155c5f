package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
)

// Where is a trial on a subject, and its number of attempts.
type Where struct {
	Trial, Subject string
	Attempts       int
}

func (w Where) String() string { return w.Trial + " on " + w.Subject }

func where(o run.Outcome) Where { return Where{o.Trial, o.Subject, len(o.Attempts)} }

// Reason is the reason for the verdict of some outcomes.
type Reason struct {
	Why string
	On  []Where
}

// reasons groups the outcomes of a verdict by their reasons, in the order in which the reasons first appear.
func reasons(r run.Run, v trial.Verdict) []Reason {
	var all []Reason
	index := map[string]int{}
	for _, c := range ColumnsOf(r) {
		for _, o := range c.Outcomes {
			if o.Verdict != v {
				continue
			}
			why := ReasonOf(o)
			i := Place(index, why, &all, Reason{Why: why})
			all[i].On = append(all[i].On, where(o))
		}
	}
	return all
}

// Explanation groups deviating claims by the known wrong behaviour that explains them.
type Explanation struct {
	// As describes the behaviour with its reference. It is empty if no known behaviour explains the deviations.
	As string
	On []DeviatingTrial
	// Should are the formulas that the claims break.
	Should []Broken
	// LookAt has the functions in which the fault most likely is, for each subject whose trials tell. An explanation
	// with a known wrong behaviour has none.
	LookAt []string
}

// Broken is a formula that claims break.
type Broken struct {
	Formula, Description, Source string
	// Rates has a clause for each subject on which only some claims of the formula deviate.
	Rates []string
}

func (b Broken) String() string {
	return b.Description + " (" + b.Formula + ", " + b.Source + ")" + strings.Join(b.Rates, "")
}

// Title returns the explanation as a sentence.
func (e Explanation) Title() string {
	if e.As == "" {
		return "No known wrong behaviour fits"
	}
	return Capital(e.As)
}

// DeviatingTrial is the deviating claims of one outcome.
type DeviatingTrial struct {
	Where
	Claims []DeviatingClaim
	// File is the path of the outcome's pod, timeline and node log in the run's folder.
	File string
}

// DeviatingClaim is one deviating claim.
type DeviatingClaim struct {
	// Text names the claim and its measurement.
	Text string
	// Computes is the window that the code computes, term by term. It is empty if a diagnosis fits the claim.
	Computes string
}

func (c DeviatingClaim) String() string { return c.Text }

// explanations groups the deviating claims of a run by explanation. A deviating outcome without a deviating claim has
// none; an edited run can have one.
func explanations(r run.Run) []Explanation {
	var all []Explanation
	var open, silent Explanation
	index := map[string]int{}
	for _, c := range ColumnsOf(r) {
		before := len(open.On)
		for _, o := range c.Outcomes {
			claims := slices.DeleteFunc(slices.Clone(FindingsOf(o)),
				func(f trial.Finding) bool { return f.Verdict != trial.Deviates })
			if len(claims) == 0 && o.Verdict == trial.Deviates {
				silent.add(DeviatingTrial{Where: where(o), Claims: []DeviatingClaim{{Text: ReasonOf(o)}}})
			}
			for _, f := range claims {
				claim := DeviatingClaim{Text: ClaimName(c.Subject, f) + ": " + f.Why}
				if f.Diagnosis == nil {
					claim.Computes = f.Implemented.Explain()
				}
				e := &open
				if f.Diagnosis != nil {
					as := AsIf(*f.Diagnosis)
					i := Place(index, as, &all, Explanation{As: as})
					e = &all[i]
				}
				file := run.DeviationsFolder + "/" + run.DeviationFile(o)
				e.add(DeviatingTrial{Where: where(o), Claims: []DeviatingClaim{claim}, File: file})
				e.should(f, c.rate(f.Formula))
			}
		}
		if len(open.On) > before {
			if text := lookAt(c, reach.Saved()); text != "" {
				open.LookAt = append(open.LookAt, text)
			}
		}
	}
	if open.On = append(open.On, silent.On...); len(open.On) > 0 {
		all = append(all, open)
	}
	return all
}

func (e *Explanation) should(f trial.Finding, rate string) {
	i := slices.IndexFunc(e.Should, func(b Broken) bool {
		return b.Formula == f.Formula && b.Description == f.Description && b.Source == f.Source
	})
	if i < 0 {
		i = len(e.Should)
		e.Should = append(e.Should, Broken{Formula: f.Formula, Description: f.Description, Source: f.Source})
	}
	if b := &e.Should[i]; rate != "" && !slices.Contains(b.Rates, rate) {
		b.Rates = append(b.Rates, rate)
	}
}

// rate returns how many claims of a formula deviate on the subject, or "" if all do.
func (b Column) rate(formula string) string {
	deviate, judged := 0, 0
	for _, o := range b.Outcomes {
		for _, f := range FindingsOf(o) {
			if f.Formula == formula && run.Conclusive(f.Verdict) {
				judged++
				if f.Verdict == trial.Deviates {
					deviate++
				}
			}
		}
	}
	if deviate == judged {
		return ""
	}
	return fmt.Sprintf("; %d of %d claims deviate on %s", deviate, judged, b.Name)
}

// ClaimTexts returns the measurement of each claim.
func (t DeviatingTrial) ClaimTexts() []string {
	var all []string
	for _, c := range t.Claims {
		all = append(all, c.Text)
	}
	return all
}

// add adds the claims of an outcome to those that the explanation already has for it.
func (e *Explanation) add(t DeviatingTrial) {
	if n := len(e.On); n > 0 && e.On[n-1].Where == t.Where {
		e.On[n-1].Claims = append(e.On[n-1].Claims, t.Claims...)
		return
	}
	e.On = append(e.On, t)
}

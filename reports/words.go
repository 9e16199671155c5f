package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// verdicts are the five, the best first: the order in which they are counted for the reader.
var verdicts = []trial.Verdict{trial.Conforms, trial.Divergent, trial.Unsupported, trial.Inconclusive, trial.Deviates}

// block is the outcomes of one subject, areas together, otherwise in the run's order.
type block struct {
	subject  Subject
	outcomes []Outcome
}

// blocks groups a run's outcomes by subject, in the order of its subjects. A subject that only an outcome
// names comes last: what was measured must not get lost in a report.
func (r Run) blocks() []block {
	var blocks []block
	index := map[string]int{}
	for _, s := range r.Subjects {
		index[s.Name] = len(blocks)
		blocks = append(blocks, block{subject: s})
	}
	for _, o := range r.Outcomes {
		i, known := index[o.Subject]
		if !known {
			i = len(blocks)
			index[o.Subject] = i
			blocks = append(blocks, block{subject: Subject{Name: o.Subject}})
		}
		blocks[i].outcomes = append(blocks[i].outcomes, o)
	}
	for i := range blocks {
		blocks[i].outcomes = byArea(blocks[i].outcomes)
	}
	return blocks
}

// title names the block's subject, with a mark where the formulas are applied outside the releases whose
// sources were read.
func (b block) title() string {
	if b.extrapolated() {
		return b.subject.Name + " (extrapolated)"
	}
	return b.subject.Name
}

// extrapolated says whether the subject, or the kubelet of one of its attempts, is outside the releases
// that the formulas are known to hold for.
func (b block) extrapolated() bool {
	if k := b.subject.Kubelet; k.Valid() && k.Extrapolated() {
		return true
	}
	return slices.ContainsFunc(
		b.outcomes,
		func(o Outcome) bool { return o.Last() != nil && o.Last().Result.Extrapolated },
	)
}

// areas splits the block by area.
func (b block) areas() []block {
	var parts []block
	for _, o := range b.outcomes {
		if n := len(parts); n == 0 || area(parts[n-1].outcomes[0]) != area(o) {
			parts = append(parts, block{subject: b.subject})
		}
		last := &parts[len(parts)-1]
		last.outcomes = append(last.outcomes, o)
	}
	return parts
}

// byArea brings outcomes of one area together, areas in the order of their first outcome.
func byArea(outcomes []Outcome) []Outcome {
	var areas []string
	grouped := map[string][]Outcome{}
	for _, o := range outcomes {
		if _, seen := grouped[area(o)]; !seen {
			areas = append(areas, area(o))
		}
		grouped[area(o)] = append(grouped[area(o)], o)
	}
	var sorted []Outcome
	for _, area := range areas {
		sorted = append(sorted, grouped[area]...)
	}
	return sorted
}

// area is the first part of the trial's ID.
func area(o Outcome) string { return trial.Trial{ID: o.Trial}.Area() }

// findings are those of the last attempt.
func findings(o Outcome) []trial.Finding {
	if last := o.Last(); last != nil {
		return last.Result.Findings
	}
	return nil
}

// reason says in one line why the outcome has its verdict; empty for one that conforms.
func reason(o Outcome) string {
	if o.Why != "" {
		return o.Why
	}
	if last := o.Last(); last != nil && o.Verdict == trial.Inconclusive && len(last.Result.Doubts) > 0 {
		return strings.Join(last.Result.Doubts, "; ")
	}
	var parts []string
	for _, f := range findings(o) {
		if f.Verdict == o.Verdict && f.Why != "" {
			parts = append(parts, because(f))
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case o.Verdict != trial.Conforms && o.Verdict != trial.Divergent:
		return "the run does not say why"
	}
	return ""
}

// because says why one claim has its verdict, and which rival explains it.
func because(f trial.Finding) string {
	s := f.Claim + ": " + f.Why
	if f.Diagnosis != nil {
		s += "; " + asIf(*f.Diagnosis)
	}
	return s
}

// asIf is a diagnosis in words.
func asIf(d trial.Diagnosis) string { return fmt.Sprintf("as if %s: %s", d.Name, d.Reference) }

// wouldBe says what a diagnosis would measure.
func wouldBe(d trial.Diagnosis) string {
	if d.Never {
		return "which would never come"
	}
	return "which would be " + d.Would.String()
}

// measured is a finding's measured value, "never" when it did not come.
func measured(f trial.Finding) string {
	if f.Measured == nil {
		return "never"
	}
	return value(f.Measured.Unit, f.Measured.Value)
}

// value writes a number with its unit: seconds to the millisecond, or a whole number.
func value(u formula.Unit, v int64) string {
	if u == formula.Nanoseconds {
		return number(u, v) + " s"
	}
	return number(u, v)
}

// number is value without the unit. It rounds first, so that what is nothing to the millisecond never reads "-0.000".
func number(u formula.Unit, v int64) string {
	if u == formula.Nanoseconds {
		return fmt.Sprintf("%.3f", time.Duration(v).Round(time.Millisecond).Seconds())
	}
	return fmt.Sprint(v)
}

// span is a window as it stands in a table: "4.900 to 5.500 s", or one number.
func span(w formula.Window) string {
	if w.Earliest == w.Latest {
		return value(w.Unit, w.Latest)
	}
	return number(w.Unit, w.Earliest) + " to " + value(w.Unit, w.Latest)
}

// documented is the documentation's window, a dash where it states no number.
func documented(f trial.Finding) string {
	if f.Documented == nil {
		return "-"
	}
	return span(*f.Documented)
}

// tally counts verdicts in one sentence. What fails a run is named though there be none of it.
func tally(outcomes []Outcome) string {
	counts := Run{Outcomes: outcomes}
	var parts []string
	for _, v := range verdicts {
		n := counts.Count(v)
		if n > 0 || v == trial.Conforms || v == trial.Inconclusive || v == trial.Deviates {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return plural(len(outcomes), "verdict") + ": " + strings.Join(parts, ", ")
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

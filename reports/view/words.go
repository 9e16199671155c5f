package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Capital returns the text with a capital first letter.
func Capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Reported is the version that the subject's kubelet reports, with the subject's mutation. A mutation of the
// API server does not change the kubelet's version. If the run has no version, it is the subject's name.
func Reported(s run.Subject) string {
	version := cmp.Or(s.Reported, s.Kubelet.Version, s.Name)
	if s.Mutation == "" {
		return version
	}
	return strings.TrimSuffix(version, "+"+s.Mutation) + "+" + s.Mutation
}

// MadeBy describes the program and the machine of a run.
func MadeBy(podclock string, cpus int, profile string) string {
	made := fmt.Sprintf("podclock %s, %d CPUs", podclock, cpus)
	if profile != "" {
		made += ", profile " + profile
	}
	return made
}

// Code marks a text without backticks as code for Markdown.
func Code(s string) string { return "`" + s + "`" }

// OneLine returns a text in one line of at most so many bytes.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// OfHundred formats a share as a percentage.
func OfHundred(share float64) Number { return Number(fmt.Sprintf("%.2f %%", 100*share)) }

// RatioOf returns n over of as a share from 0 to 1, and 0 if of is 0.
func RatioOf(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// Extrapolation explains the mark after a subject's name.
const Extrapolation = "Extrapolated: nobody read the sources of this release for a rule that a verdict depends on " +
	"(docs/versions.md)."

// Extrapolated reports whether a verdict depends on a rule that nobody read in the sources of the subject's release.
func Extrapolated(r run.Run) bool { return slices.ContainsFunc(ColumnsOf(r), Column.Extrapolated) }

// FormatDuration rounds a duration to a tenth of a second.
func FormatDuration(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

// Listed names the first few of a list, and counts the rest.
func Listed(names []string) string { return listed(names, ", ") }

func listed(names []string, separator string) string {
	if rest := len(names) - mostNames; rest > 0 {
		names = append(slices.Clone(names[:mostNames]), fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(names, separator)
}

// mostNames limits the names of trials in a list.
const mostNames = 6

// Verdicts returns the five verdicts, the best first. Reports count them in this order.
func Verdicts() []trial.Verdict {
	return []trial.Verdict{trial.Conforms, trial.Divergent, trial.Unsupported, trial.Inconclusive, trial.Deviates}
}

// Column is one subject of a run with its outcomes, either grouped by area or in the run's order.
type Column struct {
	run.Subject
	Outcomes []run.Outcome
}

// Virtual reports whether the subject ran in the virtual lane.
func (c Column) Virtual() bool { return c.RanIn() == run.VirtualLane }

// Count returns the number of the subject's outcomes with a verdict.
func (c Column) Count(v trial.Verdict) int { return run.Run{Outcomes: c.Outcomes}.Count(v) }

// ColumnsOf groups a run's outcomes by subject, in the order of its subjects. Subjects that only an outcome
// names come last, so that no measurement is lost.
func ColumnsOf(r run.Run) []Column {
	var blocks []Column
	index := map[string]int{}
	for _, s := range r.Subjects {
		index[s.Name] = len(blocks)
		blocks = append(blocks, Column{Subject: s})
	}
	for _, o := range r.Outcomes {
		i := Place(index, o.Subject, &blocks, Column{Subject: run.Subject{Name: o.Subject}})
		blocks[i].Outcomes = append(blocks[i].Outcomes, o)
	}
	for i := range blocks {
		blocks[i].Outcomes = ByArea(blocks[i].Outcomes)
	}
	return blocks
}

// Title names the subject, and marks it if a verdict is extrapolated.
func (b Column) Title() string {
	if b.Extrapolated() {
		return b.Name + " (extrapolated)"
	}
	return b.Name
}

// Extrapolated reports whether a verdict of the subject is extrapolated.
func (b Column) Extrapolated() bool {
	return slices.ContainsFunc(b.Outcomes,
		func(o run.Outcome) bool { return o.Last() != nil && o.Last().Result.Extrapolated })
}

// Areas splits the column by area.
func (b Column) Areas() []Column {
	var parts []Column
	for _, o := range b.Outcomes {
		if n := len(parts); n == 0 || AreaOf(parts[n-1].Outcomes[0]) != AreaOf(o) {
			parts = append(parts, Column{Subject: b.Subject})
		}
		last := &parts[len(parts)-1]
		last.Outcomes = append(last.Outcomes, o)
	}
	return parts
}

// ByArea groups outcomes by area, in the order of each area's first outcome.
func ByArea(outcomes []run.Outcome) []run.Outcome {
	first := map[string]int{}
	for i, o := range slices.Backward(outcomes) {
		first[AreaOf(o)] = i
	}
	return slices.SortedStableFunc(slices.Values(outcomes),
		func(x, y run.Outcome) int { return first[AreaOf(x)] - first[AreaOf(y)] })
}

// AreaOf returns the first part of the trial's ID.
func AreaOf(o run.Outcome) string { return trial.Trial{ID: o.Trial}.Area() }

// FindingsOf returns the findings of the last attempt.
func FindingsOf(o run.Outcome) []trial.Finding {
	if last := o.Last(); last != nil {
		return last.Result.Findings
	}
	return nil
}

// ReasonOf returns the reason of the outcome's verdict in one line, "" if it needs none.
func ReasonOf(o run.Outcome) string {
	if o.Why != "" {
		return o.Why
	}
	if last := o.Last(); last != nil && o.Verdict == trial.Inconclusive && len(last.Result.Doubts) > 0 {
		return strings.Join(last.Result.Doubts, "; ")
	}
	var parts []string
	as := "" // the diagnosis of the claims so far, said once
	for _, f := range FindingsOf(o) {
		if f.Verdict != o.Verdict || f.Why == "" {
			continue
		}
		if n := len(parts); n > 0 && parts[n-1] == as && f.Diagnosis != nil && AsIf(*f.Diagnosis) == as {
			parts = parts[:n-1]
		}
		parts = append(parts, f.Claim+": "+f.Why)
		if f.Diagnosis != nil {
			as = AsIf(*f.Diagnosis)
			parts = append(parts, as)
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case o.Verdict != trial.Conforms && o.Verdict != trial.Divergent:
		return "no reason was saved"
	}
	return ""
}

// AsIf returns a diagnosis in words.
func AsIf(d trial.Diagnosis) string { return fmt.Sprintf("as if %s: %s", d.Name, d.Reference) }

// WouldBe returns what a diagnosis would measure.
func WouldBe(d trial.Diagnosis) string {
	switch {
	case d.Never:
		return "which would never come"
	case d.Would.Unit == "":
		return "from which this may follow"
	}
	return "which would be " + d.Would.String()
}

// FormatMeasured formats a finding's measured value. It is "never" if the value did not come.
func FormatMeasured(f trial.Finding) string {
	if f.Measured == nil {
		return "never"
	}
	return FormatValue(f.Measured.Unit, f.Measured.Value)
}

// FormatValue formats a number with its unit: seconds with three decimals, or a whole number.
func FormatValue(u formula.Unit, v int64) string {
	if u == formula.Nanoseconds {
		return FormatNumber(u, v) + " s"
	}
	return u.Format(v)
}

// FormatNumber is FormatValue without the unit. It rounds first, which avoids "-0.000".
func FormatNumber(u formula.Unit, v int64) string { return decimal(u, v, exact) }

// FormatWindow formats a window for a table: "4.900 to 5.500 s", or one number.
func FormatWindow(w formula.Window) string {
	if w.Earliest == w.Latest {
		return FormatValue(w.Unit, w.Latest)
	}
	return FormatNumber(w.Unit, w.Earliest) + " to " + FormatValue(w.Unit, w.Latest)
}

// FormatDocumented formats the documentation's window, a dash if there is none.
func FormatDocumented(f trial.Finding) string {
	if f.Documented == nil {
		return "-"
	}
	return FormatWindow(*f.Documented)
}

// Tally counts verdicts in one sentence. It names conforms, inconclusive and deviates even if there are none.
func Tally(outcomes []run.Outcome) string {
	counts := map[trial.Verdict]int{}
	for _, o := range outcomes {
		counts[o.Verdict]++
	}
	return run.Plural(len(outcomes), "verdict") + ": " +
		strings.Join(Counts(counts, trial.Conforms, trial.Inconclusive, trial.Deviates), ", ")
}

// Counts returns the numbers of verdicts in words, such as "3 conforms". A verdict without any is left out, unless it
// is one of always.
func Counts(verdicts map[trial.Verdict]int, always ...trial.Verdict) []string {
	var parts []string
	for _, v := range Verdicts() {
		if n := verdicts[v]; n > 0 || slices.Contains(always, v) {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return parts
}

// ran returns the subjects that have outcomes.
func ran(r run.Run) []Column {
	return slices.DeleteFunc(ColumnsOf(r), func(c Column) bool { return len(c.Outcomes) == 0 })
}

// Names returns the names of the subjects.
func Names(columns []Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}

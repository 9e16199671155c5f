package mutants

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// longestSelection limits a list of mutants in a sentence, in columns.
const longestSelection = 200

// Counted returns the number of each result in one sentence. It counts the mutants of the score only.
func Counted(f mutationtest.Figures) string {
	parts := []string{f.ScoreText()}
	for _, other := range []struct {
		n    int
		word mutationtest.Status
	}{{f.Survived, mutationtest.Survived}, {f.Undecided, mutationtest.Undecided}, {f.Failed, mutationtest.Failed}} {
		if other.n > 0 || other.word == mutationtest.Survived {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.word))
		}
	}
	return strings.Join(parts, ", ")
}

// reach returns how much of the catalogue of mutations was killed in any lane.
func reach(p mutationtest.Report) []string {
	killed := namesOf(p, func(m mutationtest.Mutant) bool { return m.Verdict == mutationtest.Killed })
	tried := namesOf(p, func(mutationtest.Mutant) bool { return true })
	whole := max(p.Catalogue, len(tried)) // an older report does not have the catalogue's size
	share := ""
	if whole > 0 {
		share = fmt.Sprintf(" (%s)", mutationtest.ScorePercent(mutationtest.ScoreOf(len(killed), whole)))
	}
	lines := []string{
		fmt.Sprintf("Killed in at least one lane: %d of %d of the catalogue's mutants of %s that can be seen%s.",
			len(killed), whole, p.Version, share),
	}
	if chosen := p.Environment.Settings["MUTANTS"]; chosen != "" {
		lines = append(lines, fmt.Sprintf("This report is about a selection, MUTANTS=%s: %d of the %d.",
			text.Snip(chosen, longestSelection, "…"), len(tried), whole))
	}
	return lines
}

// namesOf returns the mutants that count and fit in any lane, each once.
func namesOf(p mutationtest.Report, fits func(mutationtest.Mutant) bool) (names []string) {
	for _, l := range p.Lanes {
		for _, m := range l.Mutants {
			if m.Counts() && fits(m) {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// headline describes the lane in a few sentences.
func headline(l mutationtest.LaneReport) []string {
	lines := append([]string{Counted(l.Figures()) + "."}, compared(l)...)
	lines = append(lines, view.Capital(referenceResults(l))+".", view.Capital(cost(l))+".")
	lines = append(append(lines, formulas(l)...), uncounted(l)...)
	return append(append(lines, problems(l.Problems)...), l.Notes...)
}

// compared returns the score by comparison, and whether the reference's own traces are the same in each run.
func compared(l mutationtest.LaneReport) (lines []string) {
	f := l.Figures()
	if f.Compared == 0 {
		return nil
	}
	lines = []string{"By comparison of traces, without formulas and windows, " + f.DifferentText() + "."}
	for _, r := range l.References {
		if c := r.Comparison; c != nil && c.Different == 0 {
			lines = append(lines,
				fmt.Sprintf("The reference has the same traces again, in %s.", run.Plural(c.Trials, "trial")))
		}
	}
	for _, r := range l.Unsteady() {
		lines = append(lines, fmt.Sprintf("Problem: %d of %s of %s differ from the reference's own: %s.",
			r.Comparison.Different, run.Plural(r.Comparison.Trials, "trace"), r.Subject, r.Comparison.First))
	}
	return lines
}

// differs returns what the comparison of a mutant's traces shows, "" without one.
func differs(m mutationtest.Mutant) string {
	switch c := m.Comparison; {
	case c == nil:
		return ""
	case c.Different == 0:
		return fmt.Sprintf("its traces are the reference's in %s", run.Plural(c.Trials, "trial"))
	default:
		return fmt.Sprintf("its traces differ in %d of %s: %s", c.Different, run.Plural(c.Trials, "trial"), c.First)
	}
}

// referenceResults returns the results of the references in words.
func referenceResults(l mutationtest.LaneReport) string {
	f, trials, claims, unsupported := l.Figures(), 0, 0, 0
	for _, c := range l.References {
		trials, claims, unsupported = trials+c.Trials, claims+c.Claims, unsupported+c.Unsupported
	}
	if len(l.References) == 0 {
		return "no reference"
	}
	open := "all trials were judged"
	if f.Unjudged > 0 {
		open = run.Plural(f.Unjudged, "trial") + " could not be judged on some reference"
	}
	if unsupported > 0 {
		open += fmt.Sprintf(", %d unsupported", unsupported)
	}
	return fmt.Sprintf("%s on %s (%s with %s judged); %s", run.Plural(f.FalseAlarms, "false alarm"),
		run.Plural(len(l.References), "reference"), run.Plural(trials, "trial"), run.Plural(claims, "claim"), open)
}

// cost returns in words how long the lane took.
func cost(l mutationtest.LaneReport) string {
	f := l.Figures()
	if f.Most == 0 {
		return "no mutant was tested"
	}
	by := fmt.Sprintf("by itself %s on average, at most %s (%s)", FormatDuration(f.Mean), FormatDuration(f.Most),
		f.Dearest)
	if f.Wall == 0 {
		return "not ended; a mutant took " + by
	}
	return fmt.Sprintf("%s in all; one more mutant took %s, %s", FormatDuration(f.Wall), FormatDuration(f.Each), by)
}

// FormatDuration formats a wall-clock time in whole seconds.
func FormatDuration(d time.Duration) string { return d.Round(time.Second).String() }

// formulas returns which formulas and diagnoses killed mutants.
func formulas(l mutationtest.LaneReport) (lines []string) {
	f := l.Figures()
	if f.Killed == 0 {
		return nil
	}
	lines = []string{fmt.Sprintf(
		"Of %d killed, %d were by the formula that they break, and %d by two trials or more (%s).", f.Killed, f.Own,
		f.Twice, mutationtest.ScorePercent(mutationtest.ScoreOf(f.Twice, f.Killed)))}
	if f.Diagnoses > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d diagnoses of trials are right (precision %s).",
			f.Right, f.Diagnoses, mutationtest.ScorePercent(mutationtest.ScoreOf(f.Right, f.Diagnoses))))
	}
	if f.Known > 0 {
		lines = append(lines, fmt.Sprintf(
			"%d of those killed do what a known mistake or a report describes; the diagnosis of %d is right (recall %s).",
			f.Known, f.Diagnosed, mutationtest.ScorePercent(mutationtest.ScoreOf(f.Diagnosed, f.Known))))
	}
	return lines
}

// fuzzed returns what random scenarios found.
func fuzzed(s mutationtest.Fuzz) string {
	switch {
	case s.Problem != "":
		return "random scenarios could not run: " + s.Problem
	case len(s.Violations) == 0:
		return run.Plural(s.Scenarios, "random scenario") + " found no violation"
	}
	return fmt.Sprintf("%s found what no trial shows, so a trial is missing: %s",
		run.Plural(s.Scenarios, "random scenario"), strings.Join(s.Violations, "; "))
}

// uncounted returns what is not part of the score, and whether the catalogue of mutations is wrong about it.
func uncounted(l mutationtest.LaneReport) (lines []string) {
	if f := l.Figures(); f.Equivalent > 0 {
		seen := "none of them was killed"
		if killed := len(Mutants(l, true, mutationtest.Killed)); killed > 0 {
			seen = fmt.Sprintf("%s killed, so the catalogue's reason is wrong", mutationtest.Are(killed, "mutant"))
		}
		lines = append(lines,
			fmt.Sprintf("%s beside them do not count, because no observer outside the process can see them: %s.",
				run.Plural(f.Equivalent, "mutant"), seen))
	}
	for _, m := range l.Mutants {
		if m.Misclassified() && m.Counts() {
			lines = append(lines,
				m.Name+" was killed, but the catalogue says that no trial measures what it breaks: remove that reason.")
		}
	}
	return append(lines, elsewhere(l)...)
}

// elsewhere returns, for each reason, how many mutants the lane cannot have.
func elsewhere(l mutationtest.LaneReport) (lines []string) {
	var reasons []string
	names := map[string][]string{}
	for _, left := range l.LeftOut {
		if len(names[left.Why]) == 0 {
			reasons = append(reasons, left.Why)
		}
		names[left.Why] = append(names[left.Why], left.Name)
	}
	for _, why := range reasons {
		lines = append(lines, fmt.Sprintf("Not in this lane and its score: %s, because %s (%s).",
			run.Plural(len(names[why]), "mutant"), why,
			text.Snip(strings.Join(names[why], ", "), longestSelection, "…")))
	}
	return lines
}

// By returns how many trials killed a mutant, and whether a claim of one measures the formula that it breaks.
func By(m mutationtest.Mutant) string {
	if len(m.Kills) == 0 {
		return ""
	}
	s := run.Plural(m.KilledBy(), "trial")
	switch {
	case m.Formula == "":
		return s
	case m.Own():
		return s + ", its own formula"
	}
	return s + ", not its own formula"
}

// Measured returns the value on the mutant, for a count with that of the reference. Times differ between runs,
// so it does not compare them.
func Measured(c mutationtest.Kill) string {
	text := "never"
	if c.Measured != nil {
		text = view.FormatValue(c.Window.Unit, *c.Measured)
	}
	if c.Usual != nil && c.Window.Unit != formula.Nanoseconds {
		text += fmt.Sprintf(" (usually %s)", view.FormatValue(c.Window.Unit, *c.Usual))
	}
	return text
}

// fixes reports whether the value is as documented and the reference's is not. Older reports have the
// verdict only.
func fixes(c mutationtest.Kill) bool { return c.Repaired || c.Verdict == trial.Conforms }

// window returns the window that the value is outside of. For a fix, it is the documented one, which the value
// is inside of.
func window(c mutationtest.Kill) string {
	if fixes(c) {
		return view.FormatWindow(c.Window) + " documented"
	}
	return view.FormatWindow(c.Window)
}

// Allowed returns the same window for a sentence.
func Allowed(c mutationtest.Kill) string {
	if fixes(c) {
		return "documented " + view.FormatWindow(c.Window)
	}
	return "allowed " + view.FormatWindow(c.Window)
}

// Outside returns how far outside its window the value is.
func Outside(c mutationtest.Kill) string {
	switch {
	case c.Measured == nil:
		return "never came"
	case fixes(c):
		return "inside; the reference is " + miss(c)
	case mutationtest.Vacuous(c.Window):
		return "the window is empty"
	}
	return miss(c)
}

func miss(c mutationtest.Kill) string {
	side := "above"
	if c.Miss < 0 {
		side = "below"
	}
	text := view.FormatValue(c.Window.Unit, max(c.Miss, -c.Miss)) + " " + side
	switch n := c.Widths(); {
	case c.Window.Latest == c.Window.Earliest:
		return text
	case n >= 10:
		return fmt.Sprintf("%s, %.0f widths", text, math.Round(n))
	default:
		return fmt.Sprintf("%s, %.1f widths", text, n)
	}
}

// Called returns a mutant's diagnosis, with its trial if that is not the clearest. It is "" if no trial has
// one.
func Called(m mutationtest.Mutant) string {
	i := m.Diagnosed()
	switch {
	case i < 0:
		return ""
	case i == 0:
		return view.AsIf(*m.Kills[i].Diagnosis)
	}
	return fmt.Sprintf("%s (by %s)", view.AsIf(*m.Kills[i].Diagnosis), m.Kills[i].Trial)
}

// Mutants returns the mutants of the score that have one of the results. If unseen is true, it returns those
// outside the score.
func Mutants(l mutationtest.LaneReport, unseen bool, results ...mutationtest.Status) []mutationtest.Mutant {
	return slices.DeleteFunc(slices.Clone(l.Mutants), func(m mutationtest.Mutant) bool {
		return m.Counts() == unseen || !slices.Contains(results, m.Verdict)
	})
}

func problems(all []string) []string {
	var lines []string
	for _, problem := range all {
		lines = append(lines, "Problem: "+problem)
	}
	return lines
}

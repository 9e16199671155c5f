// Package sensitivity arranges a sensitivity report for its readers, as package view does for a run. It knows
// no renderer and runs nothing.
package sensitivity

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Counted says in one sentence what came of the mutants that count.
func Counted(f detection.Figures) string {
	parts := []string{f.ScoreText()}
	for _, other := range []struct {
		n    int
		word detection.Detection
	}{{f.Survived, detection.Survived}, {f.Undecided, detection.Undecided}, {f.Failed, detection.Failed}} {
		if other.n > 0 || other.word == detection.Survived {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.word))
		}
	}
	return strings.Join(parts, ", ")
}

// ReferenceResults says what the controls say.
func ReferenceResults(l detection.LaneReport) string {
	f, trials, claims, unsupported := l.Figures(), 0, 0, 0
	for _, c := range l.References {
		trials, claims, unsupported = trials+c.Trials, claims+c.Claims, unsupported+c.Unsupported
	}
	if len(l.References) == 0 {
		return "no control"
	}
	open := "none was left unjudged"
	if f.Unjudged > 0 {
		open = fmt.Sprintf("%s could not be judged on some control", run.Plural(f.Unjudged, "trial"))
	}
	if unsupported > 0 {
		open += fmt.Sprintf(", %d unsupported", unsupported)
	}
	return fmt.Sprintf(
		"%s on %s (%s with %s judged); %s",
		run.Plural(f.FalseAlarms, "false alarm"),
		run.Plural(len(l.References), "clean control"),
		run.Plural(trials, "trial"),
		run.Plural(claims, "claim"),
		open,
	)
}

// cost says what the lane took.
func cost(l detection.LaneReport) string {
	f := l.Figures()
	if f.Most == 0 {
		return "nothing was put under test"
	}
	by := fmt.Sprintf("by itself %s on average, at most %s (%s)", FormatDuration(f.Mean), FormatDuration(f.Most), f.Dearest)
	if f.Wall == 0 {
		return "not at its end; a mutant took " + by
	}
	return fmt.Sprintf("%s; one more mutant took %s, %s", FormatDuration(f.Wall), FormatDuration(f.Each), by)
}

// FormatDuration writes a duration on a clock on the wall, of which parts of a second say nothing.
func FormatDuration(d time.Duration) string { return d.Round(time.Second).String() }

// Headline is the lane in a few sentences, for those who read nothing else.
func Headline(l detection.LaneReport, version string) []string {
	lines := []string{
		fmt.Sprintf("%s lane, %s: %s.", l.Lane, version, Counted(l.Figures())),
		view.Capital(ReferenceResults(l)) + ".",
		view.Capital(cost(l)) + ".",
	}
	lines = append(append(lines, Diagnosed(l)...), uncounted(l)...)
	for _, problem := range l.Problems {
		lines = append(lines, "Problem: "+problem)
	}
	return append(lines, l.Notes...)
}

// Diagnosed says what the trials say of those that were caught.
func Diagnosed(l detection.LaneReport) (lines []string) {
	f := l.Figures()
	if f.Caught == 0 {
		return nil
	}
	lines = []string{fmt.Sprintf("Of %d caught, %d were by the formula that they break.", f.Caught, f.Own)}
	if f.Known > 0 {
		lines = append(
			lines,
			fmt.Sprintf(
				"Of %d caught that put back, or mend, a bug that was reported, the report calls %d by that name.",
				f.Known,
				f.Named,
			),
		)
	}
	if f.Alike > 0 {
		lines = append(
			lines,
			fmt.Sprintf("For %d others of those caught, what a trial measured fits another known behaviour.", f.Alike),
		)
	}
	return lines
}

// uncounted says what the score is not about, and where the catalogue of mutations is wrong about that.
func uncounted(l detection.LaneReport) (lines []string) {
	if f := l.Figures(); f.Unseen > 0 {
		seen := "none of them was caught"
		if caught := len(Mutants(l, true, detection.Caught)); caught > 0 {
			seen = fmt.Sprintf("%s, so their reasons are wrong", detection.Are(caught, "of them"))
		}
		lines = append(
			lines,
			fmt.Sprintf(
				"%s beside them count for nothing, as nobody outside the process could see them: %s.",
				run.Plural(f.Unseen, "mutant"),
				seen,
			),
		)
	}
	for _, m := range Misfiled(l) {
		if m.Counts() {
			lines = append(
				lines,
				fmt.Sprintf(
					"%s was caught, though no trial should measure what it breaks: take that reason away.",
					m.Name,
				),
			)
		}
	}
	return append(lines, Elsewhere(l)...)
}

// Mutants are the mutants that count and came out so, or those that do not count where unseen is set.
func Mutants(l detection.LaneReport, unseen bool, came ...detection.Detection) []detection.Mutant {
	return slices.DeleteFunc(
		slices.Clone(l.Mutants),
		func(m detection.Mutant) bool { return m.Counts() == unseen || !slices.Contains(came, m.Verdict) },
	)
}

// Misfiled are the mutants that were caught though the catalogue of mutations says that they can't be.
func Misfiled(l detection.LaneReport) []detection.Mutant {
	return slices.DeleteFunc(slices.Clone(l.Mutants), func(m detection.Mutant) bool { return !m.Misfiled() })
}

// By says which trials caught a mutant: how many, and whether one of them measures what the mutation breaks.
func By(m detection.Mutant) string {
	if len(m.Catches) == 0 {
		return "-"
	}
	claims := 0
	for _, c := range m.Catches {
		claims += c.Claims
	}
	s := fmt.Sprintf("%s, %s", run.Plural(len(m.Catches), "trial"), run.Plural(claims, "claim"))
	switch {
	case m.Formula == "":
		return s
	case m.Own():
		return s + ", its own formula"
	}
	return s + ", not its own formula"
}

// Measured is what was measured, and of a count what is usual: times that depend on when something else
// happened differ from run to run, as do their windows.
func Measured(c detection.Catch) string {
	text := "never"
	if c.Measured != nil {
		text = view.FormatValue(c.Window.Unit, *c.Measured)
	}
	if c.Usual != nil && c.Window.Unit != formula.Nanoseconds {
		text += fmt.Sprintf(" (usually %s)", view.FormatValue(c.Window.Unit, *c.Usual))
	}
	return text
}

// mends says that the value is as documented and the control's is not. Older proofs say so only by the verdict.
func mends(c detection.Catch) bool { return c.Mended || c.Verdict == trial.Conforms }

// Allowed is the window that the value is outside of, or that a mutant which mends is inside of.
func Allowed(c detection.Catch) string {
	if mends(c) {
		return view.FormatWindow(c.Window) + " documented"
	}
	return view.FormatWindow(c.Window)
}

// AllowedInSentence is the same in a sentence.
func AllowedInSentence(c detection.Catch) string {
	if mends(c) {
		return "documented " + view.FormatWindow(c.Window)
	}
	return "allowed " + view.FormatWindow(c.Window)
}

// Outside says how far outside its window the value is.
func Outside(c detection.Catch) string {
	switch {
	case c.Measured == nil:
		return "never came"
	case mends(c):
		return "inside; the released code is " + miss(c)
	case detection.Vacuous(c.Window):
		return "the window is empty"
	}
	return miss(c)
}

func miss(c detection.Catch) string {
	side := "above"
	if c.Miss < 0 {
		side = "below"
	}
	text := view.FormatValue(c.Window.Unit, max(c.Miss, -c.Miss)) + " " + side
	if c.Window.Latest == c.Window.Earliest {
		return text
	}
	return fmt.Sprintf("%s, %s", text, widths(c.Widths()))
}

// widths says how many widths of a window that is.
func widths(n float64) string {
	if n >= 10 {
		return fmt.Sprintf("%.0f widths", math.Round(n))
	}
	return fmt.Sprintf("%.1f widths", n)
}

// Called is what a mutant's diagnosis says, and by which trial where that is not the clearest; a dash where
// there is none.
func Called(m detection.Mutant) string {
	i := m.Diagnosed()
	switch {
	case i < 0:
		return "-"
	case i == 0:
		return view.AsIf(*m.Catches[i].Diagnosis)
	}
	return fmt.Sprintf("%s (by %s)", view.AsIf(*m.Catches[i].Diagnosis), m.Catches[i].Trial)
}

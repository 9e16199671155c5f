package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// counted says in one sentence what came of the mutants that count.
func (f ProofFigures) counted() string {
	parts := []string{f.score()}
	for _, other := range []struct {
		n    int
		word Detection
	}{{f.Survived, Survived}, {f.Undecided, Undecided}, {f.Failed, Failed}} {
		if other.n > 0 || other.word == Survived {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.word))
		}
	}
	return strings.Join(parts, ", ")
}

// silence says what the controls say.
func (l LaneProof) silence() string {
	f, trials, claims, unsupported := l.Figures(), 0, 0, 0
	for _, c := range l.Controls {
		trials, claims, unsupported = trials+c.Trials, claims+c.Claims, unsupported+c.Unsupported
	}
	if len(l.Controls) == 0 {
		return "no control"
	}
	open := "none was left unjudged"
	if f.Unjudged > 0 {
		open = fmt.Sprintf("%s could not be judged on some control", plural(f.Unjudged, "trial"))
	}
	if unsupported > 0 {
		open += fmt.Sprintf(", %d unsupported", unsupported)
	}
	return fmt.Sprintf(
		"%s on %s (%s with %s judged); %s",
		plural(f.FalseAlarms, "false alarm"),
		plural(len(l.Controls), "clean control"),
		plural(trials, "trial"),
		plural(claims, "claim"),
		open,
	)
}

// cost says what the lane took.
func (l LaneProof) cost() string {
	f := l.Figures()
	if f.Most == 0 {
		return "nothing was put under test"
	}
	by := fmt.Sprintf("by itself %s on average, at most %s (%s)", whole(f.Mean), whole(f.Most), f.Dearest)
	if f.Wall == 0 {
		return "not at its end; a mutant took " + by
	}
	return fmt.Sprintf("%s; one more mutant took %s, %s", whole(f.Wall), whole(f.Each), by)
}

// whole writes a duration on a clock on the wall, of which parts of a second say nothing.
func whole(d time.Duration) string { return d.Round(time.Second).String() }

// headline is the lane in a few sentences, for those who read nothing else.
func (l LaneProof) headline(version string) []string {
	lines := []string{
		fmt.Sprintf("%s lane, %s: %s.", l.Lane, version, l.Figures().counted()),
		capital(l.silence()) + ".",
		capital(l.cost()) + ".",
	}
	lines = append(append(lines, l.told()...), l.uncounted()...)
	for _, problem := range l.Problems {
		lines = append(lines, "Problem: "+problem)
	}
	return append(lines, l.Notes...)
}

// told says what the trials say of those that were caught.
func (l LaneProof) told() (lines []string) {
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
func (l LaneProof) uncounted() (lines []string) {
	if f := l.Figures(); f.Unseen > 0 {
		seen := "none of them was caught"
		if caught := len(l.of(true, Caught)); caught > 0 {
			seen = fmt.Sprintf("%s, so their reasons are wrong", are(caught, "of them"))
		}
		lines = append(
			lines,
			fmt.Sprintf(
				"%s beside them count for nothing, as nobody outside the process could see them: %s.",
				plural(f.Unseen, "mutant"),
				seen,
			),
		)
	}
	for _, m := range l.misfiled() {
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
	return append(lines, l.elsewhere()...)
}

// of are the mutants that count and came out so, or those that do not count where unseen is set.
func (l LaneProof) of(unseen bool, came ...Detection) []Mutant {
	return slices.DeleteFunc(
		slices.Clone(l.Mutants),
		func(m Mutant) bool { return m.Counts() == unseen || !slices.Contains(came, m.Verdict) },
	)
}

// misfiled are the mutants that were caught though the catalogue of mutations says that they can't be.
func (l LaneProof) misfiled() []Mutant {
	return slices.DeleteFunc(slices.Clone(l.Mutants), func(m Mutant) bool { return !m.Misfiled() })
}

// by says which trials caught a mutant: how many, and whether one of them measures what the mutation breaks.
func (m Mutant) by() string {
	if len(m.Catches) == 0 {
		return "-"
	}
	claims := 0
	for _, c := range m.Catches {
		claims += c.Claims
	}
	s := fmt.Sprintf("%s, %s", plural(len(m.Catches), "trial"), plural(claims, "claim"))
	switch {
	case m.Formula == "":
		return s
	case m.Own():
		return s + ", its own formula"
	}
	return s + ", not its own formula"
}

// told is what was measured, and of a count what is usual: times that depend on when something else
// happened differ from run to run, as do their windows.
func (c Catch) told() string {
	text := "never"
	if c.Measured != nil {
		text = value(c.Window.Unit, *c.Measured)
	}
	if c.Usual != nil && c.Window.Unit != formula.Nanoseconds {
		text += fmt.Sprintf(" (usually %s)", value(c.Window.Unit, *c.Usual))
	}
	return text
}

// mends says that the value is as documented and the control's is not. Older proofs say so only by the verdict.
func (c Catch) mends() bool { return c.Mended || c.Verdict == trial.Conforms }

// allowed is the window that the value is outside of, or that a mutant which mends is inside of.
func (c Catch) allowed() string {
	if c.mends() {
		return span(c.Window) + " documented"
	}
	return span(c.Window)
}

// due is the same in a sentence.
func (c Catch) due() string {
	if c.mends() {
		return "documented " + span(c.Window)
	}
	return "allowed " + span(c.Window)
}

// outside says how far outside its window the value is.
func (c Catch) outside() string {
	switch {
	case c.Measured == nil:
		return "never came"
	case c.mends():
		return "inside; the released code is " + c.miss()
	case Vacuous(c.Window):
		return "the window is empty"
	}
	return c.miss()
}

func (c Catch) miss() string {
	side := "above"
	if c.Miss < 0 {
		side = "below"
	}
	text := value(c.Window.Unit, max(c.Miss, -c.Miss)) + " " + side
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

// called is what a mutant's diagnosis says, and by which trial where that is not the clearest; a dash where
// there is none.
func (m Mutant) called() string {
	i := m.diagnosed()
	switch {
	case i < 0:
		return "-"
	case i == 0:
		return asIf(*m.Catches[i].Diagnosis)
	}
	return fmt.Sprintf("%s (by %s)", asIf(*m.Catches[i].Diagnosis), m.Catches[i].Trial)
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

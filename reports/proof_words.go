package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	f, trials, claims := l.Figures(), 0, 0
	for _, c := range l.Controls {
		trials, claims = trials+c.Trials, claims+c.Claims
	}
	if len(l.Controls) == 0 {
		return "no control"
	}
	return fmt.Sprintf("%s on %s (%s with %s judged)", plural(f.FalseAlarms, "false alarm"), plural(len(l.Controls), "clean control"),
		plural(trials, "trial"), plural(claims, "claim"))
}

// cost says what the lane took.
func (l LaneProof) cost() string {
	f := l.Figures()
	if f.Most == 0 {
		return "nothing was put under test"
	}
	by := fmt.Sprintf("by itself %s on average, at most %s (%s)", short(f.Mean), short(f.Most), f.Dearest)
	if f.Wall == 0 {
		return "not at its end; a mutant took " + by
	}
	return fmt.Sprintf("%s; one more mutant took %s, %s", short(f.Wall), short(f.Each), by)
}

// headline is the lane in a few sentences, for those who read nothing else.
func (l LaneProof) headline(version string) []string {
	f := l.Figures()
	lines := []string{fmt.Sprintf("%s lane, %s: %s.", l.Lane, version, f.counted()), capital(l.silence()) + ".", capital(l.cost()) + "."}
	if f.Caught > 0 {
		lines = append(lines, fmt.Sprintf("Of those caught, %d were by the formula that they break, and for %d the report names the known wrong behaviour.", f.Own, f.Diagnosed))
	}
	if f.Unseen > 0 {
		seen := "none of them was caught"
		if f.Misfiled > 0 {
			seen = fmt.Sprintf("%s, so their reasons are wrong", are(f.Misfiled, "of them"))
		}
		lines = append(lines, fmt.Sprintf("%s beside them count for nothing, as nobody outside the process could see them: %s.", plural(f.Unseen, "mutant"), seen))
	}
	for _, problem := range l.Problems {
		lines = append(lines, "Problem: "+problem)
	}
	return append(lines, l.Notes...)
}

// of are the mutants that count and came out so, or those that do not count where unseen is set.
func (l LaneProof) of(unseen bool, came ...Detection) []Mutant {
	return slices.DeleteFunc(slices.Clone(l.Mutants), func(m Mutant) bool { return m.Counts() == unseen || !slices.Contains(came, m.Verdict) })
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

// told is what was measured, and what is usual.
func (c Catch) told() string {
	text := "never"
	if c.Measured != nil {
		text = value(c.Window.Unit, *c.Measured)
	}
	if c.Usual != nil {
		text += fmt.Sprintf(" (usually %s)", value(c.Window.Unit, *c.Usual))
	}
	return text
}

// allowed is the window that the value is outside of, or that a mutant which mends is inside of.
func (c Catch) allowed() string {
	if c.Verdict == trial.Conforms {
		return span(c.Window) + " documented"
	}
	return span(c.Window)
}

// outside says how far outside its window the value is.
func (c Catch) outside() string {
	switch {
	case c.Measured == nil:
		return "never came"
	case c.Verdict == trial.Conforms:
		return "inside; usually " + c.miss() + " it"
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

// called is what a mutant's diagnosis says, a dash where there is none.
func (m Mutant) called() string {
	if d := m.Diagnosis(); d != nil {
		return asIf(*d)
	}
	return "-"
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

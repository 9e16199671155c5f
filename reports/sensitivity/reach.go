package sensitivity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/run"
)

// longestSelection is how much of a list of mutants a sentence bears.
const longestSelection = 200

// Reach says how much of the catalogue of mutations a proof is about: what was caught in any of its lanes,
// of all that could be.
func Reach(p detection.Report) []string {
	caught, tried := names(p,
		func(m detection.Mutant) bool { return m.Verdict == detection.Caught },
	), names(p,
		func(detection.Mutant) bool { return true },
	)
	whole := max(p.Catalogue, len(tried)) // an older proof does not say how many there are
	share := ""
	if whole > 0 {
		share = fmt.Sprintf(" (%s)", detection.ScorePercent(detection.ScoreOf(len(caught), whole)))
	}
	lines := []string{
		fmt.Sprintf(
			"Caught in at least one lane: %d of %d of the catalogue's mutants of %s that can be seen%s.",
			len(caught),
			whole,
			p.Version,
			share,
		),
	}
	if chosen := p.Environment.Settings["MUTANTS"]; chosen != "" {
		lines = append(
			lines,
			fmt.Sprintf(
				"This proof is of a selection, MUTANTS=%s: %d of the %d are in it.",
				text.Snip(chosen, longestSelection, "…"),
				len(tried),
				whole,
			),
		)
	}
	return lines
}

// names are the mutants that count and fit in any lane, each once.
func names(p detection.Report, fits func(detection.Mutant) bool) (names []string) {
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

// Elsewhere says, for each reason, how many mutants are not of this lane.
func Elsewhere(l detection.LaneReport) (lines []string) {
	var reasons []string
	names := map[string][]string{}
	for _, left := range l.LeftOut {
		if len(names[left.Why]) == 0 {
			reasons = append(reasons, left.Why)
		}
		names[left.Why] = append(names[left.Why], left.Name)
	}
	for _, why := range reasons {
		verb := "are"
		if len(names[why]) == 1 {
			verb = "is"
		}
		lines = append(
			lines,
			fmt.Sprintf(
				"%s %s not of this lane, and not of its score: %s (%s).",
				run.Plural(len(names[why]), "mutant"),
				verb,
				why,
				text.Snip(strings.Join(names[why], ", "), longestSelection, "…"),
			),
		)
	}
	return lines
}

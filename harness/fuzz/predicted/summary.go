package predicted

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/fuzz"
)

// Few is the number of scenarios from which on each has more than one step on average.
const Few = 25

// precise is the number of scenarios from which on the parts are judged.
const precise = 3 * fuzz.Many

// Lacks returns what the scenarios did not show, one sentence each.
func Lacks(s fuzz.Predicted, scenarios int) []string {
	if scenarios >= Few && s.Steps <= scenarios {
		return []string{fmt.Sprintf("only %d steps of %d scenarios were compared", s.Steps, scenarios)}
	}
	return nil
}

// Imprecise returns the formulas and answers that are too wide and not listed, and the reasons that are listed for
// nothing. It returns none of fewer than 900 scenarios.
func Imprecise(s fuzz.Predicted, scenarios int, version string) (wide, needless []string) {
	if scenarios < precise {
		return nil, nil
	}
	asked, needed := map[int]bool{}, map[int]bool{}
	for _, parts := range []map[string]*fuzz.Part{s.Formulas, s.Answers} {
		for what, of := range parts {
			i := listed(what, version)
			asked[i] = asked[i] || judged(of)
			needed[i] = needed[i] || isWide(of)
			if i < 0 && isWide(of) {
				wide = append(wide, what)
			}
		}
	}
	for i := range tooWide {
		if asked[i] && !needed[i] {
			needless = append(needless, tooWide[i].why)
		}
	}
	slices.Sort(wide)
	return wide, needless
}

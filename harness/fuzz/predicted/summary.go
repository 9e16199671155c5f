package predicted

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/fuzz"
)

// Summary is what was predicted and compared.
type Summary struct {
	// Asked counts the questions by cause, Steps and Values what was compared.
	Asked  map[string]int `json:"asked"`
	Steps  int            `json:"steps"`
	Values int            `json:"values"`
	// Formulas are parts by formula, Answers by cause and step.
	Formulas map[string]*Part `json:"formulas"`
	Answers  map[string]*Part `json:"answers"`
}

// Few is the number of scenarios from which on each has more than one step on average.
const Few = 25

// precise is the number of scenarios from which on the parts are judged.
const precise = 3 * fuzz.Many

// Lacks returns what the scenarios did not show, one sentence each.
func (s Summary) Lacks(scenarios int) []string {
	if scenarios >= Few && s.Steps <= scenarios {
		return []string{fmt.Sprintf("only %d steps of %d scenarios were compared", s.Steps, scenarios)}
	}
	return nil
}

// Imprecise returns the formulas and answers that are too wide and not listed, and the reasons that are listed for
// nothing. It returns none of fewer than 900 scenarios.
func (s Summary) Imprecise(scenarios int, version string) (wide, needless []string) {
	if scenarios < precise {
		return nil, nil
	}
	asked, needed := map[int]bool{}, map[int]bool{}
	for _, parts := range []map[string]*Part{s.Formulas, s.Answers} {
		for what, of := range parts {
			i := listed(what, version)
			asked[i] = asked[i] || of.judged()
			needed[i] = needed[i] || of.wide()
			if i < 0 && of.wide() {
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

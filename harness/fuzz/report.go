package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Report is the result of a campaign.
type Report struct {
	// Scenarios is the number of scenarios that ran, Claims the number of their claims.
	Scenarios int `json:"scenarios"`
	Claims    int `json:"claims"`
	// Virtual is the virtual time of all scenarios, Took the real time of the campaign, both in nanoseconds.
	Virtual  time.Duration         `json:"virtual"`
	Took     time.Duration         `json:"took"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Tags is the number of scenarios with each tag.
	Tags map[string]int `json:"tags"`
	// Violations are the smallest violations found, by kind.
	Violations map[string]*Violation `json:"violations"`
}

// Kinds returns the kinds of the violations in order.
func (r Report) Kinds() []string { return slices.Sorted(maps.Keys(r.Violations)) }

// Many is the number of scenarios that show all causes.
const Many = 300

// Lacks returns what a campaign of this many scenarios did not show, one sentence each. A campaign that ended early
// because it found enough kinds of violations may have run fewer scenarios. Fewer than [Many] scenarios need not show
// every cause.
func (r Report) Lacks(scenarios, kinds int) []string {
	var all []string
	if ended := kinds > 0 && len(r.Violations) >= kinds; !ended && r.Scenarios != scenarios {
		all = append(all, fmt.Sprintf("%d scenarios ran instead of %d", r.Scenarios, scenarios))
	}
	if r.Scenarios < Many {
		return all
	}
	if unsupported := r.Verdicts[trial.Unsupported]; 10*unsupported >= r.Scenarios {
		all = append(all,
			fmt.Sprintf("%d of %d scenarios are unsupported, which is a tenth or more", unsupported, r.Scenarios))
	}
	for _, cause := range scenario.Causes() {
		if r.Tags["cause "+cause] == 0 {
			all = append(all, "no scenario had the cause "+cause)
		}
	}
	return all
}

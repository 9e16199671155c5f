package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Report is what a hunt ran and found.
type Report struct {
	// Scenarios is how many were run, Claims how many claims they made, Virtual how long they took on their
	// own clocks, Took on the wall's.
	Scenarios, Claims int
	Virtual, Took     time.Duration
	Verdicts          map[trial.Verdict]int
	// Traits is how many scenarios had each trait.
	Traits map[string]int
	// Violations are those found, one of each kind, shrunk.
	Violations map[string]*Violation
}

// NoVerdict stands for the verdict of a scenario that came to none.
const NoVerdict trial.Verdict = "no verdict"

// String tells what was run, its coverage, how often each kind of violation was found, and then each violation in full.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d scenarios with %d claims in %v", r.Scenarios, r.Claims, r.Took.Round(time.Second/10))
	if r.Took > 0 {
		fmt.Fprintf(&b, ", %.1f a second; %v of virtual time, %.0f times as long",
			float64(r.Scenarios)/r.Took.Seconds(), r.Virtual.Round(time.Second), r.Virtual.Seconds()/r.Took.Seconds())
	}
	b.WriteString("\n")
	for _, v := range slices.Sorted(maps.Keys(r.Verdicts)) {
		fmt.Fprintf(&b, "%7d %s\n", r.Verdicts[v], v)
	}
	b.WriteString("scenarios with\n")
	for _, trait := range slices.Sorted(maps.Keys(r.Traits)) {
		fmt.Fprintf(&b, "%7d %s\n", r.Traits[trait], trait)
	}
	for _, kind := range r.kinds() {
		fmt.Fprintf(&b, "%7d times violated: %s\n", r.Violations[kind].Times, kind)
	}
	for _, kind := range r.kinds() {
		fmt.Fprintf(&b, "\n%s", r.Violations[kind])
	}
	return b.String()
}

// kinds are the kinds of a report's violations, in order.
func (r Report) kinds() []string { return slices.Sorted(maps.Keys(r.Violations)) }

// causes are those of which many scenarios have each.
var causes = []string{
	"delete",
	"evict",
	"liveness",
	"startup",
	"postStart",
	"spec change",
	"active deadline",
	"completion",
	"crash",
	"second delete",
}

// many is how many scenarios are enough to expect all causes among them.
const many = 300

// lacks is what a hunt of so many scenarios did not show, as what was never tried was not shown. One that
// ended at so many kinds of violations may have run fewer; few scenarios need not be of all causes, nor
// need they run on every version.
func (r Report) lacks(scenarios, kinds int) []string {
	var all []string
	if ended := kinds > 0 && len(r.Violations) >= kinds; !ended && r.Scenarios != scenarios {
		all = append(all, fmt.Sprintf("%d scenarios were checked, not %d", r.Scenarios, scenarios))
	}
	if r.Scenarios < many {
		return all
	}
	if unsupported := r.Verdicts[trial.Unsupported]; 10*unsupported >= r.Scenarios {
		all = append(all,
			fmt.Sprintf("%d of %d scenarios are unsupported, which is a tenth or more", unsupported, r.Scenarios))
	}
	for _, cause := range causes {
		if r.Traits["cause "+cause] == 0 {
			all = append(all, "no scenario had the cause "+cause)
		}
	}
	return all
}

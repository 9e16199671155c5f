package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/trial"
)

// Report is the result of a hunt.
type Report struct {
	// Scenarios is the number of scenarios that ran, Claims the number of their claims.
	Scenarios, Claims int
	// Virtual is the virtual time of all scenarios, Took the real time of the hunt.
	Virtual, Took time.Duration
	Verdicts      map[trial.Verdict]int
	// Tags is the number of scenarios with each tag.
	Tags map[string]int
	// Violations are the smallest violations found, by kind.
	Violations map[string]*Violation
}

// NoVerdict is the verdict of a scenario that got none.
const NoVerdict trial.Verdict = "no verdict"

// String returns what ran, its coverage, how often each kind of violation was found, and then each violation in full.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d scenarios with %d claims in %v", r.Scenarios, r.Claims, r.Took.Round(time.Second/10))
	if r.Took > 0 {
		fmt.Fprintf(&b, ", %.1f per second; %v of virtual time, %.0f times as long",
			float64(r.Scenarios)/r.Took.Seconds(), r.Virtual.Round(time.Second), r.Virtual.Seconds()/r.Took.Seconds())
	}
	b.WriteString("\n")
	for _, v := range slices.Sorted(maps.Keys(r.Verdicts)) {
		fmt.Fprintf(&b, "%7d %s\n", r.Verdicts[v], v)
	}
	b.WriteString("scenarios with\n")
	for _, tag := range slices.Sorted(maps.Keys(r.Tags)) {
		fmt.Fprintf(&b, "%7d %s\n", r.Tags[tag], tag)
	}
	for _, kind := range r.kinds() {
		fmt.Fprintf(&b, "%7d times violated: %s\n", r.Violations[kind].Times, kind)
	}
	for _, kind := range r.kinds() {
		fmt.Fprintf(&b, "\n%s", r.Violations[kind])
	}
	return b.String()
}

// kinds returns the kinds of the violations in order.
func (r Report) kinds() []string { return slices.Sorted(maps.Keys(r.Violations)) }

// causes are the causes that many scenarios must show.
var causes = []string{"delete", "evict", "liveness", "startup", "postStart", "spec change", "active deadline",
	"completion", "crash", "second delete", "preemption", "shutdown", "storage limit", "taint"}

// many is the number of scenarios that should show all causes.
const many = 300

// lacks returns what a hunt of this many scenarios did not show. A hunt that ended early because it found
// enough kinds of violations may have run fewer scenarios. Fewer than [many] scenarios need not show every
// cause.
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
		if r.Tags["cause "+cause] == 0 {
			all = append(all, "no scenario had the cause "+cause)
		}
	}
	return all
}

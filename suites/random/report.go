package random

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
	// Scenarios is how many were run, Claims how many claims they made, Virtual how long they took on their own clocks, Took on the wall's.
	Scenarios, Claims int
	Virtual, Took     time.Duration
	Verdicts          map[trial.Verdict]int
	// Traits is how many scenarios had each trait.
	Traits map[string]int
	// Violations are those found, one of each kind, shrunk.
	Violations map[string]*Violation
}

// String tells what was run, its coverage, and how often each kind of violation was found. The violations themselves are told apart.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d scenarios with %d claims in %v, %.1f a second", r.Scenarios, r.Claims, r.Took.Round(time.Second/10), float64(r.Scenarios)/r.Took.Seconds())
	if r.Took > 0 {
		fmt.Fprintf(&b, "; %v of virtual time, %.0f times as long", r.Virtual.Round(time.Second), r.Virtual.Seconds()/r.Took.Seconds())
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
	return b.String()
}

// kinds are the kinds of a report's violations, in order.
func (r Report) kinds() []string { return slices.Sorted(maps.Keys(r.Violations)) }

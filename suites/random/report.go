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

// Violation is a claim that does not hold, with the smallest scenario found that shows it.
type Violation struct {
	// Kind is the claim's formula and on which side it is missed; violations of one kind are held to have one cause.
	Kind string
	// Seed draws the scenario that was found first, Others are further seeds that violate the same.
	Seed   uint64
	Others []uint64
	// Times is how many scenarios violate the same, Again in how many of some runs more the smallest one did.
	Times, Again int
	// Claim is the claim of the smallest scenario, with what was measured, the window, and what it is made of.
	Claim, Measured, Window, Terms, Why string
	// Source is that scenario as a trial for the catalogue.
	Source string

	trial trial.Trial
}

// String tells a violation in full.
func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "VIOLATION %s, seed %d", v.Kind, v.Seed)
	if v.Times > 1 {
		fmt.Fprintf(&b, "; %d scenarios, further seeds %v", v.Times, v.Others)
	}
	fmt.Fprintf(&b, "\n  claim %s: %s\n", v.Claim, v.Why)
	if v.Window != "" {
		fmt.Fprintf(&b, "  measured %s, window %s\n  = %s\n", v.Measured, v.Window, v.Terms)
	}
	fmt.Fprintf(&b, "  the smallest scenario found, which did the same in %d of %d runs more:\n%s\n", v.Again, repeats, v.Source)
	return b.String()
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

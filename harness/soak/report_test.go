package soak

import (
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

// allCauses returns a report of this many scenarios with every cause.
func allCauses(scenarios int) Report {
	r := Report{
		Scenarios:  scenarios,
		Violations: map[string]*Violation{},
		Tags:       map[string]int{},
		Verdicts:   map[trial.Verdict]int{trial.Conforms: scenarios},
	}
	for _, cause := range causes {
		r.Tags["cause "+cause] = 1
	}
	return r
}

// A report names what the hunt did not show.
func TestReportLacks(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Report)
		kinds  int
		lacks  []string
	}{
		"nothing": {func(*Report) {}, 10, nil},
		"scenarios": {func(r *Report) { r.Scenarios = 999 }, 10,
			[]string{"999 scenarios were checked, not 1000"}},
		"one kind, of two": {func(r *Report) { r.Scenarios, r.Violations["a"] = 999, nil }, 2,
			[]string{"999 scenarios were checked, not 1000"}},
		"kinds ended it": {func(r *Report) { r.Scenarios, r.Violations["a"] = 400, nil }, 1, nil},
		"no limit of kinds": {func(r *Report) { r.Scenarios, r.Violations["a"] = 400, nil }, 0,
			[]string{"400 scenarios were checked, not 1000"}},
		"many unsupported": {func(r *Report) { r.Verdicts[trial.Unsupported] = 100 }, 10,
			[]string{"100 of 1000 scenarios are unsupported, which is a tenth or more"}},
		"some unsupported": {func(r *Report) { r.Verdicts[trial.Unsupported] = 99 }, 10, nil},
		"a cause": {func(r *Report) { delete(r.Tags, "cause evict") }, 10,
			[]string{"no scenario had the cause evict"}},
		"a cause, of so few": {func(r *Report) { r.Scenarios, r.Violations["a"], r.Tags = 299, nil, nil }, 1, nil},
		"a cause, before end": {func(r *Report) {
			r.Scenarios, r.Violations["a"] = 300, nil
			delete(r.Tags, "cause crash")
		}, 1, []string{"no scenario had the cause crash"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := allCauses(1000)
			c.change(&r)
			gomega.NewWithT(t).Expect(r.lacks(1000, c.kinds)).To(gomega.Equal(c.lacks))
		})
	}
}

// The report repeats every counterexample in full at its end, and prints no rate for an empty duration.
func TestReportPrintsViolationsInFull(t *testing.T) {
	g := gomega.NewWithT(t)
	r := allCauses(1000)
	g.Expect(r.String()).To(gomega.HavePrefix("1000 scenarios with 0 claims in 0s\n"))
	r.Took = 4 * time.Second
	g.Expect(r.String()).To(gomega.HavePrefix("1000 scenarios with 0 claims in 4s, 250.0 per second; "))
	r.Violations["a/b above in delete"] = &Violation{
		Kind:     "a/b above in delete",
		Seed:     7,
		Times:    3,
		Again:    5,
		Claim:    "c",
		Scenario: "pod: {}",
	}
	r.Violations["harness: describing it failed"] = &Violation{
		Kind:  "harness: describing it failed",
		Seed:  8,
		Times: 1,
		Why:   "no words for it",
	}
	_, full, _ := strings.Cut(r.String(), "times violated")
	g.Expect(full).
		To(gomega.And(gomega.ContainSubstring("VIOLATION a/b above in delete, seed 7; 3 scenarios"),
			gomega.ContainSubstring("failed in 5 of 5 further runs:\npod: {}\n"),
			gomega.ContainSubstring("VIOLATION harness: describing it failed, seed 8\n  no words for it\n"),
			gomega.ContainSubstring("SEED=8 SOAK=1 draws it again")),
		)
}

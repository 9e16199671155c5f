package fuzz

import (
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
)

// allCauses returns a report of this many scenarios with every cause.
func allCauses(scenarios int) Report {
	r := Report{
		Scenarios:  scenarios,
		Violations: map[string]*Violation{},
		Tags:       map[string]int{},
		Verdicts:   map[trial.Verdict]int{trial.Conforms: scenarios},
	}
	for _, cause := range scenario.Causes() {
		r.Tags["cause "+cause] = 1
	}
	return r
}

// A report names what the campaign did not show.
func TestReportLacks(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Report)
		kinds  int
		lacks  []string
	}{
		"nothing": {func(*Report) {}, 10, nil},
		"scenarios": {func(r *Report) { r.Scenarios = 999 }, 10,
			[]string{"999 scenarios ran instead of 1000"}},
		"one kind, of two": {func(r *Report) { r.Scenarios, r.Violations["a"] = 999, nil }, 2,
			[]string{"999 scenarios ran instead of 1000"}},
		"kinds ended it": {func(r *Report) { r.Scenarios, r.Violations["a"] = 400, nil }, 1, nil},
		"no limit of kinds": {func(r *Report) { r.Scenarios, r.Violations["a"] = 400, nil }, 0,
			[]string{"400 scenarios ran instead of 1000"}},
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
			gomega.NewWithT(t).Expect(r.Lacks(1000, c.kinds)).To(gomega.Equal(c.lacks))
		})
	}
}

package view

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestMissing(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Conforming()
	r.Profile = "full"
	var all []string
	for _, o := range r.Outcomes {
		all = append(all, o.Trial)
	}
	g.Expect(Missing(r, []string{fixture.Reference}, all)).To(BeEmpty())
	g.Expect(Missing(r, []string{fixture.Reference, "v1.23.1"}, all)).
		To(ConsistOf("its subjects do not include v1.23.1"), "trials of a missing subject are not listed")
	g.Expect(Missing(r, []string{fixture.Reference}, append(slices.Clone(all), "area/other"))).To(ConsistOf(
		"1 trial of the catalogue not selected (by profile, FOCUS, SKIP or LABELS, or newer than the run): area/other"))

	two := fixture.Fixture()
	two.Profile = "full"
	two.Outcomes = slices.DeleteFunc(
		two.Outcomes,
		func(o run.Outcome) bool { return o.Subject == fixture.Mutant && o.Trial == all[0] },
	)
	g.Expect(Missing(two, []string{fixture.Reference, fixture.Mutant}, all)).
		To(ConsistOf(ContainSubstring("1 trial of")), "on every subject")

	r.Profile, r.Problems = "quick", []string{"interrupted", "the API server went away"}
	g.Expect(Missing(r, []string{fixture.Reference}, all)).
		To(ConsistOf(`its profile is "quick", not "full"`, "it had problems: interrupted; the API server went away"))
}

package reports

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMissing(t *testing.T) {
	g := NewWithT(t)
	r := conforming()
	r.Profile = "full"
	var all []string
	for _, o := range r.Outcomes {
		all = append(all, o.Trial)
	}
	g.Expect(r.Missing([]string{clean}, all)).To(BeEmpty())
	g.Expect(r.Missing([]string{clean, "v1.23.1"}, all)).
		To(ConsistOf("its subjects do not include v1.23.1"), "a subject that is not there has no trials to name")
	g.Expect(r.Missing([]string{clean}, append(slices.Clone(all), "area/other"))).To(ConsistOf(
		"1 trial of the catalogue not selected (by profile, FOCUS, SKIP or LABELS, or newer than the run): area/other"))

	two := fixture()
	two.Profile = "full"
	two.Outcomes = slices.DeleteFunc(
		two.Outcomes,
		func(o Outcome) bool { return o.Subject == mutant && o.Trial == all[0] },
	)
	g.Expect(two.Missing([]string{clean, mutant}, all)).
		To(ConsistOf(ContainSubstring("1 trial of")), "on every subject")

	r.Profile, r.Problems = "quick", []string{"interrupted", "the API server went away"}
	g.Expect(r.Missing([]string{clean}, all)).
		To(ConsistOf(`its profile is "quick", not "full"`, "it had problems: interrupted; the API server went away"))
}

package findings

import (
	"testing"

	. "github.com/onsi/gomega"
)

// An edit elsewhere moves lines, items of lists and containers.
func TestBaselineFitsAfterEditsElsewhere(t *testing.T) {
	g := NewWithT(t)
	at := func(line int, field string) Finding {
		return Finding{Rule: "hook-equals-grace", Line: line, Container: "app",
			Field: field + ".lifecycle.preStop.sleep"}
	}
	before, after := at(9, "items[0].spec.initContainers[0]"), at(12, "items[3].items[1].spec.initContainers[1]")
	b := Baseline{File: "known.yaml", Known: []Known{before.Known("Pod web")}}
	g.Expect(b.Known[0].Field).To(Equal("spec.initContainers[app].lifecycle.preStop.sleep"))
	others, known := b.Split("Pod web", []Finding{after})
	g.Expect(others).To(BeEmpty())
	g.Expect(known).To(HaveExactElements(Ignored{Finding: after, Reason: "it is in the baseline known.yaml"}))

	other := at(9, "spec.initContainers[0]")
	other.Container = "web"
	g.Expect(b.Split("Pod web", []Finding{other})).To(HaveExactElements(other), "another container")
	g.Expect(b.Split("Pod other", []Finding{before})).To(HaveExactElements(before))
	before.Rule = "hook-outlasts-grace"
	g.Expect(b.Split("Pod web", []Finding{before})).To(HaveExactElements(before))
}

package diagnoses

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites"
)

// Each mutation exists, and some claim lists each known mistake.
func TestRightDiagnoses(t *testing.T) {
	g := NewWithT(t)
	listed := map[string]bool{}
	for _, tr := range suites.Catalogue() {
		for _, c := range tr.Claims {
			for _, r := range c.Mistakes {
				listed[r.Name] = true
			}
		}
	}
	for name, mistakes := range right {
		g.Expect(mutation.Names()).To(ContainElement(name))
		for _, r := range mistakes {
			every := func(prefix string) bool { return strings.HasPrefix(r.Name, prefix) } // any formula may have it
			if !every("one step is always ") && !every("the kubelet's defaults") &&
				!every("the kubelet lacks this change") && !every("the kubelet has this change") {
				g.Expect(listed).To(HaveKey(r.Name), name)
			}
		}
	}
	g.Expect(Of("resultrun-one")).To(Equal([]string{formula.ResultRunOne.Name}))
}

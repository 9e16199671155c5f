package suites_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites"
)

// standing are the formulas that hold for every trial or for the kubelet, without a claim in the catalogue.
var standing = []formula.Formula{
	formula.EndsReported, formula.EndsDated, formula.ExitCodesReported, formula.EndsKnown, formula.FailuresCounted,
	formula.PodStarts, formula.KillsCaused, formula.RestartsCaused, formula.EvictionsCaused,
	formula.KubeletExits, formula.KubeletHangs, formula.KubeletDefaults, formula.EarlyCollections(100),
	formula.UnseenFailures(100), formula.CriticalPodsLive, formula.RunningShown,
	formula.ContainersReported, formula.LastEndsReported, formula.ConditionsReported, formula.TransitionsReported,
	formula.PhasesReported, formula.PhasesAgainReported, formula.AddressesReported, formula.ClassReported,
	formula.GenerationsReported,
	formula.SandboxesConfigured, formula.ContainersConfigured, formula.ContainersResized, formula.LimitsFit,
	formula.CallsOrdered, formula.ObjectsWritten,
	formula.EventsFormed, formula.EventsOrdered, formula.LivesReported, formula.FailuresReported,
	formula.EndReasonsReported, formula.WaitsReported, formula.DisruptionsReported, formula.SandboxesReported,
	formula.EndsKept, formula.ResourcesReported, formula.ServerReported,
}

// Every mutation breaks a formula that some trial measures: otherwise no trial could kill it, or it names the wrong
// formula. A mutation that removes a divergence names the formula that has it.
func TestEveryMutationBreaksAFormulaThatIsMeasured(t *testing.T) {
	var measured []string
	documented := map[string]bool{}
	for _, trial := range suites.Catalogue() {
		for _, c := range trial.Claims {
			measured = append(measured, c.Formula.ID)
			documented[c.Formula.ID] = documented[c.Formula.ID] || c.Formula.Documented != nil
		}
	}
	for _, f := range standing {
		measured = append(measured, f.ID)
	}
	for _, m := range mutation.All() {
		t.Run(m.Name, func(t *testing.T) {
			g := NewWithT(t)
			if m.Formula == "" {
				g.Expect(m.Equivalent).NotTo(BeEmpty(), "it names no formula: which one is broken?")
				return
			}
			g.Expect(slices.Contains(measured, m.Formula)).
				To(BeTrue(), "no claim of the catalogue measures %s", m.Formula)
			if m.Repairs {
				g.Expect(documented[m.Formula]).
					To(BeTrue(), "%s has no promise, so the mutation removes no divergence", m.Formula)
			}
		})
	}
}

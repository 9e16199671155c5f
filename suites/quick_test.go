package suites

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

const (
	// mostQuick bounds the trials of the quick profile, leastKilled the share that they kill of the recorded mutants
	// that any trial short enough for it kills.
	mostQuick   = 130
	leastKilled = 0.98
)

func TestTheQuickProfileKillsWhatShortTrialsKill(t *testing.T) {
	g := NewWithT(t)
	names := strings.Fields(quick)
	g.Expect(slices.IsSorted(names)).To(BeTrue())
	g.Expect(slices.Compact(slices.Clone(names))).To(Equal(names))
	g.Expect(len(names)).To(BeNumerically("<=", mostQuick))
	for _, name := range names {
		g.Expect(trial.Quick.Holds(byID[name])).To(BeTrue(), "%s is no trial, or takes longer than %v", name,
			trial.QuickBound)
	}
	recorded, err := mutationtest.Load("../docs/generated/mutants")
	g.Expect(err).NotTo(HaveOccurred())
	short, killed := map[string]bool{}, 0
	for id, mutants := range recorded.KillsByTrial() {
		for _, m := range mutants {
			if trial.Quick.Holds(byID[id]) {
				short[m] = true
			} else if byID[id].Lasts <= trial.QuickBound && !short[m] {
				short[m] = false
			}
		}
	}
	for m, by := range short {
		if by {
			killed++
		} else {
			t.Log("no quick trial is recorded to kill", m)
		}
	}
	t.Logf("%d quick trials kill %d of %d mutants", len(names), killed, len(short))
	g.Expect(float64(killed) / float64(len(short))).To(BeNumerically(">=", leastKilled))
}

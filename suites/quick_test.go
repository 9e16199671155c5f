package suites

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/harness/session"
)

const (
	// mostQuick bounds the trials of the quick profile, leastCaught the share that they catch of the recorded mutants
	// that any trial short enough for it catches.
	mostQuick   = 130
	leastCaught = 0.98
)

func TestTheQuickProfileCatchesWhatShortTrialsCatch(t *testing.T) {
	g := NewWithT(t)
	names := strings.Fields(quick)
	g.Expect(slices.IsSorted(names)).To(BeTrue())
	g.Expect(slices.Compact(slices.Clone(names))).To(Equal(names))
	g.Expect(len(names)).To(BeNumerically("<=", mostQuick))
	for _, name := range names {
		g.Expect(session.Quick.Holds(byID[name])).To(BeTrue(), "%s is no trial, or takes longer than %v", name,
			session.QuickBound)
	}
	recorded, err := detection.Load("../docs/generated/sensitivity")
	g.Expect(err).NotTo(HaveOccurred())
	short, caught := map[string]bool{}, 0
	for id, mutants := range recorded.CatchesByTrial() {
		for _, m := range mutants {
			if session.Quick.Holds(byID[id]) {
				short[m] = true
			} else if byID[id].Lasts <= session.QuickBound && !short[m] {
				short[m] = false
			}
		}
	}
	for m, by := range short {
		if by {
			caught++
		} else {
			t.Log("no quick trial is recorded to catch", m)
		}
	}
	t.Logf("%d quick trials catch %d of %d mutants", len(names), caught, len(short))
	g.Expect(float64(caught) / float64(len(short))).To(BeNumerically(">=", leastCaught))
}

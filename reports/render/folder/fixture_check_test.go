package folder

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

// TestFixtureHasOneOfEverything guards the other tests, which need one of everything.
func TestFixtureHasOneOfEverything(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	for _, v := range view.Verdicts() {
		g.Expect(r.Count(v)).To(BeNumerically(">", 0), "outcomes with verdict %s", v)
	}
	var diagnosed, doubts, retried, never int
	for _, o := range r.Outcomes {
		if len(o.Attempts) > 1 && o.Verdict != o.Attempts[0].Result.Verdict {
			retried++
		}
		if len(o.Attempts) == 0 && o.Verdict == trial.Inconclusive {
			never++
		}
		if last := o.Last(); last != nil {
			doubts += len(last.Result.Doubts)
		}
		for _, f := range view.FindingsOf(o) {
			if f.Verdict != trial.Deviates {
				continue
			}
			diagnosed++
			g.Expect(o.Subject).To(Equal(fixture.Mutant))
			g.Expect(f.Diagnosis).NotTo(BeNil())
		}
	}
	g.Expect([]int{diagnosed, doubts, retried, never}).To(HaveEach(BeNumerically(">", 0)))
}

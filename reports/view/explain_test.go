package view_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestExplain(t *testing.T) {
	terms := fixture.Times(fixture.Part("ticks", 4*time.Second, 4*time.Second),
		fixture.Part("tick to tick", -500*time.Millisecond, 500*time.Millisecond))
	f := trial.Finding{
		Claim: "sigterm-to-sigterm-2", Formula: "probes/kill-spacing", Description: "kills come at ticks",
		Source: "worker.go run", Verdict: trial.Deviates, Why: "2.000 s, 1.500 s below [3.500 s, 4.500 s]",
		Implemented: terms,
		Measured:    &trial.Measured{Unit: formula.Nanoseconds, Value: int64(2 * time.Second)},
		Diagnosis: &trial.Diagnosis{Name: "resultRun is reset to 1", Reference: "kubernetes PR 62853",
			Would: fixture.Within(time.Second, 2*time.Second)},
	}
	g := NewWithT(t)
	g.Expect(view.Explain(f)).To(Equal(`sigterm-to-sigterm-2: 2.000 s, 1.500 s below [3.500 s, 4.500 s]
  the code computes: [3.500 s, 4.500 s] = ticks 4.000 s + tick to tick -0.500 s to 0.500 s
  formula: probes/kill-spacing, kills come at ticks
  source: worker.go run
  as if resultRun is reset to 1: kubernetes PR 62853, which would be [1.000 s, 2.000 s]`))

	f.Verdict, f.Why, f.Diagnosis, f.Documented = trial.Inconclusive, "1 mark was lost", nil, &terms
	g.Expect(view.Explain(f)).To(Equal(`sigterm-to-sigterm-2: inconclusive: 1 mark was lost
  measured: 2.000 s
  the code computes: [3.500 s, 4.500 s] = ticks 4.000 s + tick to tick -0.500 s to 0.500 s
  documented: [3.500 s, 4.500 s] = ticks 4.000 s + tick to tick -0.500 s to 0.500 s
  formula: probes/kill-spacing, kills come at ticks
  source: worker.go run`))
}

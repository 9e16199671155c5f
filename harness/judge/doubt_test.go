package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/trial"
)

func TestDoubt(t *testing.T) {
	for name, after := range map[string]time.Duration{
		"inside": 5 * time.Second, "divergent": 6 * time.Second, "outside": 9 * time.Second,
	} {
		tl := lifeOf(after)
		tl.Doubts = []string{"marks are missing", "and more"}
		r := Judge(dying(narrowPromise, rival("any", 0, time.Minute)), tl, delay.Record{}, newest)
		g := gomega.NewWithT(t)
		g.Expect(r.Verdict).To(gomega.Equal(trial.Inconclusive), name)
		g.Expect(r.Doubts).To(gomega.Equal(tl.Doubts))
		g.Expect(r.Findings[0].Why).To(gomega.Equal("marks are missing"))
		g.Expect(r.Findings[0].Diagnosis).To(gomega.BeNil(), name)
	}
	absent := lifeOf(0)
	absent.Life(trial.Main, 1).Gone = nil
	absent.Doubts = []string{"marks are missing"}
	gomega.NewWithT(t).
		Expect(judgeOne(dying(narrowPromise), absent, delay.Record{}).Verdict).
		To(gomega.Equal(trial.Inconclusive))
}

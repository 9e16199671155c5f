package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

func TestDoubt(t *testing.T) {
	immortal := lifeOf(0)
	immortal.Life(trial.Main, 1).Gone = nil
	for name, tl := range map[string]*timeline.Timeline{
		"inside":    lifeOf(5 * time.Second),
		"divergent": lifeOf(6 * time.Second),
		"outside":   lifeOf(9 * time.Second),
		"missing":   immortal,
	} {
		t.Run(name, func(t *testing.T) {
			tl.Doubts = []string{"marks are missing", "and more"}
			r := Judge(dying(narrowPromise, rival("any", 0, time.Minute)), tl, delay.Record{}, newest)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(trial.Inconclusive))
			g.Expect(r.Doubts).To(gomega.Equal(tl.Doubts))
			g.Expect(r.Findings[0].Verdict).To(gomega.Equal(trial.Inconclusive))
			g.Expect(r.Findings[0].Why).To(gomega.Equal("marks are missing"))
			g.Expect(r.Findings[0].Diagnosis).To(gomega.BeNil())
		})
	}
}

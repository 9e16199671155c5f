package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/trial"
)

// A process that a pause keeps from running until SIGKILL sends no mark of its signal. A kubelet that sends none on a
// node that did not pause deviates.
func TestKilledBeforeItsMark(t *testing.T) {
	tr := claiming(trial.Claim{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: narrowPromise})
	for name, c := range map[string]struct {
		delays delay.Record
		died   time.Duration
		want   trial.Verdict
	}{
		"an idle node":            {delay.Record{}, 11 * time.Second, trial.Deviates},
		"a pause before":          {lateTick(9500*time.Millisecond, time.Second), 11 * time.Second, trial.Inconclusive},
		"a pause that is short":   {lateTick(10*time.Second, 400*time.Millisecond), 11 * time.Second, trial.Deviates},
		"a pause long before":     {lateTick(5*time.Second, time.Second), 11 * time.Second, trial.Deviates},
		"a pause after the death": {lateTick(12*time.Second, time.Second), 11 * time.Second, trial.Deviates},
		"the process lives":       {lateTick(9500*time.Millisecond, time.Second), 0, trial.Deviates},
	} {
		tl := lifeOf(0)
		life := tl.Life(trial.Main, 1)
		life.SIGTERMs, life.Gone = nil, nil
		if c.died > 0 {
			life.Gone = at(c.died)
		}
		f := judgeOne(tr, tl, c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

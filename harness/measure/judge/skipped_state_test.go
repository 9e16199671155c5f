package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
)

// On a busy node a state that is replaced at once may never be shown. On an idle node its absence deviates.
func TestSkippedState(t *testing.T) {
	for name, c := range map[string]struct {
		delayed time.Duration
		want    trial.Verdict
	}{
		"idle":        {0, trial.Deviates},
		"busy":        {2 * replacedAfter, trial.Inconclusive},
		"hardly busy": {replacedAfter, trial.Deviates},
	} {
		tl := lifeOf(5 * time.Second)
		tl.Known = zero + int64(time.Hour)
		tr := claiming(trial.Claim{
			Measure: trial.Between(trial.Gone, trial.Waiting("CrashLoopBackOff")),
			Formula: predicts(0, 20*time.Second, 0, 0),
		})
		f := judgeOne(tr, tl, lateTick(16*time.Second, c.delayed))
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

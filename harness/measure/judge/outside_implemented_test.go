package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A window includes its ends.
func TestWindows(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		want  trial.Verdict
	}{
		"1 ns before":             {5*time.Second - 1, trial.Deviates},
		"the earliest":            {5 * time.Second, trial.Conforms},
		"documented's latest":     {5500 * time.Millisecond, trial.Conforms},
		"1 ns after documented":   {5500*time.Millisecond + 1, trial.Divergent},
		"the latest":              {6 * time.Second, trial.Divergent},
		"1 ns after":              {6*time.Second + 1, trial.Deviates},
		"far away":                {time.Hour, trial.Deviates},
		"before it was signalled": {-time.Second, trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			f := judgeOne(dying(narrowPromise), lifeOf(c.after), delay.Record{})
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			g.Expect(f.Why == "").
				To(gomega.Equal(c.want == trial.Conforms), "every other verdict has a reason: %q", f.Why)
			g.Expect(f.Measured.Value).To(gomega.Equal(int64(c.after)))
			g.Expect(f.Promise).NotTo(gomega.BeEmpty())
		})
	}
}

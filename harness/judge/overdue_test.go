package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

// A missing end deviates once all marks are known to beyond the window and the node's delay.
func TestOverdue(t *testing.T) {
	latest := 16 * time.Second // trial.SIGTERM at 10 s, the window's end 6 s later
	for name, c := range map[string]struct {
		known time.Duration
		delay time.Duration
		want  trial.Verdict
	}{
		"known far beyond":               {time.Minute, 0, trial.Deviates},
		"known to the window's end":      {latest, 0, trial.Inconclusive},
		"known to almost surely absent":  {latest + surelyAbsent, 0, trial.Inconclusive},
		"known to surely absent":         {latest + surelyAbsent + 1, 0, trial.Deviates},
		"known to its middle":            {13 * time.Second, 0, trial.Inconclusive},
		"beyond, but by less than delay": {latest + surelyAbsent + time.Second, 2 * time.Second, trial.Inconclusive},
		"beyond by more than delay":      {latest + surelyAbsent + 3*time.Second, 2 * time.Second, trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(0)
			tl.Life(trial.Main, 1).Gone = nil
			tl.Known = zero + int64(c.known)
			n := busyFor(c.delay)
			f := judgeOne(dying(narrowPromise), tl, n)
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			g.Expect(f.Why).To(gomega.ContainSubstring("death"), "the reason names what is missing")
			g.Expect(f.Measured).To(gomega.BeNil())
		})
	}
}

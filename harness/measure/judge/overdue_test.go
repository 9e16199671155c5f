package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A missing end deviates once all marks are known to beyond the window and the node's delay.
func TestOverdue(t *testing.T) {
	latest := 16 * time.Second // trial.SIGTERM at 10 s, the window's end 6 s later
	for name, c := range map[string]struct {
		known time.Duration
		delay time.Duration
		want  trial.Verdict
	}{
		"known far beyond":              {time.Minute, 0, trial.Deviates},
		"known to the window's end":     {latest, 0, trial.Inconclusive},
		"known to almost surely absent": {latest + surelyAbsent, 0, trial.Inconclusive},
		"known to surely absent":        {latest + surelyAbsent + 1, 0, trial.Deviates},
		"known to its middle":           {13 * time.Second, 0, trial.Inconclusive},
		"beyond, without a free core":   {latest + surelyAbsent + time.Second, time.Minute, trial.Inconclusive},
		"beyond what delays this work":  {latest + surelyAbsent + time.Second, 2 * time.Second, trial.Deviates},
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

// An end whose beginning is missing as well deviates once the trial's last fact is overdue. A trial that has not begun,
// or that was given up before, decides nothing.
func TestOverdueWithoutABeginning(t *testing.T) {
	due := time.Second + dying(narrowPromise).Due() // the container started at 1 s
	for name, c := range map[string]struct {
		known, delay, answered time.Duration
		starts                 bool
		want                   trial.Verdict
	}{
		"given up before":                {due, 0, 0, true, trial.Inconclusive},
		"known to surely absent":         {due + surelyAbsent + 1, 0, 0, true, trial.Deviates},
		"beyond, but by less than delay": {due + surelyAbsent + time.Second, 2 * time.Second, 0, true, trial.Inconclusive},
		"a fault waited for its answer":  {due + surelyAbsent + 9*time.Second, 0, 10 * time.Second, true, trial.Inconclusive},
		"it waited for less time":        {due + surelyAbsent + 11*time.Second, 0, 10 * time.Second, true, trial.Deviates},
		"never begun":                    {time.Minute, 0, 0, false, trial.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(0)
			tl.API = []timeline.Change{{At: *at(0), Phase: "Pending"}}
			life := tl.Life(trial.Main, 1)
			life.SIGTERMs, life.Gone = nil, nil
			if !c.starts {
				life.Started = nil
			}
			tl.Known = zero + int64(c.known)
			tl.Faults = []timeline.Fault{{At: timeline.Instant{At: zero, Late: int64(c.answered)}}}
			f := judgeOne(dying(narrowPromise), tl, busyFor(c.delay))
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			gomega.NewWithT(t).Expect(f.Why).To(gomega.ContainSubstring("sigterm"), "the reason names what is missing")
		})
	}
}

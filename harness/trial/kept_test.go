package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// stalled is a node whose recorder did not run for a while: too short for an outage.
func stalled(from, length time.Duration) timeline.Noise {
	return timeline.Noise{Stalls: []timeline.Stall{{From: zero + int64(from), To: zero + int64(from+length)}}}
}

// A life that began at 5 s and died at 15 s has none of what the code counts one of, or one less for each half a second that the node kept.
func TestKeptWorkMovesTicks(t *testing.T) {
	fewer := formula.Formula{ID: "test/ticks", Says: "a probe each tick", Source: "the test", Implemented: func(in formula.Input) formula.Window {
		return formula.Window{Unit: formula.Count}.With(formula.Term{Name: "ticks", Earliest: 1 - int64(in.Kept/(500*time.Millisecond)), Latest: 1})
	}}
	trial := claiming(Claim{Measure: StopSignals(), Formula: fewer})
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		noise timeline.Noise
		want  Verdict
	}{
		"a quiet node":                            {timeline.Noise{}, Deviates},
		"before the first mark":                   {stalled(4*time.Second, 600*ms), Inconclusive},
		"before the first mark, too little":       {stalled(4*time.Second, 400*ms), Deviates},
		"long before the first mark":              {stalled(-2*time.Second, 600*ms), Deviates},
		"before the end":                          {stalled(14*time.Second, 600*ms), Inconclusive},
		"after the first mark, long before death": {stalled(6*time.Second, 600*ms), Deviates},
		"after the end":                           {stalled(15*time.Second, 600*ms), Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * time.Second)
			tl.Life(Main, 1).Started, tl.Life(Main, 1).SIGTERMs = at(5*time.Second), nil
			f := judge1(trial, tl, c.noise)
			g := gomega.NewWithT(t)
			g.Expect(f.Measured.Value).To(gomega.BeZero())
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// A formula that counts no ticks has nothing to gain from it, and a value that lies far outside stays there.
func TestKeptWorkExcusesNothingElse(t *testing.T) {
	signals := claiming(Claim{Measure: StopSignals(), Formula: counts(3)})
	f := judge1(signals, lifeOf(5*time.Second), stalled(14*time.Second, 600*time.Millisecond))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(Deviates), f.Why)
}

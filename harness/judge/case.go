package judge

import (
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// lookBack is how long before a measured span a delay can still have made its first mark late.
const lookBack = time.Second

// trialCase is all that the rules may look at.
type trialCase struct {
	trial    trial.Trial
	timeline *timeline.Timeline
	delays   delay.Record
	kubelet  formula.Kubelet
	// doubts are the timeline's, and those that rules of the whole trial add.
	doubts []string
	// claims are the cases of the claims that the kubelet is judged by.
	claims []*claimCase
	// excluded are the names of the rivals that a good finding excludes, nil before a rule asks for them.
	excluded map[string]bool
}

// claimCase is one claim, with all that was measured and computed for it.
type claimCase struct {
	*trialCase
	claim trial.Claim
	// input is what the formula gets to see.
	input formula.Input
	// implemented and documented are the windows without the observer's error, which the finding's have.
	implemented formula.Window
	documented  *formula.Window
	// missing names the point that a missing value waits for.
	missing string
	finding trial.Finding
}

// newClaimCase measures a claim and computes its windows.
func newClaimCase(t *trialCase, claim trial.Claim) *claimCase {
	c := &claimCase{trialCase: t, claim: claim, input: t.trial.Input(claim, t.timeline, t.delays, t.kubelet)}
	f := claim.Formula
	c.implemented = f.Implemented(c.input)
	if f.Documented != nil {
		c.documented = f.Documented(c.input)
	}
	c.finding = trial.Finding{
		Claim: claim.ID(), Formula: f.ID, Says: f.Says, Source: f.Source, Of: f.Of,
		Promise: f.Promise, DocumentedAt: f.DocumentedAt, Issues: f.IssuesOf(c.input),
		Implemented: c.implemented, Documented: c.documented,
	}
	m, missing := claim.Measure.Read(t.timeline)
	if m == nil {
		c.missing, c.finding.Since = missing, claim.Measure.Began(t.timeline)
		return c
	}
	c.finding.Measured, c.finding.Implemented = m, m.Widen(c.implemented)
	if c.documented != nil {
		documented := m.Widen(*c.documented)
		c.finding.Documented = &documented
	}
	c.finding.Delay = t.delays.Total(m.From-int64(lookBack), m.To)
	return c
}

// What a rule can replace. The verdict of an undecided claim is empty.
var (
	undecided = []trial.Verdict{""}
	hits      = []trial.Verdict{trial.Conforms, trial.Divergent}
	misses    = []trial.Verdict{trial.Deviates}
	decided   = []trial.Verdict{trial.Conforms, trial.Divergent, trial.Deviates}
)

// began returns when a time began whose end never came. It returns false for other values, and if the time did not
// begin.
func (c *claimCase) began() (int64, bool) { return c.finding.Begins() }

// measured returns the measured value in its unit, as text.
func (c *claimCase) measured() string {
	return c.finding.Measured.Unit.Format(c.finding.Measured.Value)
}

// outside returns by how much, and on which side, a value is outside a window.
func outside(w formula.Window, miss int64) string {
	side := "above"
	if miss < 0 {
		side = "below"
	}
	return w.Unit.Format(max(miss, -miss)) + " " + side + " " + w.String()
}

func duration(ns int64) string { return formula.Nanoseconds.Format(ns) }

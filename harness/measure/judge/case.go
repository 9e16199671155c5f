package judge

import (
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// lookBack is how long before a measured span its first mark can have been delayed.
const lookBack = time.Second

// The names of rules that others ask for.
const (
	likelyDelay   = "delayed work"
	delayedInputs = "delayed input"
	unlikelyDelay = "unlikely delay"
	pooledMisses  = "pooled misses"
)

// trialCase is all that the rules may look at.
type trialCase struct {
	trial    trial.Trial
	timeline *timeline.Timeline
	delays   delay.Record
	kubelet  formula.Kubelet
	// reported is the kubelet with its own defaults if they are not its release's, otherwise nil.
	reported *formula.Kubelet
	doubts   []timeline.Doubt
	claims   []*claimCase
	// excluded are the names of the known mistakes that a good finding excludes, nil if not computed yet.
	excluded map[string]bool
}

type claimCase struct {
	*trialCase
	claim trial.Claim
	input formula.Input
	// implemented and documented are the windows without the observer's error. The finding's windows have it.
	implemented formula.Window
	documented  *formula.Window
	missing     string
	finding     trial.Finding
}

func newClaimCase(t *trialCase, claim trial.Claim) *claimCase {
	c := &claimCase{trialCase: t, claim: claim, input: t.trial.Input(claim, t.timeline, t.delays, t.kubelet)}
	f := claim.Formula
	c.implemented = f.Implemented(c.input)
	if f.Documented != nil {
		c.documented = f.Documented(c.input)
	}
	c.finding = trial.Finding{
		Claim: claim.ID(), Formula: f.ID, Description: f.Description, Source: f.Source, Of: f.Of,
		LeftToChance: f.LeftToChance, Promise: f.Promise, DocumentedAt: f.DocumentedAt, Issues: f.IssuesOf(c.input),
		Implemented: c.implemented, Documented: c.documented, Assumes: f.Assumes(c.input),
		From: claim.Measure.From, To: claim.Measure.To, Follows: claim.Measure.Follows(),
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

// The verdicts that a rule can replace. An undecided claim has none.
var (
	undecided = []trial.Verdict{""}
	hits      = []trial.Verdict{trial.Conforms, trial.Divergent}
	misses    = []trial.Verdict{trial.Deviates}
	decided   = []trial.Verdict{trial.Conforms, trial.Divergent, trial.Deviates}
)

func (c *claimCase) measured() string {
	return c.finding.Measured.Unit.Format(c.finding.Measured.Value)
}

func outside(w formula.Window, miss int64) string {
	side := "above"
	if miss < 0 {
		side = "below"
	}
	return w.Unit.Format(max(miss, -miss)) + " " + side + " " + w.String()
}

func duration(ns int64) string { return formula.Nanoseconds.Format(ns) }

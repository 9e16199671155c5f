package judge

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// diagnose explains each deviation by a rival or, if none fits any, by a known divergence that is gone.
func (c *trialCase) diagnose() {
	for _, claim := range c.claims {
		if f := &claim.finding; f.Verdict == trial.Deviates {
			f.Diagnosis = claim.fittingRival()
		}
	}
	if slices.ContainsFunc(c.claims, func(claim *claimCase) bool { return claim.finding.Diagnosis != nil }) {
		return
	}
	for _, claim := range c.claims {
		if f := &claim.finding; f.Verdict == trial.Deviates && f.Measured != nil && claim.asDocumented() {
			f.Diagnosis = &trial.Diagnosis{
				Name:      "the code does as documented: the known divergence is gone",
				Reference: claim.discussion(),
				Would:     *f.Documented,
			}
		}
	}
}

// fittingRival returns the narrowest rival that would have measured the same, or nil.
func (c *claimCase) fittingRival() (best *trial.Diagnosis) {
	m := c.finding.Measured
	for _, r := range c.claim.Rivals {
		switch {
		case m == nil && r.Never:
			return &trial.Diagnosis{Name: r.Name, Reference: r.Reference, Never: true}
		case m == nil || r.Never:
			continue
		}
		w := m.Widen(r.Would(c.input))
		if w.Contains(m.Value) && (best == nil || width(w) < width(best.Would)) {
			best = &trial.Diagnosis{Name: r.Name, Reference: r.Reference, Would: w}
		}
	}
	return best
}

func width(w formula.Window) int64 { return w.Latest - w.Earliest }

func (c *claimCase) asDocumented() bool {
	documented, implemented := c.finding.Documented, c.finding.Implemented
	if documented == nil || !documented.Contains(c.finding.Measured.Value) {
		return false
	}
	return !documented.Contains(implemented.Earliest) || !documented.Contains(implemented.Latest)
}

func (c *claimCase) discussion() string {
	if c.finding.Issues == "" || c.finding.Issues == formula.NoIssueKnown {
		return c.finding.DocumentedAt
	}
	return c.finding.Issues
}

package judge

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// diagnose explains each deviation by a rival. If none fits any, another release explains all of them. If none does, a
// known divergence may be gone. A miss that an unlikely delay excuses has a rival, because another attempt can make it
// a deviation.
func (c *trialCase) diagnose() {
	for _, claim := range c.claims {
		f := &claim.finding
		if f.Verdict == trial.Deviates || f.Rule == unlikelyDelay {
			f.Diagnosis = claim.fittingRival()
		}
		if f.Rule == likelyDelay || f.Rule == unlikelyDelay {
			f.Rivals = claim.rivalsBeyond()
		}
	}
	explained := func(claim *claimCase) bool {
		return claim.finding.Verdict == trial.Deviates && claim.finding.Diagnosis != nil
	}
	if slices.ContainsFunc(c.claims, explained) || c.likeNeighbour() {
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

// likeNeighbour explains all deviations by one change of Kubernetes that a formula of theirs depends on: with another
// answer to it, as releases before or after it have, every value of the trial fits. It reports whether there is one.
func (c *trialCase) likeNeighbour() bool {
	for _, claim := range c.claims {
		if claim.finding.Verdict != trial.Deviates {
			continue
		}
		for _, change := range claim.claim.Formula.Changes(claim.input) {
			neighbour, says := c.kubelet.Neighbour(change)
			if !c.fits(neighbour) {
				continue
			}
			for _, d := range c.claims {
				if d.finding.Verdict == trial.Deviates {
					d.finding.Diagnosis = &trial.Diagnosis{
						Name: says, Reference: change.Reference, Would: d.of(neighbour),
					}
				}
			}
			return true
		}
	}
	return false
}

// fits reports whether every decided value of the trial is inside the windows of another kubelet.
func (c *trialCase) fits(k formula.Kubelet) bool {
	return !slices.ContainsFunc(c.claims, func(claim *claimCase) bool {
		m := claim.finding.Measured
		return slices.Contains(decided, claim.finding.Verdict) && (m == nil || !claim.of(k).Contains(m.Value))
	})
}

// of returns the window that the code of another kubelet computes, widened by the observer's error.
func (c *claimCase) of(k formula.Kubelet) formula.Window {
	in := c.input
	in.Kubelet = k
	return c.finding.Measured.Widen(c.claim.Formula.Implemented(in))
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

// rivalsBeyond returns the rivals whose windows lie beyond the implemented one on the side of a miss that delayed work
// explains. Package sample compares them over all trials of a subject. It returns none if delay is only an excuse
// because it can change a branch: a branch lies where a rival may lie, too.
func (c *claimCase) rivalsBeyond() (beyond []trial.Diagnosis) {
	m, implemented := c.finding.Measured, c.finding.Implemented
	if _, enough := c.excuses(implemented, longest); !enough {
		return nil
	}
	for _, r := range c.rivals() {
		w := m.Widen(r.Would(c.input))
		above := m.Value > implemented.Latest && w.Earliest > implemented.Latest
		if below := m.Value < implemented.Earliest && w.Latest < implemented.Earliest; above || below {
			beyond = append(beyond, trial.Diagnosis{Name: r.Name, Reference: r.Reference, Would: w})
		}
	}
	return beyond
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

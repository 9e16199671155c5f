package judge

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// AsDocumented is the name of the known mistake that does as documented.
const AsDocumented = "the code does as documented: the known divergence is gone"

// OwnDefaults is the known mistake that obeys defaults which are not the release's.
const OwnDefaults = "the kubelet's defaults are not its release's, see kubelet/defaults"

// compareMistakes compares each claim with its known mistakes: the known wrong behaviours, the kubelet's own defaults,
// another answer to each change of Kubernetes that its formula depends on, as releases before or after that change have
// it, and the documentation.
func (c *trialCase) compareMistakes() {
	distorting := c.distorting()
	for _, claim := range c.claims {
		for _, r := range claim.claim.Mistakes {
			one := trial.Diagnosis{Name: r.Name, Reference: r.Reference, Never: r.Never}
			if !r.Never {
				one.Would = r.Of(claim.claim.Formula, claim.input)
			}
			claim.compareMistake(trial.Bug, one)
			claim.markBeyond(r)
		}
		for _, r := range distorting {
			if f := claim.claim.Formula; f.Of == formula.TheKubelet && !claim.lists(r) {
				claim.compareMistake(trial.Bug, trial.Diagnosis{
					Name: r.Name, Reference: r.Reference, Would: r.Of(f, claim.input),
					Never: claim.claim.Measure.OfHook() && !r.Distort(claim.input).RunsHook(),
				})
			}
		}
		if c.reported != nil {
			in := claim.input
			in.Kubelet = *c.reported
			own, released := claim.claim.Formula.Implemented(in), claim.implemented
			if own.Earliest != released.Earliest || own.Latest != released.Latest {
				claim.compareMistake(trial.Bug, trial.Diagnosis{Name: OwnDefaults, Reference: "/configz", Would: own})
			}
		}
		for _, change := range claim.claim.Formula.Changes(claim.input) {
			neighbour, says := c.kubelet.Neighbour(change)
			in := claim.input
			in.Kubelet = neighbour
			claim.compareMistake(trial.OtherRelease, trial.Diagnosis{
				Name: says, Reference: change.Reference, Would: claim.claim.Formula.Implemented(in),
			})
		}
		d, implemented := claim.documented, claim.implemented
		if d != nil && (!d.Contains(implemented.Earliest) || !d.Contains(implemented.Latest)) {
			claim.compareMistake(trial.Promised, trial.Diagnosis{
				Name: AsDocumented, Reference: claim.discussion(), Would: *d,
			})
		}
		for i := range claim.finding.Mistakes {
			if r := &claim.finding.Mistakes[i]; !r.Fits && !r.Beyond {
				r.Would = formula.Window{} // nobody asks, and a run keeps tens of thousands
			}
		}
	}
}

// distorting returns the known mistakes of the trial's claims that every formula of the kubelet shows, each once.
func (c *trialCase) distorting() (all []formula.Mistake) {
	for _, claim := range c.claims {
		for _, r := range claim.claim.Mistakes {
			known := func(k formula.Mistake) bool { return k.Name == r.Name }
			if r.Distort != nil && !slices.ContainsFunc(all, known) {
				all = append(all, r)
			}
		}
	}
	return all
}

func (c *claimCase) lists(r formula.Mistake) bool {
	return slices.ContainsFunc(c.claim.Mistakes, func(k formula.Mistake) bool { return k.Name == r.Name })
}

func (c *claimCase) compareMistake(kind trial.MistakeKind, d trial.Diagnosis) {
	r := trial.Mistake{Diagnosis: d, Kind: kind}
	switch m := c.finding.Measured; {
	case m == nil:
		r.Fits = d.Never
	case d.Never:
		r.Excluded = true
	default:
		r.Would = m.Widen(d.Would)
		r.Fits = r.Would.Contains(m.Value)
		_, delayed := c.excuses(r.Would, longest)
		r.Excluded = !r.Fits && !delayed
	}
	c.finding.Mistakes = append(c.finding.Mistakes, r)
}

// markBeyond marks the last known mistake if its window lies beyond the implemented one on the side of a miss that
// delayed work explains. Package sample compares these over all trials of a subject. It marks none if delay is only an
// excuse because it can change a branch: a branch lies where a known mistake may lie, too.
func (c *claimCase) markBeyond(r formula.Mistake) {
	f := &c.finding
	if f.Rule != likelyDelay && f.Rule != unlikelyDelay || r.Never || r.WholeSeconds {
		return
	}
	if _, enough := c.excuses(f.Implemented, longest); !enough {
		return
	}
	last := &f.Mistakes[len(f.Mistakes)-1]
	above := f.Measured.Value > f.Implemented.Latest && last.Would.Earliest > f.Implemented.Latest
	below := f.Measured.Value < f.Implemented.Earliest && last.Would.Latest < f.Implemented.Earliest
	last.Beyond = above || below
}

func (c *claimCase) discussion() string {
	if c.finding.Issues == "" || c.finding.Issues == formula.NoIssueKnown {
		return c.finding.DocumentedAt
	}
	return c.finding.Issues
}

// Package judge compares the measurements of a trial with the windows that package formula derives. The judge
// is an ordered list of [rules]. Each replaces one verdict by another and gives a reason. In the end it
// diagnoses deviations. It knows no cluster, so it can judge saved runs.
package judge

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// rules apply in this order. The trial's verdict is the most severe one of its claims.
var rules = []rule{
	// The whole trial: "unsupported" ends the judging, "inconclusive" casts doubt on every claim.
	{name: "unknown version", trial: unknownVersion, to: trial.Unsupported},
	{name: "missing feature", trial: missingFeature, to: trial.Unsupported},
	{name: "second cause first", trial: secondCauseFirst, to: trial.Inconclusive},
	{name: "deadline before start", trial: deadlineBeforeStart, to: trial.Inconclusive},
	{name: "synced by a start", trial: syncedByStart, to: trial.Inconclusive},
	{name: "killed dead", trial: killedDead, to: trial.Inconclusive},
	// Each claim: a part of the evidence can't be trusted.
	{name: "doubt", claim: doubted, from: undecided, to: trial.Inconclusive},
	// Each claim whose value never came.
	{name: "skipped state", value: absent, claim: skippedState, from: undecided, to: trial.Inconclusive, delay: true},
	{name: "absent in outage", value: absent, claim: absentInOutage, from: undecided, to: trial.Inconclusive},
	{
		name: "killed before its mark", value: absent, claim: killedBeforeMark, from: undecided, to: trial.Inconclusive,
		delay: true,
	},
	{name: "overdue", value: absent, claim: overdue, from: undecided, to: trial.Deviates},
	{name: "never came", value: absent, claim: neverCame, from: undecided, to: trial.Inconclusive},
	// Each claim with a measured value.
	{name: "outside implemented", value: present, claim: outsideImplemented, from: undecided, to: trial.Deviates},
	{name: "outside documented", value: present, claim: outsideDocumented, from: undecided, to: trial.Divergent},
	{name: "inside", value: present, claim: inside, from: undecided, to: trial.Conforms},
	// What could have changed the value or its absence.
	{name: "assumed configuration", claim: assumedConfiguration, from: misses, to: trial.Inconclusive},
	{name: likelyDelay, value: present, claim: delayedWork, from: misses, to: trial.Inconclusive, delay: true},
	{name: delayedInputs, value: present, claim: delayedInput, from: misses, to: trial.Inconclusive, delay: true},
	{name: unlikelyDelay, value: present, claim: longestDelay, from: misses, to: trial.Inconclusive},
	{name: "outage doubt", value: present, claim: outageDoubt, from: decided, to: trial.Inconclusive},
	{name: "masked known mistake", value: present, claim: maskedMistake, from: hits, to: trial.Inconclusive, delay: true},
}

// OfDelay reports whether a rule's reason is the node's own delay. An unlikely delay is not: it can't be the reason of
// every attempt. Nor is an outage, because the kubelet can be what did not answer.
func OfDelay(name string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.name == name && r.delay })
}

// rule is one reason for a verdict. It has either trial or claim.
type rule struct {
	name  string
	trial func(*trialCase) string
	claim func(*claimCase) (why string, applies bool)
	value value
	// The rule replaces these verdicts by to.
	from []trial.Verdict
	to   trial.Verdict
	// delay marks that the node's own delay is the reason.
	delay bool
}

type value int

const (
	either value = iota
	absent
	present
)

// Judge compares a trial's claims with its timeline. Claims that need what the kubelet lacks are left out.
func Judge(t trial.Trial, tl *timeline.Timeline, delays delay.Record, k formula.Kubelet) trial.Result {
	reported := k
	k, wrong := k.AsReleased()
	c := &trialCase{trial: t, timeline: tl, delays: delays, kubelet: k, doubts: tl.Doubts}
	if len(wrong) > 0 {
		c.reported = &reported
	}
	for _, r := range rules {
		if r.trial == nil {
			continue
		}
		switch why := r.trial(c); {
		case why == "":
		case r.to == trial.Unsupported:
			return trial.Result{Verdict: r.to, Doubts: []string{why}}
		default:
			c.doubts = append(slices.Clip(c.doubts), timeline.Doubt{Why: why})
		}
	}
	for _, claim := range slices.Concat(t.Recorded(tl), t.Standing(tl)) {
		if claim.Lacks(k) == "" {
			c.claims = append(c.claims, newClaimCase(c, claim))
		}
	}
	for _, r := range rules {
		if r.claim != nil {
			c.decide(r)
		}
	}
	c.compareMistakes()
	r := c.result()
	Diagnose([][]trial.Result{{r}})
	return r
}

// decide applies a rule to all claims as they were before it.
func (c *trialCase) decide(r rule) {
	whys := map[*claimCase]string{}
	for _, claim := range c.claims {
		f := claim.finding
		if !slices.Contains(r.from, f.Verdict) || r.value != either && (r.value == present) != (f.Measured != nil) {
			continue
		}
		if why, applies := r.claim(claim); applies {
			whys[claim] = why
		}
	}
	for claim, why := range whys {
		claim.finding.Verdict, claim.finding.Why, claim.finding.Rule = r.to, why, r.name
	}
}

func (c *trialCase) result() trial.Result {
	r := trial.Result{Verdict: trial.Conforms}
	if c.timeline.Cut != "" {
		r.Doubts = append(r.Doubts, c.timeline.Cut)
	}
	for _, d := range c.doubts {
		r.Doubts = append(r.Doubts, d.Why)
	}
	for _, claim := range c.claims {
		r.Extrapolated = r.Extrapolated || claim.claim.Formula.Extrapolated(claim.input)
		r.Findings = append(r.Findings, claim.finding)
		r.Verdict = trial.Worse(r.Verdict, claim.finding.Verdict)
	}
	if len(r.Findings) == 0 {
		r.Verdict = trial.Inconclusive
	}
	return r
}

package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// On a node whose cores are never free, a value inside its window may be a rival's that came late.
func TestMaskedRival(t *testing.T) {
	earlier := rival("it is over too soon", 3*time.Second, 4*time.Second)
	later := rival("it takes too long", 8*time.Second, 9*time.Second)
	near := rival("it is over a little too soon", 4*time.Second, 5500*time.Millisecond)
	impossible := earlier
	impossible.WholeSeconds = true
	for name, c := range map[string]struct {
		claim  []formula.Rival
		delays delay.Record
		want   trial.Verdict
	}{
		"cores are never free":           {[]formula.Rival{earlier}, busyFor(time.Minute), trial.Inconclusive},
		"cores are taken for less":       {[]formula.Rival{earlier}, busyFor(990 * time.Millisecond), trial.Conforms},
		"an idle node":                   {[]formula.Rival{earlier}, delay.Record{}, trial.Conforms},
		"no rival that measures less":    {[]formula.Rival{later}, busyFor(time.Minute), trial.Conforms},
		"a rival with a window too near": {[]formula.Rival{near}, busyFor(time.Minute), trial.Conforms},
		"a rival in whole seconds":       {[]formula.Rival{impossible}, busyFor(time.Minute), trial.Conforms},
		"no rival":                       {nil, busyFor(time.Minute), trial.Conforms},
		"a long late tick": {
			[]formula.Rival{earlier}, lateTick(12*time.Second, 1100*time.Millisecond), trial.Inconclusive,
		},
		"a short late tick": {[]formula.Rival{earlier}, lateTick(12*time.Second, 900*time.Millisecond), trial.Conforms},
	} {
		f := judgeOne(dying(narrowPromise, c.claim...), lifeOf(5*time.Second), c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A rival is one change of the code: a finding that excludes it excludes it for the others.
func TestExcludedRival(t *testing.T) {
	late := lateTick(12*time.Second, 1100*time.Millisecond)
	long := predicts(8*time.Second, 10*time.Second, 0, 0)
	for name, c := range map[string]struct {
		other formula.Rival
		want  trial.Verdict
	}{
		"the same, excluded by another claim": {rival("one", time.Second, 2*time.Second), trial.Conforms},
		"the same, not excluded":              {rival("one", 8*time.Second, 10*time.Second), trial.Inconclusive},
		"another":                             {rival("another", time.Second, 2*time.Second), trial.Inconclusive},
	} {
		tr := dying(narrowPromise, rival("one", 3*time.Second, 4*time.Second))
		tr.Claims = append(tr.Claims, trial.Claim{
			Measure: trial.Between(trial.Started, trial.SIGTERM),
			Formula: long,
			Rivals:  []formula.Rival{c.other},
		})
		r := Judge(tr, lifeOf(5*time.Second), late, newest)
		gomega.NewWithT(t).Expect(r.Findings[0].Verdict).To(gomega.Equal(c.want), "%s: %s", name, r.Findings[0].Why)
		gomega.NewWithT(t).Expect(r.Findings[1].Verdict).
			To(gomega.Equal(trial.Conforms), "%s: %s", name, r.Findings[1].Why)
	}
}

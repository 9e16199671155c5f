package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// On a node whose cores are never free, a value inside its window may be a known mistake's that came late.
func TestMaskedMistake(t *testing.T) {
	earlier := mistake("it is over too soon", 3*time.Second, 4*time.Second)
	later := mistake("it takes too long", 8*time.Second, 9*time.Second)
	near := mistake("it is over a little too soon", 4*time.Second, 5500*time.Millisecond)
	impossible := earlier
	impossible.WholeSeconds = true
	for name, c := range map[string]struct {
		claim  []formula.Mistake
		delays delay.Record
		want   trial.Verdict
	}{
		"cores are never free":                   {[]formula.Mistake{earlier}, busyFor(time.Minute), trial.Inconclusive},
		"cores are taken for less":               {[]formula.Mistake{earlier}, busyFor(990 * time.Millisecond), trial.Conforms},
		"an idle node":                           {[]formula.Mistake{earlier}, delay.Record{}, trial.Conforms},
		"no known mistake that measures less":    {[]formula.Mistake{later}, busyFor(time.Minute), trial.Conforms},
		"a known mistake with a window too near": {[]formula.Mistake{near}, busyFor(time.Minute), trial.Conforms},
		"a known mistake in whole seconds":       {[]formula.Mistake{impossible}, busyFor(time.Minute), trial.Conforms},
		"no known mistake":                       {nil, busyFor(time.Minute), trial.Conforms},
		"a long late tick": {
			[]formula.Mistake{earlier}, lateTick(12*time.Second, 1100*time.Millisecond), trial.Inconclusive,
		},
		"a short late tick": {[]formula.Mistake{earlier}, lateTick(12*time.Second, 900*time.Millisecond), trial.Conforms},
	} {
		f := judgeOne(dying(narrowPromise, c.claim...), lifeOf(5*time.Second), c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A known mistake is one change of the code: a finding that excludes it excludes it for the others.
func TestExcludedMistake(t *testing.T) {
	late := lateTick(12*time.Second, 1100*time.Millisecond)
	long := predicts(8*time.Second, 10*time.Second, 0, 0)
	for name, c := range map[string]struct {
		other formula.Mistake
		want  trial.Verdict
	}{
		"the same, excluded by another claim": {mistake("one", time.Second, 2*time.Second), trial.Conforms},
		"the same, not excluded":              {mistake("one", 8*time.Second, 10*time.Second), trial.Inconclusive},
		"another":                             {mistake("another", time.Second, 2*time.Second), trial.Inconclusive},
	} {
		tr := dying(narrowPromise, mistake("one", 3*time.Second, 4*time.Second))
		tr.Claims = append(tr.Claims, trial.Claim{
			Measure:  trial.Between(trial.Started, trial.SIGTERM),
			Formula:  long,
			Mistakes: []formula.Mistake{c.other},
		})
		r := Judge(tr, lifeOf(5*time.Second), late, newest)
		gomega.NewWithT(t).Expect(r.Findings[0].Verdict).To(gomega.Equal(c.want), "%s: %s", name, r.Findings[0].Why)
		gomega.NewWithT(t).Expect(r.Findings[1].Verdict).
			To(gomega.Equal(trial.Conforms), "%s: %s", name, r.Findings[1].Why)
	}
}

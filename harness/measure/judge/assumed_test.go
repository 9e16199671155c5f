package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Without the configuration, a miss may come from it. A miss that no configuration explains deviates all the same.
func TestAssumedConfiguration(t *testing.T) {
	bySync := predicts(5*time.Second, 6*time.Second, 0, 0)
	bySync.Implemented = func(in formula.Input) formula.Window {
		w := narrowPromise.Implemented(in)
		w.Latest += int64(in.Kubelet.SyncFrequency)
		return w
	}
	gated := formula.Change{Name: "slower", Gate: "Slower", Since: "v1.99.0"}
	byGate := predicts(5*time.Second, 6*time.Second, 0, 0)
	byGate.Implemented = func(in formula.Input) formula.Window {
		w := narrowPromise.Implemented(in)
		if in.Kubelet.Has(gated) {
			w.Earliest, w.Latest = w.Earliest+int64(4*time.Second), w.Latest+int64(4*time.Second)
		}
		return w
	}
	for name, c := range map[string]struct {
		formula formula.Formula
		assumed bool
		after   time.Duration
		want    trial.Verdict
		why     string
	}{
		"no setting matters":             {narrowPromise, true, 9 * time.Second, trial.Deviates, ""},
		"a setting matters":              {bySync, true, 9 * time.Second, trial.Inconclusive, "syncFrequency"},
		"a setting is known":             {bySync, false, 9 * time.Second, trial.Deviates, ""},
		"a gate explains it":             {byGate, true, 9500 * time.Millisecond, trial.Inconclusive, "gate Slower"},
		"a gate is known":                {byGate, false, 9500 * time.Millisecond, trial.Deviates, ""},
		"a gate does not explain it":     {byGate, true, 20 * time.Second, trial.Deviates, ""},
		"a hit that depends on settings": {bySync, true, 5500 * time.Millisecond, trial.Conforms, ""},
	} {
		k := newest
		k.Assumed = c.assumed
		f := Judge(dying(c.formula), lifeOf(c.after), delay.Record{}, k).Findings[0]
		g := gomega.NewWithT(t)
		g.Expect(f.Verdict).To(gomega.Equal(c.want), name)
		g.Expect(f.Why).To(gomega.ContainSubstring(c.why), name)
	}
	k := newest
	k.Assumed = true
	immortal := withLives(&timeline.Life{
		Number: 1, Started: at(time.Second), SIGTERMs: []timeline.Instant{*at(10 * time.Second)},
	})
	for want, f := range map[trial.Verdict]formula.Formula{trial.Deviates: narrowPromise, trial.Inconclusive: bySync} {
		r := Judge(dying(f), immortal, delay.Record{}, k).Findings[0]
		g := gomega.NewWithT(t)
		g.Expect(r.Measured).To(gomega.BeNil())
		g.Expect(r.Verdict).To(gomega.Equal(want), "a value that never comes: %s", r.Why)
	}
}

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

func TestSecondCauseFirst(t *testing.T) {
	early := []string{"event-evicted came 200ms before the kill that it was meant to interrupt"}
	for name, c := range map[string]struct {
		first   formula.Cause // of the trial; the claim's is ByStorageLimit
		evicted time.Duration // SIGTERM is at 10 s
		want    trial.Verdict
		doubts  []string
	}{
		"second cause after the kill":  {formula.ByLiveness, 10500 * time.Millisecond, trial.Deviates, nil},
		"second cause before the kill": {formula.ByLiveness, 9800 * time.Millisecond, trial.Inconclusive, early},
		"only cause":                   {formula.ByStorageLimit, 9800 * time.Millisecond, trial.Deviates, nil},
	} {
		t.Run(name, func(t *testing.T) {
			both := dying(predicts(5*time.Second, 6*time.Second, 0, 0))
			both.KillCause = c.first
			both.Claims = append(both.Claims, trial.Claim{
				Measure:   trial.Between(trial.Event("Evicted"), trial.Gone),
				Formula:   predicts(0, time.Minute, 0, 0),
				KillCause: formula.ByStorageLimit,
			})
			tl := lifeOf(time.Second) // killed early: a deviation
			tl.Events = []timeline.Event{{Reason: "Evicted", At: *at(c.evicted)}}
			r := Judge(both, tl, delay.Record{}, newest)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(c.want))
			g.Expect(r.Doubts).To(gomega.Equal(c.doubts))
			g.Expect(tl.Doubts).To(gomega.BeEmpty(), "the judge does not change the timeline")
		})
	}
}

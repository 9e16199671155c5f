package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// A second cause that fires before the kill shows nothing about a kill in progress.
func TestSecondCauseFirst(t *testing.T) {
	both := dying(predicts(5*time.Second, 6*time.Second, 0, 0))
	both.KillCause = formula.ByLiveness
	both.Claims = append(
		both.Claims,
		trial.Claim{
			Measure:   trial.Between(trial.Event("Evicted"), trial.Gone),
			Formula:   predicts(0, time.Minute, 0, 0),
			KillCause: formula.ByStorageLimit,
		},
	)
	evicted := func(after time.Duration) *timeline.Timeline {
		tl := lifeOf(time.Second) // killed early: a deviation
		tl.Events = []timeline.Event{{Reason: "Evicted", At: *at(after)}}
		return tl
	}
	g := gomega.NewWithT(t)
	g.Expect(Judge(both, evicted(10500*time.Millisecond), delay.Record{}, newest).Verdict).
		To(gomega.Equal(trial.Deviates))
	first := evicted(9800 * time.Millisecond)
	r := Judge(both, first, delay.Record{}, newest)
	g.Expect(r.Verdict).To(gomega.Equal(trial.Inconclusive))
	g.Expect(r.Doubts).To(gomega.ConsistOf("event-evicted came 200ms before the kill that it was meant to interrupt"))
	g.Expect(first.Doubts).To(gomega.BeEmpty(), "the timeline is as it was")

	evictedOnly := both
	evictedOnly.KillCause = formula.ByStorageLimit
	g.Expect(Judge(evictedOnly, evicted(9800*time.Millisecond), delay.Record{}, newest).Verdict).
		To(gomega.Equal(trial.Deviates), "the eviction is what kills")
}

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

// A kubelet that ends pods before their deadline, or never kills them, deviates.
func TestDeadlineBeforeStart(t *testing.T) {
	late := []string{"activeDeadlineSeconds, 13, were over before victim started"}
	for name, c := range map[string]struct {
		started bool
		failed  time.Duration // after status.startTime
		want    trial.Verdict
		doubts  []string
	}{
		"not started in time":   {false, 15 * time.Second, trial.Inconclusive, late},
		"ended too early":       {false, 12 * time.Second, trial.Deviates, nil},
		"never ended":           {false, 0, trial.Deviates, nil},
		"started, never killed": {true, 15 * time.Second, trial.Deviates, nil},
	} {
		t.Run(name, func(t *testing.T) {
			limited := claiming(trial.Claim{
				Measure: trial.Between(trial.PodStartTime, trial.SIGTERM),
				Formula: predicts(13*time.Second, 14*time.Second, 0, 0),
			})
			limited.KillCause = formula.ByDeadline
			limited.Pod.Spec.ActiveDeadlineSeconds = new(int64(13))
			tl := withLives()
			if c.started {
				tl = withLives(&timeline.Life{Number: 1, Started: at(time.Second)})
			}
			tl.API = []timeline.Change{{At: *at(0), Phase: "Pending", StartTime: zero / int64(time.Second)}}
			if c.failed > 0 {
				tl.API = append(tl.API, timeline.Change{At: *at(c.failed), Phase: "Failed"})
			}
			r := Judge(limited, tl, delay.Record{}, newest)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(c.want))
			g.Expect(r.Doubts).To(gomega.Equal(c.doubts))
		})
	}
}

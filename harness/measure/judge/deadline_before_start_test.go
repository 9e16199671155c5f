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

// A container crashes at 9 s, or so late that the deadline of 13 s comes before its restart is due.
func TestDeadlineBeforeRestart(t *testing.T) {
	late := []string{"activeDeadlineSeconds, 13, were over before life 2 of victim started"}
	for name, c := range map[string]struct {
		crashed, failed time.Duration
		restarted       bool
		delay           time.Duration
		want            trial.Verdict
		doubts          []string
	}{
		"crashed too late":         {12 * time.Second, 14 * time.Second, false, 0, trial.Inconclusive, late},
		"never restarted":          {8 * time.Second, 14 * time.Second, false, 0, trial.Deviates, nil},
		"as late as its node":      {8 * time.Second, 14 * time.Second, false, 4 * time.Second, trial.Inconclusive, late},
		"ended too early":          {12 * time.Second, 12500 * time.Millisecond, false, 0, trial.Deviates, nil},
		"restarted, never killed":  {12 * time.Second, 14 * time.Second, true, 0, trial.Deviates, nil},
		"never ended, never began": {12 * time.Second, 0, false, 0, trial.Deviates, nil},
	} {
		t.Run(name, func(t *testing.T) {
			limited := claiming(trial.Claim{
				Measure: trial.Between(trial.PodStartTime, trial.SIGTERM.Life(2)),
				Formula: predicts(13*time.Second, 14*time.Second, 0, 0),
			})
			limited.KillCause = formula.ByDeadline
			limited.Pod.Spec.ActiveDeadlineSeconds = new(int64(13))
			lives := []*timeline.Life{{Number: 1, Connected: at(0), Started: at(0), Gone: at(c.crashed)}}
			if c.restarted {
				second := c.crashed + 500*time.Millisecond
				lives = append(lives, &timeline.Life{Number: 2, Connected: at(second), Started: at(second)})
			}
			tl := withLives(lives...)
			tl.API = []timeline.Change{{At: *at(0), Phase: "Pending", StartTime: zero / int64(time.Second)}}
			if c.failed > 0 {
				tl.API = append(tl.API, timeline.Change{At: *at(c.failed), Phase: "Failed"})
			}
			late := delay.Span{From: at(8 * time.Second).At, To: at(8*time.Second + c.delay).At}
			delays := delay.Record{LateTicks: []delay.Span{late}}
			r := Judge(limited, tl, delays, newest)
			g := gomega.NewWithT(t)
			g.Expect(r.Verdict).To(gomega.Equal(c.want), "%v", r.Findings)
			g.Expect(r.Doubts).To(gomega.Equal(c.doubts))
		})
	}
}

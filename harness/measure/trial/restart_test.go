package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
)

// crashLoop returns a timeline of a container that ended three times, and of its init container, which ended once.
func crashLoop() *timeline.Timeline {
	waits := func(after time.Duration, reason string, restartCount int32) timeline.Change {
		return timeline.Change{At: *at(after), Containers: []timeline.ContainerStatus{
			{Name: "other", State: "waiting", Reason: reason, RestartCount: restartCount + 1},
			{Name: Main, State: "waiting", Reason: reason, RestartCount: restartCount},
		}}
	}
	tl := withLives(
		&timeline.Life{Number: 1, Started: at(time.Second), Gone: at(2 * time.Second)},
		&timeline.Life{Number: 2, Started: at(3 * time.Second), Gone: at(4 * time.Second)},
		&timeline.Life{Number: 3, Started: at(16 * time.Second), Gone: at(17 * time.Second)},
	)
	tl.Containers["init"] = &timeline.Container{
		Name:  "init",
		Lives: []*timeline.Life{{Number: 1, Started: at(0), Gone: at(time.Second)}},
		Pulls: []timeline.Instant{*at(time.Second), *at(12 * time.Second)},
	}
	tl.API = []timeline.Change{
		waits(0, "ContainerCreating", 0),
		waits(15*time.Second, "CrashLoopBackOff", 1),
		waits(30*time.Second, "CrashLoopBackOff", 2),
	}
	tl.Events = []timeline.Event{
		{
			At:        *at(time.Second),
			Reason:    "Killing",
			Container: "init",
			Count:     2,
		},
		{At: *at(2 * time.Second), Reason: "Killing", Container: Main, Count: 1},
		{At: *at(12 * time.Second), Reason: "Killing", Container: Main, Count: 2},
	}
	tl.Faults = []timeline.Fault{
		{What: string(RestartKubelet), At: *at(5 * time.Second)},
		{What: string(SetImage), At: *at(6 * time.Second)},
		{
			What: string(RecreatePod),
			At:   *at(7 * time.Second),
		},
		{What: string(SetImage), At: *at(8 * time.Second), Status: 409},
	}
	return tl
}

func TestRestartMeasures(t *testing.T) {
	for name, c := range map[string]struct {
		measure Measure
		want    int64 // -1 is missing
	}{
		"waiting after the second life": {
			Between(Gone.Life(2), Waiting("CrashLoopBackOff").Life(2)), int64(11 * time.Second),
		},
		"waiting after the third": {
			Between(Gone.Life(3), Waiting("CrashLoopBackOff").Life(3)), int64(13 * time.Second),
		},
		"never waiting after the first": {Between(Gone, Waiting("CrashLoopBackOff")), -1},
		"of another container": {
			Between(Gone.Life(3), Waiting("CrashLoopBackOff").Of("other").Life(3)), int64(-2 * time.Second),
		},
		"pull to pull":                  {Between(PullAttempt(1), PullAttempt(2)).Of("init"), int64(11 * time.Second)},
		"a pull that never came":        {Between(PullAttempt(2), PullAttempt(3)).Of("init"), -1},
		"pulls of another container":    {Between(PullAttempt(1), PullAttempt(2)), -1},
		"starts, all":                   {Starts(Main, Gone.Life(2), 20*time.Second), 3},
		"starts, in a shorter span":     {Starts(Main, Gone.Life(2), time.Second), 2},
		"starts of another":             {Starts("init", Gone.Life(2), time.Second), 1},
		"starts of none":                {Starts("none", Gone.Life(2), time.Second), 0},
		"ends are known with the death": {EndsWithin(time.Hour), 1},
		"events, any container's":       {Events("Killing", Gone.Life(2), time.Second), 3},
		"events of a container":         {Events("Killing", Gone, time.Second).Of("init"), 2},
		"events, not known yet":         {Events("Killing", Gone.Life(2), time.Hour), -1},
		"an event since a life":         {Between(Gone.Life(2), Event("Killing").Life(3)), int64(8 * time.Second)},
		"only one since that life":      {Between(Gone.Life(2), Event("Killing").Number(2).Life(3)), -1},
		"an event since no end":         {Between(Gone.Life(2), Event("Killing").Life(5)), -1},
		"starts, not known yet":         {Starts(Main, Gone.Life(2), time.Hour), -1},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			m, missing := c.measure.Read(crashLoop())
			if c.want == -1 {
				g.Expect(m).To(gomega.BeNil())
				g.Expect(missing).NotTo(gomega.BeEmpty())
				return
			}
			g.Expect(missing).To(gomega.BeEmpty())
			g.Expect(m.Value).To(gomega.Equal(c.want))
		})
	}
}

func TestRestartNames(t *testing.T) {
	for want, m := range map[string]Measure{
		"death-2-to-crashloopbackoff-waiting-2": Between(Gone.Life(2), Waiting("CrashLoopBackOff").Life(2)),
		"pull-no2-to-pull-no3":                  Between(PullAttempt(2), PullAttempt(3)),
		"starts-within-20s-3":                   Starts(Main, Gone.Life(3), 20*time.Second),
		"init-starts-within-5s":                 Starts("init", Gone, 5*time.Second),
	} {
		gomega.NewWithT(t).Expect(m.String()).To(gomega.Equal(want))
	}
}

func TestRestartInput(t *testing.T) {
	g := gomega.NewWithT(t)
	trial := claiming()
	trial.Pod.Spec.InitContainers = []corev1.Container{{Name: "init"}}
	pulls := Claim{Measure: Between(PullAttempt(1), PullAttempt(2)).Of("init")}
	in := trial.Input(pulls, crashLoop(), delay.Record{}, newest)
	g.Expect(in.Attempt).To(gomega.Equal(2))
	g.Expect(in.Neighbours).To(gomega.Equal(1))
	since := func(times []time.Duration) []time.Duration {
		for i := range times {
			times[i] -= time.Duration(zero)
		}
		return times
	}
	g.Expect(since(in.Restarts)).To(gomega.Equal([]time.Duration{5 * time.Second}))
	g.Expect(since(in.Changes)).
		To(gomega.Equal([]time.Duration{6 * time.Second}), "the refused delete changed nothing")
	g.Expect(since(in.Recreations)).To(gomega.Equal([]time.Duration{7 * time.Second}))
	in = trial.Input(Claim{Measure: Between(Gone, Started.Life(2))}, crashLoop(), delay.Record{}, newest)
	g.Expect(in.Attempt).To(gomega.BeZero())
	g.Expect(in.Life).To(gomega.Equal(2))
}

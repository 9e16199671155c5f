package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// The life begins at 5 s and gets SIGTERM at 10 s.
func TestOutageDoubt(t *testing.T) {
	const second = time.Second
	kubelet := func(from, to time.Duration) delay.Record { return outageOf(mark.Kubelet, from, to) }
	for name, c := range map[string]struct {
		after  time.Duration
		delays delay.Record
		want   trial.Verdict
	}{
		"conforms, may deviate":          {5 * second, kubelet(12*second, 14*second), trial.Inconclusive},
		"diverges, may conform":          {5800 * time.Millisecond, kubelet(12*second, 14*second), trial.Inconclusive},
		"deviates, may conform":          {8 * second, kubelet(12*second, 14*second), trial.Inconclusive},
		"late by outage and aftermath":   {9 * second, kubelet(12*second, 14*second), trial.Inconclusive},
		"late by 1 ns more":              {9*second + 1, kubelet(12*second, 14*second), trial.Deviates},
		"too early, may have begun late": {second, kubelet(7*second, 10*second), trial.Inconclusive},
		"too early by more":              {second, kubelet(8*second, 10*second), trial.Deviates},
		"the runtime's aftermath is longer": {
			5 * second, outageOf(mark.ContainerRuntime, -16*second, -14*second), trial.Inconclusive,
		},
		"before the runtime's aftermath": {
			5 * second, outageOf(mark.ContainerRuntime, -17*second, -15*second), trial.Conforms,
		},
		"of the runtime": {
			5 * second, outageOf(mark.ContainerRuntime, 12*second, 12*second+delay.MinOutage), trial.Inconclusive,
		},
		"of the recorder, by its ticks": {5 * second, lateTick(12*second, delay.MinOutage), trial.Inconclusive},
		"too short to doubt a hit":      {5 * second, kubelet(12*second, 12*second+delay.MinOutage-1), trial.Conforms},
		"too short, but explains a miss": {
			7 * second, kubelet(12*second, 12*second+delay.MinOutage-1), trial.Inconclusive,
		},
		"while the life ran, before the signal":  {5 * second, kubelet(6*second, 8*second), trial.Inconclusive},
		"before the life":                        {5 * second, kubelet(1*second, 4*second), trial.Conforms},
		"before the life, but not its aftermath": {5 * second, kubelet(1*second, 4*second+1), trial.Inconclusive},
		"the API server's aftermath is longer": {
			5 * second, outageOf(mark.APIServer, -10*second, -8*second), trial.Inconclusive,
		},
		"before the API server's aftermath": {
			5 * second, outageOf(mark.APIServer, -20*second, -18*second), trial.Conforms,
		},
		"after the end":          {5 * second, kubelet(15*second, 18*second), trial.Conforms},
		"lasting beyond the end": {9*second + 1, kubelet(18*second+second/2, 30*second), trial.Deviates},
		"two add up": {
			11 * second,
			delay.Record{
				Unanswered: []delay.Outage{
					kubelet(11*second, 12*second+second/2).Unanswered[0],
					kubelet(13*second, 14*second+second/2).Unanswered[0],
				},
			},
			trial.Inconclusive,
		},
		"late by more than all outages": {time.Hour, kubelet(12*second, 14*second), trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(c.after)
			tl.Life(trial.Main, 1).Connected = at(5 * second)
			f := judgeOne(dying(narrowPromise), tl, c.delays)
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			if f.Verdict == trial.Inconclusive {
				g.Expect(f.Diagnosis).To(gomega.BeNil())
			}
		})
	}
}

// A container dies at 10 s. Its back-off of 300 s ends at 310 s, and the kubelet looks every 10 s.
func TestOutageInTheMidstOfABackOff(t *testing.T) {
	const second = time.Second
	kubelet := func(from time.Duration) delay.Record { return outageOf(mark.Kubelet, from, from+1500*time.Millisecond) }
	for name, c := range map[string]struct {
		after  time.Duration
		delays delay.Record
		want   trial.Verdict
	}{
		"in its midst":               {303 * second, kubelet(100 * second), trial.Conforms},
		"after the first look":       {303 * second, kubelet(20 * second), trial.Conforms},
		"before the first look":      {303 * second, kubelet(20*second - 1), trial.Inconclusive},
		"over before the last look":  {303 * second, kubelet(297500 * time.Millisecond), trial.Conforms},
		"not over before it":         {303 * second, kubelet(297500*time.Millisecond + 1), trial.Inconclusive},
		"while the container starts": {303 * second, kubelet(312 * second), trial.Inconclusive},
		"just before the death":      {303 * second, kubelet(5 * second), trial.Inconclusive},
		"of another component": {
			303 * second, outageOf(mark.ContainerRuntime, 100*second, 102*second), trial.Inconclusive,
		},
		"too early by no more than it": {299 * second, kubelet(100 * second), trial.Inconclusive},
	} {
		f := judgeOne(restarting(300*second, 310*second), restarted(c.after), c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
	beyond := claiming(trial.Claim{
		Measure: trial.Between(trial.Gone, trial.Started.Life(2)),
		Formula: predicts(300*second, 310*second, 0, second),
	})
	f := judgeOne(beyond, restarted(303*second), kubelet(100*second))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Divergent), f.Why)
}

// For every back-off that is so short that the kubelet would start the container before the window: no outage that
// blocks the kubelet's looks makes the restart conform.
func TestOutageNeverHidesAShortBackOff(t *testing.T) {
	const second, apart = time.Second, 10 * time.Second
	rapid.Check(t, func(t *rapid.T) {
		backOff := time.Duration(rapid.Int64Range(0, int64(290*second)-1).Draw(t, "back-off"))
		from := time.Duration(rapid.Int64Range(int64(-5*second), int64(320*second)).Draw(t, "outage's beginning"))
		lasts := time.Duration(rapid.Int64Range(int64(delay.MinOutage), int64(60*second)).Draw(t, "outage's length"))
		blocked := outageOf(mark.Kubelet, 10*second+from, 10*second+from+lasts)
		over := from + lasts + time.Duration(blocked.Unanswered[0].Aftermath())
		look := time.Duration(rapid.Int64Range(0, int64(apart)).Draw(t, "first look"))
		for look < backOff || from <= look && look < over {
			if look += apart; from <= look && look < over {
				look = over + time.Duration(rapid.Int64Range(0, int64(apart)-1).Draw(t, "look after the outage"))
			}
		}
		f := judgeOne(restarting(300*second, 310*second), restarted(look), blocked)
		if f.Verdict == trial.Conforms {
			t.Fatalf("started after %v: %s", look, f.Why)
		}
	})
}

func restarting(earliest, latest time.Duration) trial.Trial {
	return claiming(trial.Claim{
		Measure: trial.Between(trial.Gone, trial.Started.Life(2)),
		Formula: predicts(earliest, latest, earliest, latest),
	})
}

// restarted is a container that lives from 5 s to 10 s and starts again this long after that.
func restarted(after time.Duration) *timeline.Timeline {
	again := at(10*time.Second + after)
	return withLives(
		&timeline.Life{Number: 1, Connected: at(5 * time.Second), Started: at(5 * time.Second), Gone: at(10 * time.Second)},
		&timeline.Life{Number: 2, Connected: again, Started: again},
	)
}

// An outage changes nothing if the window contains every value that is possible without it.
func TestOutageWithinAWideWindow(t *testing.T) {
	wide := dying(predicts(0, time.Minute, 0, time.Minute))
	f := judgeOne(wide, lifeOf(30*time.Second), outageOf(mark.Kubelet, 12*time.Second, 15*time.Second))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Conforms), f.Why)
}

// A late tick of the recorder adds to the observer's error, which must not make a mutant's value conform.
func TestOutageOfTheRecorderHidesNothing(t *testing.T) {
	tl := lifeOf(8 * time.Second)
	tl.Life(trial.Main, 1).Gone.Early = int64(3 * time.Second)
	f := judgeOne(dying(narrowPromise), tl, lateTick(15*time.Second, 3*time.Second))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Inconclusive))
}

// One missed probe shifts everything after it by whole periods, and a count by any number.
func TestOutageIsUnboundedForCountsAndProbes(t *testing.T) {
	g := gomega.NewWithT(t)
	out := outageOf(mark.ContainerRuntime, 11*time.Second, 13*time.Second)
	for n, verdict := range map[int64]trial.Verdict{1: trial.Conforms, 7: trial.Deviates} {
		signals := claiming(trial.Claim{Measure: trial.StopSignals(), Formula: counts(n)})
		g.Expect(judgeOne(signals, lifeOf(5*time.Second), delay.Record{}).Verdict).To(gomega.Equal(verdict))
		g.Expect(judgeOne(signals, lifeOf(5*time.Second), out).Verdict).To(gomega.Equal(trial.Inconclusive))
	}
	probed := dying(narrowPromise)
	probed.Pod = probed.Pod.DeepCopy()
	probed.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{}
	g.Expect(judgeOne(probed, lifeOf(time.Hour), out).Verdict).To(gomega.Equal(trial.Inconclusive))
	g.Expect(judgeOne(dying(narrowPromise), lifeOf(time.Hour), out).Verdict).To(gomega.Equal(trial.Deviates))

	restarted := claiming(trial.Claim{
		Measure: trial.Between(trial.Gone, trial.Started.Life(2)),
		Formula: predicts(15*time.Second, 34*time.Second, 0, 0),
	})
	kubelet := outageOf(mark.Kubelet, 16*time.Second, 20*time.Second)
	for after, verdict := range map[time.Duration]trial.Verdict{
		25 * time.Second: trial.Conforms, 35 * time.Second: trial.Deviates,
	} {
		again := withLives(
			lifeOf(5*time.Second).Life(trial.Main, 1),
			&timeline.Life{Number: 2, Started: at(15*time.Second + after)},
		)
		g.Expect(judgeOne(restarted, again, delay.Record{}).Verdict).To(gomega.Equal(verdict))
		g.Expect(judgeOne(restarted, again, kubelet).Verdict).To(
			gomega.Equal(trial.Inconclusive),
			"a back-off of 20 s ends at the next look, 10 to 15 s apart from the last",
		)
	}
	pulls := claiming(trial.Claim{
		Measure: trial.Between(trial.PullAttempt(1), trial.PullAttempt(2)),
		Formula: predicts(15*time.Second, 34*time.Second, 0, 0),
	})
	pulling := lifeOf(5 * time.Second)
	pulling.Containers[trial.Main].Pulls = []timeline.Instant{*at(15 * time.Second), *at(40 * time.Second)}
	g.Expect(judgeOne(pulls, pulling, delay.Record{}).Verdict).To(gomega.Equal(trial.Conforms))
	g.Expect(judgeOne(pulls, pulling, kubelet).Verdict).To(gomega.Equal(trial.Inconclusive))

	one := claiming(trial.Claim{Measure: trial.StopSignal(), Formula: counts(15)})
	tl := lifeOf(5 * time.Second)
	tl.Life(trial.Main, 1).Signal = "SIGTERM"
	g.Expect(judgeOne(one, tl, out).Verdict).To(gomega.Equal(trial.Conforms), "no outage changes which signal it was")
}

// After an outage of the API server, the watch shows late what a fault changed. Other components do not matter.
func TestOutageOfTheAPIServer(t *testing.T) {
	const second = time.Second
	grace, fault := int64(30), *at(9 * second)
	for name, c := range map[string]struct {
		delays delay.Record
		want   trial.Verdict
	}{
		"none":                     {delay.Record{}, trial.Conforms},
		"at the fault":             {outageOf(mark.APIServer, 8*second, 11*second), trial.Inconclusive},
		"just after the fault":     {outageOf(mark.APIServer, 9*second+second/2, 12*second), trial.Inconclusive},
		"after the fault's change": {outageOf(mark.APIServer, 10*second, 13*second), trial.Conforms},
		"of the kubelet":           {outageOf(mark.Kubelet, 8*second, 11*second), trial.Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * second)
			tl.Faults = []timeline.Fault{{What: "delete", At: *at(5 * second)}, {What: "delete", At: fault}}
			tl.API = []timeline.Change{{At: *at(5 * second), DeletionTimestamp: 35, DeletionGracePeriodSeconds: &grace}}
			for _, claim := range []trial.Claim{
				{Measure: trial.DeletionGrace(2), Formula: inSeconds(30)},
				{Measure: trial.DeletionShift(2), Formula: inSeconds(0)},
			} {
				tr := claiming(claim)
				tr.Faults = []trial.Fault{trial.Delete(), trial.DeleteWithin(5)}
				f := judgeOne(tr, tl, c.delays)
				gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), claim.Measure.String()+": "+f.Why)
			}
		})
	}
}

// inSeconds returns a formula that expects exactly this many seconds.
func inSeconds(n int64) formula.Formula {
	f := counts(n)
	f.Implemented = func(formula.Input) formula.Window {
		return formula.Window{Unit: formula.Seconds}.With(formula.Term{Name: "exactly", Earliest: n, Latest: n})
	}
	return f
}

// For every window: an outage shifts a value by at most its length. The shifted value gets the verdict of the
// undisturbed one, or is inconclusive.
func TestOutageNeverTurnsAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		earliest := rapid.Int64Range(0, 2e10).Draw(t, "earliest")
		width := rapid.Int64Range(0, 2e10).Draw(t, "width")
		documented := rapid.Int64Range(0, width).Draw(t, "documented")
		undisturbed := rapid.Int64Range(0, 6e10).Draw(t, "undisturbed")
		pause := rapid.Int64Range(int64(delay.MinOutage), 1e10).Draw(t, "pause")
		moved := max(0, undisturbed+rapid.Int64Range(-pause, pause).Draw(t, "moved by"))
		end := int64(10*time.Second) + moved
		from := rapid.Int64Range(int64(5*time.Second)-pause, max(int64(5*time.Second)-pause, end-pause)).
			Draw(t, "outage's beginning")
		first, last := time.Duration(earliest), time.Duration(earliest+width)
		tr := dying(predicts(first, last, first, time.Duration(earliest+documented+1)))
		tl := lifeOf(time.Duration(moved))
		tl.Life(trial.Main, 1).Connected = at(5 * time.Second)
		would := judgeOne(tr, lifeOf(time.Duration(undisturbed)), delay.Record{}).Verdict
		got := judgeOne(tr, tl, outageOf(mark.Kubelet, time.Duration(from), time.Duration(from+pause)))
		if got.Verdict != would && got.Verdict != trial.Inconclusive {
			t.Fatalf("%s, undisturbed %s: %s", got.Verdict, would, got.Why)
		}
	})
}

package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/timeline"
)

// silence is a node one of whose programs did not answer.
func silence(of string, from, to time.Duration) delay.Record {
	return delay.Record{Unanswered: []delay.Outage{{Component: of, From: zero + int64(from), To: zero + int64(to)}}}
}

// A life that began at 5 s and was signalled at 10 s dies so long afterwards; 5 to 6 s are implemented, up
// to 5.5 s documented.
func TestOutageLeavesOpenWhatItCouldHaveChanged(t *testing.T) {
	const second = time.Second
	kubelet := func(from, to time.Duration) delay.Record { return silence(mark.Kubelet, from, to) }
	for name, c := range map[string]struct {
		after time.Duration
		noise delay.Record
		want  Verdict
	}{
		"a hit that may have been a miss":               {5 * second, kubelet(12*second, 14*second), Inconclusive},
		"a divergence that may have been none":          {5800 * time.Millisecond, kubelet(12*second, 14*second), Inconclusive},
		"a miss that may have been a hit":               {8 * second, kubelet(12*second, 14*second), Inconclusive},
		"a miss as far as pause and aftermath":          {9 * second, kubelet(12*second, 14*second), Inconclusive},
		"a miss that is farther":                        {9*second + 1, kubelet(12*second, 14*second), Deviates},
		"too early, which may have begun late":          {second, kubelet(7*second, 10*second), Inconclusive},
		"too early by more":                             {second, kubelet(8*second, 10*second), Deviates},
		"the container runtime's aftermath is longer":   {5 * second, silence(mark.ContainerRuntime, -16*second, -14*second), Inconclusive},
		"before the container runtime's aftermath":      {5 * second, silence(mark.ContainerRuntime, -17*second, -15*second), Conforms},
		"of the container runtime":                      {5 * second, silence(mark.ContainerRuntime, 12*second, 12*second+delay.MinOutage), Inconclusive},
		"of the recorder, by its ticks":                 {5 * second, delay.Record{LateTicks: []delay.Span{{From: zero + int64(12*second), To: zero + int64(12*second+delay.MinOutage)}}}, Inconclusive},
		"shorter: noise spoils no hit":                  {5 * second, kubelet(12*second, 12*second+delay.MinOutage-1), Conforms},
		"shorter: noise excuses a miss":                 {7 * second, kubelet(12*second, 12*second+delay.MinOutage-1), Inconclusive},
		"while the life ran, before the signal":         {5 * second, kubelet(6*second, 8*second), Inconclusive},
		"before the life":                               {5 * second, kubelet(1*second, 4*second), Conforms},
		"before the life, but not its aftermath":        {5 * second, kubelet(1*second, 4*second+1), Inconclusive},
		"the API server's aftermath is longer":          {5 * second, silence(mark.APIServer, -10*second, -8*second), Inconclusive},
		"before the API server's aftermath":             {5 * second, silence(mark.APIServer, -20*second, -18*second), Conforms},
		"after the end":                                 {5 * second, kubelet(15*second, 18*second), Conforms},
		"that goes on after the end counts up to there": {9*second + 1, kubelet(18*second+second/2, 30*second), Deviates},
		"two of them add up":                            {11 * second, delay.Record{Unanswered: []delay.Outage{kubelet(11*second, 12*second+second/2).Unanswered[0], kubelet(13*second, 14*second+second/2).Unanswered[0]}}, Inconclusive},
		"a miss beyond all pauses":                      {time.Hour, kubelet(12*second, 14*second), Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(c.after)
			tl.Life(Main, 1).Connected = at(5 * second)
			f := judge1(dying(narrowPromise), tl, c.noise)
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			if f.Verdict == Inconclusive {
				g.Expect(f.Diagnosis).To(gomega.BeNil())
			}
		})
	}
}

// A window that holds every value that it may have been without the outage leaves nothing open.
func TestOutageWithinAWideWindow(t *testing.T) {
	wide := dying(predicts(0, time.Minute, 0, time.Minute))
	f := judge1(wide, lifeOf(30*time.Second), silence(mark.Kubelet, 12*time.Second, 15*time.Second))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(Conforms), f.Why)
}

// A stall of the recorder is part of the observer's error, which widens the windows: a mutant's value must
// not conform by it.
func TestOutageOfTheRecorderHidesNothing(t *testing.T) {
	tl := lifeOf(8 * time.Second)
	tl.Life(Main, 1).Gone.Early = int64(3 * time.Second)
	stalled := delay.Record{
		LateTicks: []delay.Span{{From: zero + int64(15*time.Second), To: zero + int64(18*time.Second)}},
	}
	gomega.NewWithT(t).Expect(judge1(dying(narrowPromise), tl, stalled).Verdict).To(gomega.Equal(Inconclusive))
}

// One probe that fails or does not come moves all that follows by periods, and a count by any number: no
// pause bounds that.
func TestOutageLeavesCountsAndProbesOpen(t *testing.T) {
	g := gomega.NewWithT(t)
	out := silence(mark.ContainerRuntime, 11*time.Second, 13*time.Second)
	for n, verdict := range map[int64]Verdict{1: Conforms, 7: Deviates} {
		signals := claiming(Claim{Measure: StopSignals(), Formula: counts(n)})
		g.Expect(judge1(signals, lifeOf(5*time.Second), delay.Record{}).Verdict).To(gomega.Equal(verdict))
		g.Expect(judge1(signals, lifeOf(5*time.Second), out).Verdict).To(gomega.Equal(Inconclusive))
	}
	probed := dying(narrowPromise)
	probed.Pod = probed.Pod.DeepCopy()
	probed.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{}
	g.Expect(judge1(probed, lifeOf(time.Hour), out).Verdict).To(gomega.Equal(Inconclusive))
	g.Expect(judge1(dying(narrowPromise), lifeOf(time.Hour), out).Verdict).To(gomega.Equal(Deviates))

	restarted := claiming(
		Claim{Measure: Between(Gone, Started.Life(2)), Formula: predicts(15*time.Second, 34*time.Second, 0, 0)},
	)
	kubelet := silence(mark.Kubelet, 16*time.Second, 20*time.Second)
	for after, verdict := range map[time.Duration]Verdict{25 * time.Second: Conforms, 35 * time.Second: Deviates} {
		again := withLives(
			lifeOf(5*time.Second).Life(Main, 1),
			&timeline.Life{Number: 2, Started: at(15*time.Second + after)},
		)
		g.Expect(judge1(restarted, again, delay.Record{}).Verdict).To(gomega.Equal(verdict))
		g.Expect(judge1(restarted, again, kubelet).Verdict).
			To(gomega.Equal(Inconclusive), "a back-off of 20 s ends at the next look, 10 to 15 s apart from the last")
	}
	pulls := claiming(
		Claim{
			Measure: Between(PullAttempt(1), PullAttempt(2)),
			Formula: predicts(15*time.Second, 34*time.Second, 0, 0),
		},
	)
	pulling := lifeOf(5 * time.Second)
	pulling.Containers[Main].Pulls = []timeline.Instant{*at(15 * time.Second), *at(40 * time.Second)}
	g.Expect(judge1(pulls, pulling, delay.Record{}).Verdict).To(gomega.Equal(Conforms))
	g.Expect(judge1(pulls, pulling, kubelet).Verdict).To(gomega.Equal(Inconclusive))

	one := claiming(Claim{Measure: StopSignal(), Formula: counts(15)})
	tl := lifeOf(5 * time.Second)
	tl.Life(Main, 1).Signal = "SIGTERM"
	g.Expect(judge1(one, tl, out).Verdict).To(gomega.Equal(Conforms), "which signal it was no outage changes")
}

// A watch that comes back late to an API server that was away tells late what a cue changed, and until then
// looks as if it had changed nothing. Other programs have no part in what the API shows of a deletion.
func TestOutageOfTheAPIServerLeavesADeletionOpen(t *testing.T) {
	const second = time.Second
	grace, cue := int64(30), *at(9 * second)
	for name, c := range map[string]struct {
		noise delay.Record
		want  Verdict
	}{
		"none":               {delay.Record{}, Conforms},
		"at the cue":         {silence(mark.APIServer, 8*second, 11*second), Inconclusive},
		"just after the cue": {silence(mark.APIServer, 9*second+second/2, 12*second), Inconclusive},
		"when all was told":  {silence(mark.APIServer, 10*second, 13*second), Conforms},
		"of the kubelet":     {silence(mark.Kubelet, 8*second, 11*second), Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * second)
			tl.Cues = []timeline.Cue{{What: "delete", At: *at(5 * second)}, {What: "delete", At: cue}}
			tl.API = []timeline.Change{{At: *at(5 * second), DeletionTimestamp: 35, DeletionGracePeriodSeconds: &grace}}
			for _, claim := range []Claim{{Measure: DeletionGrace(2), Formula: inSeconds(30)}, {Measure: DeletionShift(2), Formula: inSeconds(0)}} {
				tr := claiming(claim)
				tr.Cues = []Cue{Delete(), DeleteWithin(5)}
				f := judge1(tr, tl, c.noise)
				gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), claim.Measure.String()+": "+f.Why)
			}
		})
	}
}

// inSeconds is a formula that says exactly so many.
func inSeconds(n int64) formula.Formula {
	f := counts(n)
	f.Implemented = func(formula.Input) formula.Window {
		return formula.Window{Unit: formula.Seconds}.With(formula.Term{Name: "exactly", Earliest: n, Latest: n})
	}
	return f
}

// What never came while a program stood still may have been lost.
func TestOutageExplainsAbsence(t *testing.T) {
	for name, c := range map[string]struct {
		noise delay.Record
		want  Verdict
	}{
		"none":                         {delay.Record{}, Deviates},
		"while it was due":             {silence(mark.Kubelet, 12*time.Second, 15*time.Second), Inconclusive},
		"soon after it was due":        {silence(mark.Kubelet, 20*time.Second, 23*time.Second), Inconclusive},
		"long after it was due":        {silence(mark.Kubelet, 40*time.Second, 43*time.Second), Deviates},
		"shorter than an outage lasts": {silence(mark.Kubelet, 12*time.Second, 12*time.Second+delay.MinOutage-1), Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(0)
			tl.Life(Main, 1).Gone = nil
			tl.Known = zero + int64(time.Minute)
			f := judge1(dying(narrowPromise), tl, c.noise)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// The rule itself: whatever the windows, a pause moves a value by no more than its length, and no verdict
// changes by it. A kubelet without the outage would have measured the undisturbed value; the disturbed one
// gives the same verdict or none.
func TestNoOutageChangesAVerdict(t *testing.T) {
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
		tr := dying(
			predicts(
				time.Duration(earliest),
				time.Duration(earliest+width),
				time.Duration(earliest),
				time.Duration(earliest+documented+1),
			),
		)
		tl := lifeOf(time.Duration(moved))
		tl.Life(Main, 1).Connected = at(5 * time.Second)
		would := judge1(tr, lifeOf(time.Duration(undisturbed)), delay.Record{}).Verdict
		got := judge1(tr, tl, silence(mark.Kubelet, time.Duration(from), time.Duration(from+pause)))
		if got.Verdict != would && got.Verdict != Inconclusive {
			t.Fatalf("%s, undisturbed %s: %s", got.Verdict, would, got.Why)
		}
	})
}

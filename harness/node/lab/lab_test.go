package lab

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// await waits for a trial of the tests' subject.
func await(t *testing.T, l *Lab, tr trial.Trial) trial.Outcome {
	t.Helper()
	o, err := l.Await(t.Context(), tr.ID, subjectName)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return o
}

func start(l *Lab, trials ...trial.Trial) {
	var selections []runner.Selection
	for _, tr := range trials {
		selections = append(selections, runner.Selection{Trial: tr, Subject: subjectName})
	}
	l.Start(selections)
}

// lag is what the harness adds to a wait: a question to the recorder, and two looks.
const lag = 2*lookEvery + 100*time.Millisecond

func TestConforms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		tr := deletion("grace-2", 2)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(1))
		g.Expect(l.States()[0].Phase).To(Equal(runner.Done))
		g.Expect(l.Err()).To(Succeed())
	})
}

// The API server refuses every pod of a namespace until the controller manager has made its service account.
func TestWaitsForTheServiceAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		began := time.Now()
		w.api.accountFrom = began.Add(accountWithin - time.Second)
		w.open(t, nil)
		g.Expect(time.Now()).To(BeTemporally("~", w.api.accountFrom, 2*time.Second))
	})
}

func TestNamesTheServiceAccountThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.api.accountFrom = time.Now().Add(time.Hour)
		_, err := Open(t.Context(), Options{Config: w.api.config(), Namespace: "trials", Log: io.Discard})
		NewWithT(t).Expect(err).To(MatchError(And(
			ContainSubstring("namespace trials: its service account default did not come within 2m0s"),
			ContainSubstring("kube-controller-manager"))))
	})
}

func TestStartsAllLongestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(string) behaviour { return behaviour{starts: 2 * time.Second} }
		l := w.open(t, func(o *Options) { o.StartsAtOnce = 1 })
		trials := []trial.Trial{deletion("b", 20), deletion("d", 5), deletion("a", 30), deletion("c", 10)}
		start(l, trials...)
		for _, tr := range trials {
			g.Expect(await(t, l, tr).Verdict).To(Equal(trial.Conforms))
		}
		g.Expect(w.created).
			To(Equal([]string{"test-a-v1-36-3-1", "test-b-v1-36-3-1", "test-c-v1-36-3-1", "test-d-v1-36-3-1"}))
		g.Expect(w.peak).To(Equal(1))
	})
}

func TestBoundsStartsAndRunsAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(string) behaviour { return behaviour{starts: 3 * time.Second} }
		l := w.open(t, func(o *Options) { o.StartsAtOnce = 3 })
		var trials []trial.Trial
		for i := range 30 {
			trials = append(trials, deletion(fmt.Sprint("number-", i), 30))
		}
		begun := time.Now()
		start(l, trials...)
		for _, tr := range trials {
			g.Expect(await(t, l, tr).Verdict).To(Equal(trial.Conforms))
		}
		g.Expect(w.peak).To(Equal(3))
		g.Expect(time.Since(begun)).
			To(BeNumerically("<", 75*time.Second),
				"ten batches of starts and one trial's time, not that of thirty trials")
	})
}

func TestFaultComesAfterTheLastContainerStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(string) behaviour { return behaviour{starts: 4 * time.Second} }
		l := w.open(t, nil)
		tr := deletion("two", 2, "second")
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		evidence := o.Last().Evidence
		tl := timeline.Build(evidence, delay.Record{})
		first, second := tl.Life("victim", 1), tl.Life("second", 1)
		g.Expect(second.Started.At - first.Started.At).To(Equal(int64(4 * time.Second)))
		fault := evidence.Faults[0].At
		g.Expect(time.Duration(fault.At - second.Started.At)).
			To(And(BeNumerically(">=", tr.Faults[0].After), BeNumerically("<=", tr.Faults[0].After+lag)))
		// The node acts on the delete at once, so fault and signal have the same instant.
		g.Expect(time.Duration(first.SIGTERM().At - fault.At).Abs()).
			To(BeNumerically("<=", time.Duration(fault.Early+fault.Late)+time.Millisecond))
	})
}

func TestEndsWhenEverythingIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		l := newWorld(t).open(t, nil)
		tr := deletion("long-bound", 2)
		tr.Lasts = time.Hour
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		// The fault comes after 3 s, the death 2 s later, and the recorder's next answer within 2 s.
		g.Expect(o.Took()).To(And(BeNumerically(">=", 5*time.Second), BeNumerically("<", 7*time.Second+2*lag)))
	})
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		l := newWorld(t).open(t, nil)
		_, err := l.Await(t.Context(), "test/unknown", subjectName)
		g.Expect(err).To(MatchError("trial test/unknown was not started on " + subjectName))
		tr := deletion("slow", 30)
		start(l, tr)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, fmt.Errorf("the spec's time is over"))
		defer cancel()
		o, err := l.Await(ctx, tr.ID, subjectName)
		g.Expect(err).To(MatchError("wait for trial test/slow on v1.36.3: the spec's time is over"))
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
	})
}

func TestSlowStartTakesNoTimeFromTheTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		const starts, lives = 38 * time.Second, 3 * time.Second
		w.behaviour = func(string) behaviour { return behaviour{starts: starts} }
		l := w.open(t, nil)
		tr := deletion("late", 1)
		g.Expect(tr.Bound()).To(BeNumerically("<", starts+lives))
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Attempts).To(HaveLen(1))
		for _, f := range o.Last().Result.Findings {
			late := f.Formula == formula.PodStarts.ID // on a free node, a start takes no 38 s
			g.Expect(f.Verdict == trial.Deviates).To(Equal(late), "%s: %s", f.Claim, f.Why)
		}
	})
}

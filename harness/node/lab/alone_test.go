package lab

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A trial that is inconclusive beside others gets its last attempts when all others run or have ended, and not beside
// another one's.
func TestLastAttemptsAreAlone(t *testing.T) {
	for name, c := range map[string]struct {
		late     string // the attempts whose deaths a busy node delays
		verdict  trial.Verdict
		attempts int
	}{
		"and one is enough":   {"123", trial.Conforms, 4},
		"and there are four":  {"123456", trial.Conforms, 7},
		"and then it is over": {"1234567", trial.Inconclusive, 7},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				w.behaviour = func(pod string) behaviour {
					if !strings.Contains(pod, "long") && strings.Contains(c.late, pod[len(pod)-1:]) {
						return behaviour{dies: 6 * time.Second}
					}
					return behaviour{}
				}
				l := w.open(t, nil)
				l.press(t, [2]time.Duration{0, time.Hour})
				time.Sleep(3 * time.Second) // the pressure is that of the last seconds
				long, others := deletion("long", 900), []trial.Trial{deletion("a", 5), deletion("b", 5)}
				start(l, append(others, long)...)
				var last []trial.Attempt
				for _, tr := range others {
					o := await(t, l, tr)
					g.Expect(o.Verdict).To(Equal(c.verdict), o.Reason())
					g.Expect(o.Attempts).To(HaveLen(c.attempts))
					last = append(last, o.Attempts[3:]...)
				}
				for i, a := range last {
					for _, b := range last[:i] {
						ended := b.Started.Add(b.Took)
						g.Expect(a.Started.Before(ended) && b.Started.Before(a.Started.Add(a.Took))).
							To(BeFalse(), "%v and %v", a.Started, b.Started)
					}
				}
				g.Expect(l.States()).To(ContainElement(HaveField("Phase", runner.Running)),
					"nobody waits for a long trial")
				o := await(t, l, long)
				g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
			})
		})
	}
}

// Last attempts on a spare worker wait for no long trial on another node.
func TestLastAttemptsOnASpareWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(pod string) behaviour {
			if !strings.Contains(pod, "long") && strings.ContainsAny(pod[len(pod)-1:], "123") {
				return behaviour{dies: 6 * time.Second}
			}
			return behaviour{}
		}
		l := w.withSpare(t, &workshop{})
		l.press(t, [2]time.Duration{0, time.Hour})
		time.Sleep(3 * time.Second) // the pressure is that of the last seconds
		long, own := deletion("long", 900), deletion("own", 5)
		own.Worker = &trial.Worker{Name: "one"}
		start(l, long, own)
		o := await(t, l, own)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(4))
		g.Expect(l.States()).To(ContainElement(HaveField("Phase", runner.Running)), "the long trial")
		g.Expect(await(t, l, long).Verdict).To(Equal(trial.Conforms))
	})
}

// A trial with a worker of its own may still run when no other waits to start. Only ordinary last attempts come beside
// it.
func TestTakeUndecided(t *testing.T) {
	g := NewWithT(t)
	l, all := &Lab{}, runner.NewSelections(nil)
	for _, tr := range []trial.Trial{deletion("a", 1), tuned("own", "one", false), deletion("b", 1)} {
		l.undecided.all = append(l.undecided.all, all.Add(runner.Selection{Trial: tr, Subject: subjectName}))
	}
	ids := func(taken []*runner.Attempts) (ids []string) {
		for _, r := range taken {
			ids = append(ids, r.Trial.ID)
		}
		return ids
	}
	g.Expect(ids(l.takeUndecided(ordinary))).To(Equal([]string{"test/a", "test/b"}))
	g.Expect(ids(l.undecided.all)).To(Equal([]string{"test/own"}))
}

// Last attempts on spare workers come one after another for each subject, so that no two of them need the same worker.
func TestTurnsOfLastAttempts(t *testing.T) {
	g := NewWithT(t)
	ordinary, brief := deletion("ordinary", 60), deletion("brief", 1)
	ordinary.Lasts, brief.Lasts = time.Minute, time.Second
	var open []*runner.Attempts
	all := runner.NewSelections(nil)
	for _, tr := range []trial.Trial{brief, tuned("a", "one", false), ordinary, tuned("b", "two", false),
		tuned("c", "one", false)} {
		open = append(open, all.Add(runner.Selection{Trial: tr, Subject: subjectName}))
	}
	open = append(open, all.Add(runner.Selection{Trial: tuned("d", "one", false), Subject: "other"}))
	var got [][]string
	for _, jobs := range turns(open) {
		var turn []string
		for _, j := range jobs {
			g.Expect(j.last && j.worker.Alone).To(BeTrue())
			for _, r := range j.selections {
				turn = append(turn, r.Trial.ID)
			}
		}
		got = append(got, turn)
	}
	g.Expect(got).To(Equal([][]string{
		{"test/ordinary"}, {"test/a", "test/c", "test/b"}, {"test/d"}, {"test/brief"},
	}))
}

// Last attempts on a spare worker come on one that can be used.
func TestTheNodeOfLastAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		l := newWorld(t).withSpare(t, &workshop{})
		r := runner.NewSelections(nil)
		on := func(tr trial.Trial) string {
			attempts := r.Add(runner.Selection{Trial: tr, Subject: subjectName})
			return l.nodeOf(job{selections: []*runner.Attempts{attempts}}).name
		}
		g.Expect(on(deletion("ordinary", 1))).To(Equal(nodeName))
		g.Expect(on(tuned("own", "one", false))).To(Equal(spareName))
		l.options.Subjects[0].Spares = []string{nodeName, spareName}
		g.Expect(on(tuned("own", "one", false))).To(Equal(nodeName))
		l.nodes[nodeName].become(abandoned, "as the test wants")
		g.Expect(on(tuned("own", "one", false))).To(Equal(spareName))
		l.options.External = true
		g.Expect(on(tuned("own", "one", false))).To(Equal(nodeName), "the subject's only node")
	})
}

package lab

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// unanswered returns a recorder's record of a component that has not answered for this long.
func unanswered(of string, length time.Duration) []mark.Record {
	return []mark.Record{
		{
			At:     time.Now().UnixNano(),
			Kind:   mark.NoAnswer,
			Detail: mark.Detail{NoAnswer: &mark.NoAnswerDetail{Of: of, NS: int64(length)}},
		},
	}
}

// A restart by the lab is expected. At any other time, or of another component, no answer is an outage.
func TestARestartByTheLabIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := quietNode(t)
		time.Sleep(10 * time.Second)
		n.take(unanswered(mark.Kubelet, 2*time.Second))
		undisturbed := n.disturb(mark.Kubelet)
		time.Sleep(2 * time.Second)
		n.take(unanswered(mark.Kubelet, 2100*time.Millisecond)) // while it is under way
		n.take(unanswered(mark.ContainerRuntime, 2*time.Second))
		undisturbed()
		time.Sleep(3 * time.Second)
		n.take(unanswered(mark.Kubelet, 5100*time.Millisecond)) // until it answered
		time.Sleep(time.Minute)
		n.take(unanswered(mark.Kubelet, 2*time.Second))
		var of []string
		for _, s := range n.delays().Unanswered {
			of = append(of, s.Component)
		}
		g.Expect(of).To(Equal([]string{mark.Kubelet, mark.ContainerRuntime, mark.Kubelet}))
	})
}

func TestDrainWaitsUntilEveryComponentAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := quietNode(t)
		time.Sleep(10 * time.Second)
		begun := time.Now()
		go func() {
			for length := 500 * time.Millisecond; length < 3*time.Second; length += 250 * time.Millisecond {
				n.take(unanswered(mark.Kubelet, length))
				time.Sleep(250 * time.Millisecond)
			}
		}()
		g.Expect(n.drain(t.Context())).To(Succeed())
		g.Expect(time.Since(begun)).To(And(BeNumerically(">", 2500*time.Millisecond), BeNumerically("<", draining)))
		g.Expect(n.delays().Unanswered).To(HaveLen(1))
	})
}

// A trial that an outage affected gets a further attempt, after the outage and its aftermath.
func TestATrialIsRunAgainAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		tr := deletion("touched", 10)
		l.Start([]runner.Selection{{Trial: tr, Subject: subjectName}})
		n := l.nodes[nodeName]
		var last time.Time
		var telling sync.WaitGroup
		telling.Go(func() {
			time.Sleep(6 * time.Second)
			for range 7 {
				n.take(unanswered(mark.ContainerRuntime, 1600*time.Millisecond))
				last = time.Now()
				time.Sleep(2 * time.Second)
			}
		})
		o := await(t, l, tr)
		telling.Wait()
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(2))
		g.Expect(o.Attempts[0].Result.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Attempts[0].Result.Findings[0].Why).
			To(ContainSubstring("the container runtime did not answer for 1.600 s"))
		g.Expect(o.Attempts[1].Started).To(BeTemporally(">=", last.Add(2*time.Second)))
	})
}

// Judging waits until the length of an API server's outage is known, so a saved run gets the same verdict.
func TestAnAPIServerThatHangsIsAnOutage(t *testing.T) {
	for name, c := range map[string]struct {
		before, hangs time.Duration
		attempts      int
	}{
		"during the measurement":     {8 * time.Second, 4 * time.Second, 2},
		"at its end":                 {200 * time.Millisecond, 4 * time.Second, 2},
		"after it":                   {-time.Second, 4 * time.Second, 1},
		"too short to be noticeable": {8 * time.Second, time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				run, hang := w.api.run, sync.OnceFunc(func() { w.api.hang(c.hangs) })
				const grace = 10 * time.Second
				w.api.run = func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
					if !strings.HasPrefix(pod.Name, "recorder-") {
						go func() {
							<-deleted
							time.Sleep(grace - c.before)
							hang()
						}()
					}
					run(ctx, pod, deleted)
				}
				l := w.open(t, nil)
				tr := deletion("hung", int64(grace.Seconds()))
				start(l, tr)
				o := await(t, l, tr)
				g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
				g.Expect(o.Attempts).To(HaveLen(c.attempts), o.Reason())
				time.Sleep(10 * time.Second)
				delays := l.Nodes()[0].Delays
				if c.attempts > 1 {
					g.Expect(delays.Unanswered).To(HaveLen(1))
					g.Expect(time.Duration(delays.Unanswered[0].To - delays.Unanswered[0].From)).
						To(BeNumerically("~", c.hangs, askAPIEvery))
					g.Expect(o.Attempts[0].Result.Findings[0].Why).
						To(ContainSubstring("the API server did not answer for"))
				}
				for _, a := range o.Attempts {
					again := judge.Judge(tr, timeline.Build(a.Evidence, delays), delays, a.Kubelet)
					g.Expect(again.Verdict).To(Equal(a.Result.Verdict), "judged again with what the whole run knows")
				}
			})
		})
	}
}

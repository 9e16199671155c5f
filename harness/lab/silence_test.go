package lab

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// told is a recorder's word of a silence that has lasted so long now.
func told(of string, length time.Duration) []mark.Record {
	return []mark.Record{{At: time.Now().UnixNano(), Kind: mark.Silence, Detail: mark.Detail{Silence: &mark.SilenceDetail{Of: of, NS: int64(length)}}}}
}

// A kubelet that the lab restarts is silent meanwhile, which trials that ask for it expect. Another program's silence, or the kubelet's own, is an outage.
func TestARestartByTheLabIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := quietNode(t)
		time.Sleep(10 * time.Second)
		n.take(told(mark.Kubelet, 2*time.Second))
		undisturbed := n.disturb()
		time.Sleep(2 * time.Second)
		n.take(told(mark.Kubelet, 2100*time.Millisecond)) // while it is under way
		n.take(told(mark.ContainerRuntime, 2*time.Second))
		undisturbed()
		time.Sleep(3 * time.Second)
		n.take(told(mark.Kubelet, 5100*time.Millisecond)) // until it answered
		time.Sleep(time.Minute)
		n.take(told(mark.Kubelet, 2*time.Second))
		var of []string
		for _, s := range n.noiseSoFar().Silences {
			of = append(of, s.Of)
		}
		g.Expect(of).To(Equal([]string{mark.Kubelet, mark.ContainerRuntime, mark.Kubelet}))
	})
}

// What was late because a program stands still is judged when it is known for how long it did.
func TestDrainWaitsUntilEveryProgramAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		n := quietNode(t)
		time.Sleep(10 * time.Second)
		begun := time.Now()
		go func() {
			for silent := 500 * time.Millisecond; silent < 3*time.Second; silent += 250 * time.Millisecond {
				n.take(told(mark.Kubelet, silent))
				time.Sleep(250 * time.Millisecond)
			}
		}()
		g.Expect(n.drain(t.Context())).To(Succeed())
		g.Expect(time.Since(begun)).To(And(BeNumerically(">", 2500*time.Millisecond), BeNumerically("<", draining)))
		g.Expect(n.noiseSoFar().Silences).To(HaveLen(1))
	})
}

// A trial that an outage touched is run again when the node's programs answer, and when what they had kept waiting is over.
func TestATrialIsRunAgainAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		tr := deletion("touched", 10)
		l.Start([]stage.Selection{{Trial: tr, Subject: subjectName}})
		n := l.nodes[nodeName]
		var last time.Time
		go func() {
			time.Sleep(6 * time.Second)
			for range 7 {
				n.take(told(mark.ContainerRuntime, 1600*time.Millisecond))
				last = time.Now()
				time.Sleep(2 * time.Second)
			}
		}()
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(2))
		g.Expect(o.Attempts[0].Result.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Attempts[0].Result.Findings[0].Why).To(ContainSubstring("the container runtime did not answer for 1.600 s"))
		g.Expect(o.Attempts[1].Started).To(BeTemporally(">=", last.Add(2*time.Second)))
	})
}

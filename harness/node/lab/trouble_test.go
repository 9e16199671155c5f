package lab

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

func TestConclusiveIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(string) behaviour { return behaviour{dies: time.Second} }
		l := w.open(t, nil)
		tr := deletion("killed-early", 5)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Deviates))
		g.Expect(o.Attempts).To(HaveLen(1))
	})
}

func TestInconclusiveIsRetried(t *testing.T) {
	for name, c := range map[string]struct {
		bad      string // the attempts that fail
		verdict  trial.Verdict
		attempts int
	}{
		"until it is conclusive":  {bad: "1", verdict: trial.Conforms, attempts: 2},
		"as often as it may be":   {bad: "123", verdict: trial.Inconclusive, attempts: 3},
		"not when all went right": {bad: "", verdict: trial.Conforms, attempts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				w.behaviour = func(pod string) behaviour {
					if strings.Contains(c.bad, pod[len(pod)-1:]) {
						return behaviour{never: "ImagePullBackOff"}
					}
					return behaviour{}
				}
				// With one place among the starting pods, a retry that leaks a place or takes two blocks the other
				// trial.
				l := w.open(t, func(o *Options) { o.StartsAtOnce = 1 })
				tr, other := deletion("retried", 2), deletion("other", 2)
				start(l, tr, other)
				for _, o := range []trial.Outcome{await(t, l, tr), await(t, l, other)} {
					g.Expect(o.Verdict).To(Equal(c.verdict), o.Reason())
					g.Expect(o.Attempts).To(HaveLen(c.attempts))
				}
			})
		})
	}
}

func TestPodThatNeverStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(string) behaviour { return behaviour{never: "ImagePullBackOff"} }
		l := w.open(t, func(o *Options) { o.Attempts = 1 })
		tr := deletion("stuck", 2)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Took()).To(BeNumerically("~", runner.StartWithin, time.Second))
		g.Expect(o.Why).
			To(Equal("pod test-stuck-v1-36-3-1 on node worker-1: waited for the start of container victim: " +
				"it did not come within 1m30s " +
				"(phase Pending, container victim waits: ImagePullBackOff as the test wants)"))
		g.Expect(l.States()[0].Why).To(Equal(o.Why))
	})
}

func TestFaultThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.api.refuseDelete = true
		l := w.open(t, func(o *Options) { o.Attempts = 1 })
		tr := deletion("refused", 2)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Why).To(HavePrefix("delete pod test-refused-v1-36-3-1: "))
		g.Expect(o.Last().Evidence.Faults).To(HaveLen(1))
		g.Expect(o.Last().Evidence.Faults[0].Error).NotTo(BeEmpty())
	})
}

func TestStopKeepsWhatWasMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(pod string) behaviour {
			if strings.Contains(pod, "blocks") {
				return behaviour{never: "ContainerCreating"}
			}
			return behaviour{}
		}
		l := w.open(t, func(o *Options) { o.StartsAtOnce = 1 })
		running, blocks, waiting := deletion("running", 300), deletion("blocks", 200), deletion("waiting", 100)
		start(l, running, blocks, waiting)
		time.Sleep(20 * time.Second) // the first was deleted and is in its grace period
		stopped := time.Now()
		l.Stop()
		g.Expect(time.Since(stopped)).To(BeNumerically("<", time.Second))

		o := await(t, l, running)
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Why).To(ContainSubstring("waited for death: the lab is closed"))
		g.Expect(o.Attempts).To(HaveLen(1), "an interrupted trial is not tried again")
		kinds := []string{}
		for _, m := range o.Last().Evidence.Marks {
			kinds = append(kinds, string(m.Kind))
		}
		g.Expect(kinds).To(Equal([]string{"connected", "started", "sigterm"}))
		g.Expect(o.Last().Evidence.Faults).To(HaveLen(1))

		g.Expect(await(t, l, blocks).Why).
			To(ContainSubstring("waited for the start of container victim: the lab is closed"))
		g.Expect(await(t, l, waiting)).To(And(
			HaveField("Why", "it never ran"),
			HaveField("Attempts", BeEmpty()),
			HaveField("Verdict", trial.Inconclusive),
		))
		g.Expect(l.Outcomes()).To(HaveLen(3))
		g.Expect(l.Err()).To(Succeed())
	})
}

func TestCloseDeletesTheNamespaceAfterAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		g.Expect(w.api.namespaces).To(HaveKey("trials"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		g.Expect(l.Close(ctx)).To(Succeed())
		g.Expect(w.api.namespaces).To(BeEmpty())
	})
}

func TestOpenThatFailsLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.api.run = func(ctx context.Context, pod *corev1.Pod, _ <-chan struct{}) {
			w.api.status(pod.Name, func(s *corev1.PodStatus) {
				s.ContainerStatuses = []corev1.ContainerStatus{{Name: "recorder", State: corev1.ContainerState{
					Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"},
				}}}
			})
			<-ctx.Done()
		}
		_, err := Open(t.Context(), Options{
			Config:    w.api.config(),
			Namespace: "trials",
			Subjects:  []Placement{{Name: subjectName, Slug: "slug", Node: nodeName}},
			Log:       io.Discard,
		})
		g.Expect(err).
			To(MatchError("start the recorder on node worker-1: pod recorder-worker-1 did not answer within 1m0s " +
				"(phase Pending, container recorder waits: CrashLoopBackOff)"))
		g.Expect(w.api.namespaces).To(BeEmpty(), "a recorder that stays keeps the ports that the next run needs")
	})
}

func TestANodeWhoseRecorderNeverStartsIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.api.run = func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
			if pod.Name == "recorder-"+spareName {
				<-ctx.Done()
				return
			}
			w.run(ctx, pod, deleted)
		}
		l := w.open(t, func(o *Options) {
			o.Subjects = append(o.Subjects, Placement{Name: "broken", Slug: "broken", Node: spareName})
		})
		tr := deletion("on-both", 2)
		l.Start([]runner.Selection{{Trial: tr, Subject: subjectName}, {Trial: tr, Subject: "broken"}})
		g.Expect(await(t, l, tr).Verdict).To(Equal(trial.Conforms))
		const why = "start the recorder on node worker-2: pod recorder-worker-2 did not answer within 1m0s"
		g.Expect(l.Await(t.Context(), tr.ID, "broken")).
			To(And(HaveField("Verdict", trial.Inconclusive), HaveField("Why", HavePrefix(why))))
	})
}

func TestAPIServerGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		running, injected := deletion("running", 300), deletion("injected-later", 300)
		injected.Faults[0].After = 50 * time.Second
		start(l, running, injected)
		time.Sleep(20 * time.Second)
		w.api.goAway()
		away := time.Now()
		for _, tr := range []trial.Trial{running, injected} {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
			g.Expect(o.Last()).NotTo(BeNil())
			g.Expect(l.outcomeMarks(tr)).NotTo(BeZero(), "what was measured before is kept")
		}
		g.Expect(time.Since(away)).To(BeNumerically("<", longestAway+persistence))
		g.Expect(l.Err()).To(MatchError(MatchRegexp(`^the API server has been away for 1m\d+s: .*connection refused$`)))
		g.Expect(await(t, l, running).Why).To(ContainSubstring("the API server"))
		w.api.comeBack()
	})
}

// outcomeMarks counts the marks that the first attempt of a trial kept.
func (l *Lab) outcomeMarks(tr trial.Trial) int {
	for _, o := range l.Outcomes() {
		if o.Trial == tr.ID && len(o.Attempts) > 0 {
			return len(o.Attempts[0].Evidence.Marks)
		}
	}
	return 0
}

func TestAPIServerComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		tr := deletion("disturbed", 20)
		start(l, tr)
		time.Sleep(10 * time.Second)
		w.api.goAway()
		time.Sleep(5 * time.Second)
		w.api.comeBack()
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(2), "times that were recorded during the outage of the API server are too late")
		g.Expect(o.Attempts[0].Result.Doubts).To(ContainElement(ContainSubstring("the API server did not answer")))
		outages := l.Nodes()[0].Delays.Unanswered
		g.Expect(outages).To(HaveLen(1), "the outage counts on every node")
		g.Expect(outages[0].Component).To(Equal(mark.APIServer))
		g.Expect(time.Duration(outages[0].To - outages[0].From)).To(BeNumerically("~", 5*time.Second, 2*askAPIEvery))
		g.Expect(o.Attempts[1].Started.UnixNano()).To(BeNumerically(">", l.Nodes()[0].Delays.SettledAt()))
		g.Expect(l.Err()).To(Succeed())
	})
}

func TestRecorderThatIsRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		tr := deletion("unwatched", 20)
		start(l, tr)
		time.Sleep(10 * time.Second)
		w.startRecorder(nodeName, w.recorders[nodeName].owner)
		o := await(t, l, tr)
		g.Expect(o.Attempts).To(HaveLen(2))
		g.Expect(o.Attempts[0].Result.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Attempts[0].Result.Doubts).To(ContainElement(ContainSubstring("the recorder was restarted")))
		g.Expect(o.Verdict).To(Equal(trial.Conforms), "the next pod has nothing to do with the loss: "+o.Reason())
	})
}

func TestUnreadableMarksAffectNoOtherTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		tr := deletion("amid-garbage", 5)
		start(l, tr)
		for range 20 {
			stranger := w.dial(nodeName)
			_, err := stranger.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(stranger.Close()).To(Succeed())
			time.Sleep(250 * time.Millisecond)
		}
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
		g.Expect(o.Attempts).To(HaveLen(1))
		g.Expect(o.Last().Result.Doubts).To(BeEmpty())
	})
}

// Everything was measured, but losses and delays can't be known any more.
func TestAPIServerGoesAwayBeforeTheLastMarksAreConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		run := w.api.run
		w.api.run = func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{}) {
			run(ctx, pod, deleted)
			if !strings.HasPrefix(pod.Name, "recorder-") {
				time.Sleep(50 * time.Millisecond)
				w.api.goAway()
			}
		}
		l := w.open(t, func(o *Options) { o.Attempts = 1 })
		tr := deletion("unconfirmed", 2)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Last().Result.Findings[0].Measured).NotTo(BeNil())
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Why).To(HavePrefix("the last marks of pod test-unconfirmed-v1-36-3-1 did not come"))
		w.api.comeBack()
	})
}

func TestEvictedRecorderEndsItsNode(t *testing.T) {
	for _, phase := range []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t)
			l := w.open(t, nil)
			tr := deletion("long", 300)
			start(l, tr)
			time.Sleep(10 * time.Second)
			g.Expect(l.Nodes()).To(HaveExactElements(HaveField("Evicted", BeEmpty())))
			evicted := time.Now()
			w.api.status("recorder-"+nodeName, func(s *corev1.PodStatus) { s.Phase = phase })

			o := await(t, l, tr)
			g.Expect(time.Since(evicted)).To(BeNumerically("<", time.Minute))
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
			g.Expect(o.Why).
				To(ContainSubstring("its recorder has ended: recorder-" + nodeName + ": phase " + string(phase)))
			g.Expect(o.Attempts).To(HaveLen(1), "no attempt can be measured any more")
			g.Expect(l.Nodes()).To(HaveExactElements(HaveField("Evicted", ContainSubstring(string(phase)))))
		})
	}
}

// The recorder of a node of the pool ends while the node is that of a mutant.
func TestEvictedRecorderOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, func(o *Options) {
			o.Subjects = append(o.Subjects, Placement{Name: "one", Slug: "one"}, Placement{Name: "two", Slug: "two"})
			o.Pool, o.Workers = []string{spareName}, &workshop{}
		})
		tr := deletion("long", 300)
		l.Start([]runner.Selection{{Trial: tr, Subject: "one"}, {Trial: tr, Subject: "two"}})
		time.Sleep(10 * time.Second)
		w.api.status("recorder-"+spareName, func(s *corev1.PodStatus) { s.Phase = corev1.PodFailed })
		for _, subject := range []string{"one", "two"} {
			o, err := l.Await(t.Context(), tr.ID, subject)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		}
		g.Expect(l.Nodes()).To(ContainElement(And(HaveField("Name", spareName), HaveField("EvictedBy", "one"),
			HaveField("Evicted", ContainSubstring("Failed")))))
	})
}

func TestAFieldThatTheAPIServerDropsIsUnsupported(t *testing.T) {
	signalled := func(name string) *corev1.Pod {
		return fixtures.Pod(2, fixtures.Named(name, fixtures.Ignoring, fixtures.StopWith("SIGINT")))
	}
	own, byFault := deletion("own", 2), deletion("by-fault", 2)
	own.Pod = signalled(fixtures.Main)
	companion := signalled("other")
	companion.Name = "companion"
	byFault.Companions = []*corev1.Pod{companion}
	byFault.Faults = append(byFault.Faults, trial.Fault{Action: trial.CreatePod, Pod: companion.Name})
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.api.withoutStopSignal = true
		l := w.open(t, nil)
		start(l, own, byFault)
		for _, tr := range []trial.Trial{own, byFault} {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Unsupported), o.Why)
			g.Expect(o.Why).To(ContainSubstring("the API server drops spec.containers[0].lifecycle.stopSignal"))
		}
	})
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// workshop is a cluster's workers. It records what is done to them.
type workshop struct {
	mu   sync.Mutex
	done []string
	// refuses is why tuning fails, breaks why restoring fails. Nil means that it succeeds.
	refuses, breaks error
	// broken is the subject whose kubelet does not start.
	broken string
	// becoming is called when a node becomes another subject.
	becoming func(subject string)
	// health returns a node's health, "" for no answer.
	health func(node string) string
}

func (w *workshop) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = append(w.done, fmt.Sprintf(format, args...))
}

func (w *workshop) notes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.done)
}

func (w *workshop) Tune(
	_ context.Context,
	node string,
	config trial.Worker,
) (formula.Kubelet, func(context.Context) error, error) {
	w.note("tune %s for %s", node, config.Name)
	if w.refuses != nil {
		return formula.Kubelet{}, nil, w.refuses
	}
	tuned := formula.Kubelet{Version: "v1.36.3", MaxContainerRestartPeriod: 5 * time.Second}
	return tuned, func(context.Context) error { w.note("restore %s", node); return w.breaks }, nil
}

func (w *workshop) Become(_ context.Context, node, subject string) (formula.Kubelet, error) {
	w.note("%s becomes %s", node, subject)
	if w.becoming != nil {
		w.becoming(subject)
	}
	if subject == w.broken {
		return formula.Kubelet{}, errors.New("it does not start")
	}
	return formula.Kubelet{Version: "v1.36.3"}, nil
}

func (w *workshop) PlaceManifest(context.Context, string, string, []byte) error {
	return errors.New("not here")
}

func (w *workshop) RemoveManifest(context.Context, string, string) error {
	return errors.New("not here")
}

func (w *workshop) AnnounceShutdown(context.Context, string) (began, ended time.Time, err error) {
	return began, ended, errors.New("not here")
}

func (w *workshop) RestartKubelet(
	_ context.Context, node string, _ func(context.Context) error,
) (stopping, started time.Time, err error) {
	w.note("restart %s", node)
	return time.Now(), time.Now(), nil
}

func (w *workshop) EndPods(context.Context, string, string) error { return errors.New("not here") }

func (w *workshop) AwaitKubelet(_ context.Context, node string, _ time.Time) error {
	w.note("await %s", node)
	return nil
}

func (w *workshop) AwaitNoPressure(context.Context, string) error { return nil }

func (w *workshop) Health(_ context.Context, node string) (string, error) {
	if w.health == nil {
		return "well", nil
	}
	if now := w.health(node); now != "" {
		return now, nil
	}
	return "", errors.New("no answer")
}

func (w *workshop) Removals(context.Context, string, time.Time, time.Time, []string) (map[string]time.Time, error) {
	return nil, nil
}

func (w *workshop) NodeLog(_ context.Context, node string, _, _ time.Time, containing ...string) ([]string, error) {
	return []string{"log of " + node + " about " + containing[0]}, nil
}

// withSpare opens a lab whose subject has a spare worker.
func (w *world) withSpare(t *testing.T, shop *workshop) *Lab {
	return w.open(t, func(o *Options) { o.Subjects[0].Spares, o.Workers = []string{spareName}, shop })
}

// tuned is a trial that needs a worker of its own.
func tuned(id, worker string, alone bool) trial.Trial {
	tr := deletion(id, 5)
	tr.Worker = &trial.Worker{Name: worker, KubeletConfig: map[string]any{"field": 1}, Alone: alone}
	return tr
}

func TestTunesASpareWorkerForItsTrialsAndRestoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w, shop := newWorld(t), &workshop{}
		l := w.withSpare(t, shop)
		trials := []trial.Trial{
			tuned("a", "one", false),
			tuned("b", "two", false),
			tuned("c", "one", false),
			deletion("ordinary", 5),
		}
		start(l, trials...)
		for _, tr := range trials {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
			a := o.Last()
			if tr.Worker == nil {
				g.Expect(a.Node).To(Equal(nodeName))
				g.Expect(a.Kubelet.MaxContainerRestartPeriod).To(BeZero())
				continue
			}
			g.Expect(a.Node).To(Equal(spareName))
			g.Expect(a.Kubelet.MaxContainerRestartPeriod).To(Equal(5 * time.Second))
		}
		// The last verdict comes before its worker is restored, and a stopped lab restores none.
		synctest.Wait()
		l.Stop()
		g.Expect(shop.notes()).To(Equal([]string{
			"tune worker-2 for one", "restore worker-2", "tune worker-2 for two", "restore worker-2",
		}))
	})
}

// A kubelet that is younger than a probe's period starts the probe at a random time. A lab finds nodes that may have
// just been booted, and restarts the kubelets of spare workers.
func TestATrialWaitsUntilTheKubeletIsAsOldAsItsProbesPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.withSpare(t, &workshop{})
		opened := time.Now()
		ordinary, own, other := deletion("ordinary", 5), deletion("own", 5), deletion("other", 5)
		own.Worker = &trial.Worker{Name: "untuned", Alone: true}
		for _, tr := range []*trial.Trial{&ordinary, &own} {
			tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 30}
		}
		start(l, ordinary, own, other)
		for _, tr := range []trial.Trial{ordinary, own} {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
			g.Expect(o.Last().Started).To(BeTemporally("~", opened.Add(31*time.Second), 2*time.Second), tr.ID)
		}
		g.Expect(await(t, l, other).Last().Started).To(BeTemporally("<", opened.Add(5*time.Second)), "it has no probes")
	})
}

// A node of others is the only one of its subject.
func TestTrialsOfAWorkerComeLastOnANodeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		l := newWorld(t).open(t, func(*Options) {})
		l.options.External = true
		untuned := func(id string) trial.Trial {
			tr := deletion(id, 5)
			tr.Worker = &trial.Worker{Name: "untuned", Alone: true}
			return tr
		}
		trials := []trial.Trial{
			untuned("a"), deletion("ordinary", 20), untuned("b"), tuned("c", "tuned", false), deletion("short", 5),
		}
		start(l, trials...)
		ended := time.Time{}
		for _, tr := range []trial.Trial{trials[1], trials[0], trials[2]} {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
			g.Expect(o.Last().Node).To(Equal(nodeName))
			g.Expect(o.Last().Started).To(BeTemporally(">=", ended), tr.ID)
			ended = o.Last().Started.Add(o.Last().Took)
		}
		g.Expect(await(t, l, trials[3]).Verdict).To(Equal(trial.Inconclusive))
	})
}

func TestANodeOfOthersIsLeftAloneOnceItIsUnfitOrGone(t *testing.T) {
	for _, gone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			l := newWorld(t).open(t, func(o *Options) {
				o.Unfit = func(n *corev1.Node) string {
					if n.Spec.Unschedulable {
						return "it is cordoned"
					}
					return ""
				}
			})
			l.options.External = true
			tr := deletion("long", 300)
			start(l, tr)
			time.Sleep(10 * time.Second)
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
			why := "the node was removed from the cluster"
			l.takeNode(node.DeepCopy())
			if gone {
				l.loseNode(cache.DeletedFinalStateUnknown{Key: nodeName, Obj: node})
			} else {
				node.Spec.Unschedulable, why = true, "the node is left alone: it is cordoned"
				l.takeNode(node)
			}
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
			g.Expect(o.Why).To(ContainSubstring(why))
			g.Expect(o.Attempts).To(HaveLen(1))
			g.Expect(o.Last().Evidence.Losses).To(ContainElement(HaveField("Why", why)), "it may have killed the pod")
			g.Expect(o.CutShort).To(BeTrue(), "the run may continue when the node is back")
		})
	}
}

func TestAnInterruptedRunLeavesNoTaintOnANodeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		l := w.open(t, nil)
		l.options.External = true
		tr := deletion("tainted", 5)
		tr.Worker, tr.Faults = &trial.Worker{Name: "tainted", Alone: true}, []trial.Fault{trial.Taint()}
		start(l, tr)
		time.Sleep(10 * time.Second)
		g.Expect(w.api.taints()).To(HaveLen(1), "the trial is under way")
		l.Stop()
		g.Expect(w.api.taints()).To(BeEmpty())
	})
}

func TestTrialsOfAWorkerRunAtOnceUnlessAlone(t *testing.T) {
	for alone, most := range map[bool]time.Duration{false: 25 * time.Second, true: 45 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			w := newWorld(t)
			l := w.withSpare(t, &workshop{})
			trials := []trial.Trial{tuned("a", "one", alone), tuned("b", "one", alone), tuned("c", "one", alone)}
			begun := time.Now()
			start(l, trials...)
			var starts []time.Time
			for _, tr := range trials {
				o := await(t, l, tr)
				g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
				starts = append(starts, o.Last().Started)
			}
			g.Expect(time.Since(begun)).To(BeNumerically("<", most))
			slices.SortFunc(starts, time.Time.Compare)
			if alone {
				g.Expect(starts[1].Sub(starts[0])).To(BeNumerically(">", 5*time.Second), "one after another")
			}
		})
	}
}

func TestUnavailableWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*Options, *workshop)
		verdict trial.Verdict
		why     string
	}{
		"no spare worker": {
			func(o *Options, _ *workshop) { o.Subjects[0].Spares = nil },
			trial.Inconclusive, "has no spare worker for the configuration one",
		},
		"a cluster that can't be tuned": {
			func(o *Options, _ *workshop) { o.Workers = nil }, trial.Inconclusive, "can't be tuned",
		},
		"a kubelet that does not start": {
			func(_ *Options, s *workshop) { s.refuses = errors.New("it does not start") },
			trial.Inconclusive, "it does not start",
		},
		"a kubelet without the field": {
			func(_ *Options, s *workshop) { s.refuses = fmt.Errorf("%w: field", runner.ErrUnsupported) },
			trial.Unsupported, "does not know a part",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w, shop := newWorld(t), &workshop{}
				l := w.open(t, func(o *Options) {
					o.Subjects[0].Spares, o.Workers = []string{spareName}, shop
					c.change(o, shop)
				})
				tr, other := tuned("a", "one", false), deletion("ordinary", 2)
				start(l, tr, other)
				o := await(t, l, tr)
				g.Expect(o.Verdict).To(Equal(c.verdict))
				g.Expect(o.Why).To(ContainSubstring(c.why))
				g.Expect(o.Attempts).To(BeEmpty())
				g.Expect(await(t, l, other).Verdict).To(Equal(trial.Conforms), "the others go on")
			})
		})
	}
}

// A configuration from the start and one by a fault give the same verdict.
func TestFaultThatTheKubeletsVersionDoesNotKnow(t *testing.T) {
	for name, c := range map[string]struct {
		refuses  error
		verdict  trial.Verdict
		attempts int
	}{
		"its version's fault": {fmt.Errorf("%w: field", runner.ErrUnsupported), trial.Unsupported, 0},
		"another's":           {errors.New("it does not start"), trial.Inconclusive, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w, shop := newWorld(t), &workshop{refuses: c.refuses}
				l := w.open(t, func(o *Options) {
					o.Subjects[0].Spares, o.Workers, o.Attempts = []string{spareName}, shop, 2
				})
				tr := tuned("a", "one", true)
				tr.Worker.KubeletConfig = nil
				tr.Faults = []trial.Fault{{Action: trial.TuneKubelet, Patch: map[string]any{"field": 1}}}
				start(l, tr)
				o := await(t, l, tr)
				g.Expect(o.Verdict).To(Equal(c.verdict), o.Reason())
				g.Expect(o.Why).To(ContainSubstring(c.refuses.Error()))
				g.Expect(o.Attempts).To(HaveLen(c.attempts))
				g.Expect(l.States()[0].Verdict).To(Equal(c.verdict))
			})
		})
	}
}

// A trial that the kubelet does not support changes no node.
func TestUnsupportedIsNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w, shop := newWorld(t), &workshop{}
		l := w.withSpare(t, shop)
		future := []formula.Change{{Name: "it flies", Reference: "KEP-0", Since: "v1.99.0"}}
		own, ordinary := tuned("a", "one", false), deletion("ordinary", 2)
		own.Needs, ordinary.Needs = future, future
		start(l, own, ordinary)
		for _, tr := range []trial.Trial{own, ordinary} {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Unsupported))
			g.Expect(o.Why).To(ContainSubstring("it flies"))
		}
		l.Stop()
		g.Expect(shop.notes()).To(BeEmpty())
		g.Expect(w.created).To(BeEmpty())
	})
}

func TestAWorkerThatIsNotRestoredIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w, shop := newWorld(t), &workshop{breaks: errors.New("the mount is busy")}
		l := w.withSpare(t, shop)
		first, second := tuned("a", "one", false), tuned("b", "two", false)
		first.Lasts += time.Second
		start(l, first, second)
		g.Expect(await(t, l, first).Verdict).To(Equal(trial.Conforms))
		o := await(t, l, second)
		g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		g.Expect(o.Why).To(ContainSubstring("the mount is busy"))
	})
}

// Evidence is void if the kubelet or container runtime dies, does not answer or is restarted. The trial gets a further
// attempt. Trials on other nodes are not affected.
func TestAKubeletThatDies(t *testing.T) {
	for name, during := range map[string]string{"is restarted": "other", "does not answer": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				begun := time.Now()
				w, shop := newWorld(t), &workshop{}
				shop.health = func(node string) string {
					if at := time.Since(begun); node == spareName && at > 15*time.Second && at < 35*time.Second {
						return during
					} else if node == spareName && at >= 35*time.Second {
						return "other"
					}
					return "well"
				}
				l := w.withSpare(t, shop)
				ill, well := deletion("ill", 30), deletion("well", 30)
				ill.Worker = &trial.Worker{Name: "own"}
				start(l, ill, well)
				o := await(t, l, ill)
				g.Expect(o.Attempts[0].Result.Verdict).To(Equal(trial.Inconclusive))
				g.Expect(o.Attempts[0].Result.Doubts[0]).
					To(ContainSubstring("the kubelet or the container runtime of node worker-2"))
				g.Expect(o.Attempts).To(HaveLen(2))
				g.Expect(o.Verdict).To(Equal(trial.Conforms), "when it answers again: "+o.Reason())
				healthy := await(t, l, well)
				g.Expect(healthy.Verdict).To(Equal(trial.Conforms))
				g.Expect(healthy.Attempts).To(HaveLen(1))
			})
		})
	}
}

func TestANodeThatStartsNothingIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(pod string) behaviour {
			if strings.Contains(pod, "stuck") {
				return behaviour{never: "ContainerCreating"}
			}
			return behaviour{}
		}
		l := w.withSpare(t, &workshop{})
		var stuck, others []trial.Trial
		for i := range 20 {
			tr := deletion(fmt.Sprint("stuck-", i), 5)
			tr.Worker = &trial.Worker{Name: "own"}
			stuck, others = append(stuck, tr), append(others, deletion(fmt.Sprint("well-", i), 5))
		}
		begun := time.Now()
		start(l, append(stuck, others...)...)
		for _, tr := range others {
			g.Expect(await(t, l, tr).Verdict).To(Equal(trial.Conforms))
		}
		g.Expect(time.Since(begun)).
			To(BeNumerically("<", 4*time.Minute), "a pod that does not start gives its place back")
		for _, tr := range stuck {
			o := await(t, l, tr)
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
		}
		g.Expect(time.Since(begun)).To(BeNumerically("<", 5*time.Minute))
		g.Expect(await(t, l, stuck[19]).Why).
			To(MatchRegexp(`pods in a row did not start, the last one: pod .* on node .*: waited for`))
	})
}

func TestADeviationHasItsPodsAndLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.behaviour = func(string) behaviour { return behaviour{dies: time.Second} }
		l := w.withSpare(t, &workshop{})
		tr := deletion("killed-early", 5)
		start(l, tr)
		o := await(t, l, tr)
		g.Expect(o.Verdict).To(Equal(trial.Deviates))
		d := o.Last().Deviation
		g.Expect(d).NotTo(BeNil())
		g.Expect(d.Pods).To(HaveLen(1))
		g.Expect(string(d.Pods[0])).To(ContainSubstring(`"terminationGracePeriodSeconds":5`))
		g.Expect(d.NodeLog).To(Equal([]string{"log of worker-1 about test-killed-early-v1-36-3-1"}))
		g.Expect(d.Missing).To(BeEmpty())
	})
}

// The subject that is behind starts next, its longest trial first.
func TestSubjectsAreServedEvenly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		const other = "v1.35.4"
		l := w.open(t, func(o *Options) {
			o.Subjects = append(o.Subjects, Placement{
				Name: other, Slug: "v1-35-4", Node: spareName, Kubelet: formula.Kubelet{Version: other},
			})
		})
		var selections []runner.Selection
		for i := range 12 {
			tr := deletion(fmt.Sprintf("trial-%02d", i), int64(40-i))
			selections = append(selections, runner.Selection{Trial: tr, Subject: subjectName})
			if i%3 == 0 {
				selections = append(selections, runner.Selection{Trial: tr, Subject: other})
			}
		}
		l.Start(selections)
		for _, s := range selections {
			_, err := l.Await(t.Context(), s.Trial.ID, s.Subject)
			g.Expect(err).NotTo(HaveOccurred())
		}
		first, second, last := 0, 0, map[string]string{}
		for _, pod := range w.created {
			slug := "v1-36-3"
			if first++; strings.Contains(pod, "v1-35-4") {
				slug, first, second = "v1-35-4", first-1, second+1
			}
			g.Expect(float64(first)/12-float64(second)/4).To(BeNumerically("~", 0, 0.26), "%v", w.created)
			g.Expect(pod > last[slug]).To(BeTrue(), "%s comes after %s", pod, last[slug])
			last[slug] = pod
		}
	})
}

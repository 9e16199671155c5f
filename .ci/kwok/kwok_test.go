// Package kwok lets KWOK's own code read and play the Stages that podclock writes. KWOK would add some 20 modules to
// those of podclock, so make test-kwok adds it to a copy of go.mod.
package kwok

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/apis/v1alpha1"
	"sigs.k8s.io/kwok/pkg/utils/gotpl"
	"sigs.k8s.io/kwok/pkg/utils/lifecycle"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	stages "github.com/podclock/podclock/reports/render/kwok"
	"github.com/podclock/podclock/reports/view/fitted"
	"github.com/podclock/podclock/suites"
)

// simulated are KWOK's Stages of some times.
type simulated struct {
	fitted.Times
	all lifecycle.Lifecycle
}

func simulate(t *testing.T, of fitted.Times) simulated {
	t.Helper()
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(stages.Stages(&out, of)).To(Succeed())
	var read []*internalversion.Stage
	for _, document := range strings.Split(out.String(), "---\n")[1:] {
		var s v1alpha1.Stage
		g.Expect(yaml.UnmarshalStrict([]byte(document), &s)).To(Succeed(), document)
		converted, err := internalversion.ConvertToInternalStage(&s)
		g.Expect(err).NotTo(HaveOccurred())
		read = append(read, converted)
	}
	all, err := lifecycle.NewLifecycle(read)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all).To(HaveLen(len(read)))
	return simulated{of, all}
}

// measured are the times of a saved run.
func measured(t *testing.T) fitted.Times {
	t.Helper()
	r, err := run.Load("../../suites/testdata/runs/1edaae43.json.gz")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	times := fitted.Of(r, "virtual:v1.37.2", trial.Finder(suites.Catalogue()))
	NewWithT(t).Expect(times.Missing()).To(BeEmpty())
	return times
}

// skewed are times of which a few are much longer than the others.
func skewed() fitted.Times {
	random := rand.New(rand.NewSource(1))
	draw := func(mean time.Duration) (s fitted.Sample) {
		for range 100 {
			s = append(s, 100*time.Millisecond+time.Duration(random.ExpFloat64()*float64(mean)))
		}
		slices.Sort(s)
		return s
	}
	return fitted.Times{
		Starts: draw(time.Second), Readies: draw(50 * time.Millisecond), Restarts: draw(5 * time.Second),
		Ends: draw(300 * time.Millisecond), BackOff: formula.Growth{Initial: 10 * time.Second, Max: 300 * time.Second},
	}
}

// next returns what happens next to a pod, and after which time.
func (s simulated) next(t *testing.T, pod *corev1.Pod) (*lifecycle.Stage, time.Duration) {
	t.Helper()
	g := NewWithT(t)
	event := &lifecycle.Event{Labels: pod.Labels, Annotations: pod.Annotations, Data: pod}
	stage, err := s.all.Match(context.Background(), event)
	g.Expect(err).NotTo(HaveOccurred())
	if stage == nil {
		return nil, 0
	}
	took, known, err := stage.Delay(context.Background(), event, time.Now())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(known).To(BeTrue(), stage.Name())
	return stage, took
}

// play lets the next stage happen to a pod. It returns the stage's kind, its time, and nil for a pod that is gone.
func (s simulated) play(t *testing.T, pod *corev1.Pod) (kind string, took time.Duration, after *corev1.Pod) {
	t.Helper()
	g := NewWithT(t)
	stage, took := s.next(t, pod)
	if stage == nil {
		return "", 0, pod
	}
	after = pod
	renderer := gotpl.NewRenderer(gotpl.FuncMap{
		"NodeIPWith": func(string) string { return "10.0.0.1" },
		"PodIPWith":  func(string, bool, string, string, string) string { return "10.0.0.2" },
	})
	_, err := stage.DoSteps(0, nil, pod, renderer, func(*internalversion.StageEvent) error { return nil },
		func() error { after = nil; return nil },
		func(p *lifecycle.Patch) error {
			g.Expect(p.Type).To(Equal(types.StrategicMergePatchType))
			g.Expect(p.Subresource).To(Equal("status"))
			before, err := json.Marshal(pod)
			g.Expect(err).NotTo(HaveOccurred())
			patched, err := strategicpatch.StrategicMergePatch(before, p.Data, corev1.Pod{})
			g.Expect(err).NotTo(HaveOccurred(), string(p.Data))
			after = &corev1.Pod{}
			decoder := json.NewDecoder(bytes.NewReader(patched))
			decoder.DisallowUnknownFields()
			g.Expect(decoder.Decode(after)).To(Succeed(), string(patched))
			return nil
		}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	return strings.Split(stage.Name(), "-")[1], took, after
}

func pod(changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "a", Namespace: "b", Labels: map[string]string{}, Annotations: map[string]string{},
		},
		Spec: corev1.PodSpec{NodeName: "c", Containers: []corev1.Container{
			{Name: "first", Image: "d"}, {Name: "second", Image: "e"},
		}},
	}
	for _, change := range changes {
		change(p)
	}
	return p
}

func condition(p *corev1.Pod, of corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range p.Status.Conditions {
		if c.Type == of {
			return c.Status
		}
	}
	return ""
}

// A pod starts, becomes ready, crashes, restarts, and ends.
func TestAPodsLife(t *testing.T) {
	g := NewWithT(t)
	s := simulate(t, measured(t))
	p := pod(func(p *corev1.Pod) {
		p.Labels[stages.CrashesLabel], p.Annotations[stages.CrashAfter] = "true", "4"
		p.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "f"}}
		p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.org/gate"}}
	})
	backOffs := []time.Duration{0, 10, 20, 40, 80, 160, 300, 300}
	kind, took, p := s.play(t, p)
	g.Expect(kind).To(Equal("start"))
	g.Expect(took).To(BeNumerically("~", s.Starts[0], 2*time.Millisecond))
	g.Expect(p.Status).To(And(HaveField("Phase", corev1.PodRunning), HaveField("PodIP", "10.0.0.2"),
		HaveField("InitContainerStatuses", HaveLen(1))))
	g.Expect(condition(p, corev1.PodReady)).To(Equal(corev1.ConditionFalse))
	g.Expect(condition(p, "example.org/gate")).To(Equal(corev1.ConditionTrue))
	for n, backOff := range backOffs {
		kind, _, p = s.play(t, p)
		g.Expect(kind).To(Equal("ready"))
		g.Expect(p.Status.Conditions).To(ContainElement(And(HaveField("Type", corev1.PodReady),
			HaveField("Status", corev1.ConditionTrue), HaveField("Reason", ""))))
		g.Expect(p.Status.ContainerStatuses).To(HaveEach(HaveField("RestartCount", int32(n))))
		if n > 0 {
			end := p.Status.ContainerStatuses[0].LastTerminationState.Terminated
			g.Expect(end.StartedAt.IsZero() || end.FinishedAt.IsZero()).To(BeFalse())
		}

		kind, took, p = s.play(t, p)
		g.Expect(kind).To(Equal("crash"))
		g.Expect(took).To(Equal(4 * time.Second))
		g.Expect(condition(p, corev1.PodReady)).To(Equal(corev1.ConditionFalse))
		state := p.Status.ContainerStatuses[1].State
		if n == 0 {
			g.Expect(state.Terminated).NotTo(BeNil())
		} else {
			g.Expect(state.Waiting.Reason).To(Equal("CrashLoopBackOff"))
		}

		kind, took, p = s.play(t, p)
		g.Expect(kind).To(Equal("restart"))
		late, latest := took-backOff*time.Second, s.Restarts[len(s.Restarts)-1]+time.Millisecond
		g.Expect(late).To(And(BeNumerically(">=", s.Restarts[0]), BeNumerically("<=", latest)), "restart %d", n+1)
		g.Expect(p.Status.ContainerStatuses).To(HaveEach(And(HaveField("RestartCount", int32(n+1)),
			HaveField("State.Running", Not(BeNil())), HaveField("LastTerminationState.Terminated", Not(BeNil())))))
	}
	grace := int64(30)
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Now()}, &grace
	kind, took, p = s.play(t, p)
	g.Expect(kind).To(Equal("end"))
	g.Expect(took).To(BeNumerically("~", s.Ends[0], 2*time.Millisecond))
	g.Expect(p).To(BeNil())
}

// An ordinary ready pod stays as it is.
func TestAReadyPodStays(t *testing.T) {
	g := NewWithT(t)
	s := simulate(t, measured(t))
	_, _, p := s.play(t, pod())
	_, _, p = s.play(t, p)
	stage, _ := s.next(t, p)
	g.Expect(stage).To(BeNil())
}

func deletedWithin(grace int64) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: time.Now()}, &grace
	}
}

func runs(p *corev1.Pod) {
	p.Status.Phase, p.Status.PodIP = corev1.PodRunning, "10.0.0.2"
	for _, c := range p.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
		})
	}
}

// Hooks, grace periods and processes delay the end as fitted.Terminated computes, and readiness probes the readiness.
func TestSpecificationsDelay(t *testing.T) {
	g := NewWithT(t)
	s := simulate(t, measured(t))
	end := s.Ends[0]
	for _, tt := range []struct {
		grace, hook int64
		stops       string
	}{{30, 0, ""}, {30, 5, ""}, {30, 5, "3.5"}, {30, 29, "60"}, {30, 40, "60"}, {1, 0, "60"}, {2, 1, "60"}} {
		p := pod(runs, deletedWithin(tt.grace), func(p *corev1.Pod) {
			if tt.hook > 0 {
				p.Spec.Containers[1].Lifecycle = &corev1.Lifecycle{
					PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: tt.hook}},
				}
			}
			if tt.stops != "" {
				p.Annotations[stages.Stops] = tt.stops
			}
		})
		stops := time.Duration(0)
		if tt.stops != "" {
			var err error
			stops, err = time.ParseDuration(tt.stops + "s")
			g.Expect(err).NotTo(HaveOccurred())
		}
		_, took := s.next(t, p)
		want := fitted.Terminated(time.Duration(tt.grace)*time.Second, time.Duration(tt.hook)*time.Second, stops)
		g.Expect(took).To(BeNumerically("~", want+end, 2*time.Millisecond), "%+v", tt)
	}
	p := pod(runs, deletedWithin(30), func(p *corev1.Pod) { p.Annotations[stages.Hook] = "7" })
	_, took := s.next(t, p)
	g.Expect(took).To(BeNumerically("~", 7*time.Second+end, 2*time.Millisecond), "a hook that does not sleep")
	_, took = s.next(t, pod(deletedWithin(30)))
	g.Expect(took).To(BeNumerically("~", end, 2*time.Millisecond), "nothing runs")

	for range 100 {
		p := pod(runs, func(p *corev1.Pod) {
			p.Spec.Containers[0].ReadinessProbe = &corev1.Probe{
				InitialDelaySeconds: 20, PeriodSeconds: 5, SuccessThreshold: 2,
			}
		})
		_, took := s.next(t, p)
		g.Expect(took).To(And(BeNumerically(">=", 20*time.Second), BeNumerically("<=", 30*time.Second)))
	}
}

const draws = 20000

// missed returns the greatest difference between the share of drawn values up to a quantile and the quantile's own.
func missed(drawn []time.Duration, sample fitted.Sample) (worst float64) {
	slices.Sort(drawn)
	upTo := func(d time.Duration) float64 {
		n, _ := slices.BinarySearch(drawn, d)
		return float64(n) / float64(len(drawn))
	}
	for i := range 21 {
		q, share := max(0, sample.Quantile(i, 20)), float64(i)/20
		worst = max(worst, share-upTo(q+2*time.Millisecond), upTo(q-2*time.Millisecond)-share)
	}
	return worst
}

// tolerated is what chance and the pieces' ten knots allow: 20000 draws miss a share by 0.012 at most in 999 of 1000
// cases, and between two knots lies a tenth of the values.
const tolerated = 0.05

// Simulated times have the measured distribution.
func TestQuantiles(t *testing.T) {
	for name, times := range map[string]fitted.Times{"a saved run": measured(t), "skewed times": skewed()} {
		s := simulate(t, times)
		for what, tt := range map[string]struct {
			sample fitted.Sample
			pod    *corev1.Pod
		}{
			"start":   {times.Starts, pod()},
			"ready":   {times.Readies, pod(runs)},
			"restart": {times.Restarts, pod(runs, func(p *corev1.Pod) { p.Status.ContainerStatuses = nil })},
			"end":     {times.Ends, pod(runs, deletedWithin(30))},
		} {
			t.Run(fmt.Sprintf("%s of %s", what, name), func(t *testing.T) {
				g := NewWithT(t)
				var drawn []time.Duration
				for range draws {
					stage, took := s.next(t, tt.pod)
					g.Expect(stage.Name()).To(HavePrefix("podclock-" + what + "-"))
					drawn = append(drawn, took)
				}
				got := missed(drawn, tt.sample)
				t.Logf("%d draws of %d values miss their quantiles by %.3f", draws, len(tt.sample), got)
				g.Expect(got).To(BeNumerically("<", tolerated))
			})
		}
	}
}

// One even distribution between the shortest and the longest time would be noticed.
func TestAnEvenDistributionMisses(t *testing.T) {
	sample := skewed().Starts
	var drawn []time.Duration
	first, last := sample[0], sample[len(sample)-1]
	for i := range draws {
		drawn = append(drawn, first+time.Duration(math.Round(float64(last-first)*float64(i)/draws)))
	}
	NewWithT(t).Expect(missed(drawn, sample)).To(BeNumerically(">", 5*tolerated))
}

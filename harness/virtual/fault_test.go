package virtual

import (
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/wire"
)

func TestFaultComesAfterItsPoint(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(20)
	tr.Faults = []trial.Fault{trial.Delete(), trial.DeleteWithin(9).At(trial.SIGTERM, 1500*time.Millisecond)}
	o := outcome(t, s, tr)
	all := requests()
	first, second := find(t, all, "delete", 1), find(t, all, "delete", 2)
	g.Expect(decoded[metav1.DeleteOptions](*first.Request.API).GracePeriodSeconds).To(BeNil())
	options := decoded[metav1.DeleteOptions](*second.Request.API)
	g.Expect(*options.GracePeriodSeconds).To(BeNumerically("==", 9))
	g.Expect(string(*options.Preconditions.UID)).To(Equal("uid-1"))
	g.Expect(second.Clock - first.Clock).To(BeNumerically("==", 1550*time.Millisecond))
	g.Expect(o.Last().Evidence.Faults).To(HaveLen(2))
	g.Expect(o.Last().Evidence.Faults[1].At.At).To(Equal(second.Clock))
}

// Only the first fault moves off the kubelet's ticks. The others follow it.
func TestFaultsWithoutAPointKeepTheirDistance(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(20)
	first, second, third := trial.Delete(), trial.DeleteWithin(15), trial.DeleteWithin(9)
	first.After, second.After, third.After = 200*time.Millisecond, 700*time.Millisecond, 3*time.Second
	tr.Faults = []trial.Fault{first, second, third}
	outcome(t, s, tr)
	all := requests()
	begin := find(t, all, "delete", 1).Clock
	g.Expect(begin % int64(time.Second)).To(BeNumerically("==", wire.Tick))
	g.Expect(find(t, all, "delete", 2).Clock - begin).To(BeNumerically("==", 500*time.Millisecond))
	g.Expect(find(t, all, "delete", 3).Clock - begin).To(BeNumerically("==", 2800*time.Millisecond))
}

func cores(quantity string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(quantity)}
}

func TestEveryFaultIsDelivered(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Companions = []*corev1.Pod{
		{
			ObjectMeta: metav1.ObjectMeta{
				Name: "other",
			},
			Spec: fixtures.Pod(2, fixtures.Named("other", victim.Run{Term: victim.Ignore})).Spec,
		},
	}
	patch := map[string]any{"evictionMaxPodGracePeriod": 3}
	tr.Worker = &trial.Worker{Name: "own", Alone: true}
	tr.Faults = []trial.Fault{
		{
			Action: trial.TaintNode,
		},
		{Action: trial.UntaintNode},
		{Action: trial.SetImage},
		trial.Resize(map[string]corev1.ResourceRequirements{"victim": {Requests: cores("2")}}),
		{Action: trial.CreatePod, Pod: "other"},
		{
			Action: trial.ResizePod, Pod: "other",
			Resources: map[string]corev1.ResourceRequirements{"other": {Limits: cores("3")}},
		},
		{
			Action: trial.TuneKubelet,
			Patch:  patch,
		},
		{Action: trial.RestartKubelet},
		{Action: trial.RebootNode},
		trial.Evict(),
		{Action: trial.RecreatePod},
	}
	o := outcome(t, s, tr)
	all := requests()
	const resize = "patch pods resize"
	g.Expect(kinds(all)).To(Equal([]string{
		"start", "create", "taint", "taint", "patch", resize, "create", resize, "restart", "restart", "restart",
		"evict", "create", "trace",
	}))
	taints := func(n int) []corev1.Taint {
		return decoded[corev1.Node](*find(t, all, "taint", n).Request.API).Spec.Taints
	}
	g.Expect(taints(1)).To(Equal([]corev1.Taint{{Key: trial.TaintKey, Effect: corev1.TaintEffectNoExecute}}))
	g.Expect(taints(2)).To(BeEmpty())
	imagePatch := find(t, all, "patch", 1).Request.API
	g.Expect(*imagePatch).To(Equal(wire.API{
		Method: http.MethodPatch, Resource: "pods", Namespace: "podclock", Name: "test-deletion-virtual-1",
		PatchType: types.StrategicMergePatchType, Body: imagePatch.Body,
	}))
	g.Expect(imagePatch.Body).
		To(MatchJSON(`{"spec":{"containers":[{"name":"victim","image":"` + images.FaultOther + `"}]}}`))
	own, others := find(t, all, resize, 1).Request.API, find(t, all, resize, 2).Request.API
	g.Expect([]string{own.Subresource, own.Name}).To(Equal([]string{"resize", "test-deletion-virtual-1"}))
	g.Expect(own.Body).
		To(MatchJSON(`{"spec":{"containers":[{"name":"victim","resources":{"requests":{"cpu":"2"}}}]}}`))
	g.Expect([]string{others.Subresource, others.Name}).
		To(Equal([]string{"resize", "test-deletion-virtual-1-other"}))
	g.Expect(others.Body).To(MatchJSON(`{"spec":{"containers":[{"name":"other","resources":{"limits":{"cpu":"3"}}}]}}`))
	g.Expect(find(t, all, "create", 2).Request.Create.Name).To(Equal("test-deletion-virtual-1-other"))
	for n := 1; n <= 3; n++ {
		g.Expect(find(t, all, "restart", n).Request.Restart.Reboot).To(Equal(n == 3))
		g.Expect(find(t, all, "restart", n).Request.Restart.KubeletConfig).
			To(HaveKeyWithValue("evictionMaxPodGracePeriod", 3.0), "a restart keeps the patch")
	}
	evicted, again := find(t, all, "evict", 1), find(t, all, "create", 3)
	g.Expect(again.Request.Create.Name).To(Equal("test-deletion-virtual-1"))
	g.Expect(again.Clock-evicted.Clock).To(BeNumerically("==", 3*time.Second+notice), "as soon as the object is gone")

	a := o.Last()
	g.Expect(a.Kubelet.EvictionMaxPodGracePeriod).To(BeNumerically("==", 3))
	g.Expect(a.Evidence.Faults).To(HaveLen(len(tr.Faults)))
	for i, c := range a.Evidence.Faults {
		g.Expect(c.Error).To(BeEmpty())
		takes := tr.Faults[i].Action == trial.TuneKubelet || tr.Faults[i].Action == trial.RestartKubelet ||
			tr.Faults[i].Action == trial.RebootNode || tr.Faults[i].Action == trial.RecreatePod
		g.Expect(c.Done != nil).To(Equal(takes), c.What)
	}
	g.Expect(a.Evidence.Faults[7].Done.At - a.Evidence.Faults[7].At.At).To(BeNumerically("==", 307*time.Millisecond))
	g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
	g.Expect(o.Last().Evidence.Node).To(HaveLen(4), "each restart of the kubelet changes the conditions")
}

// A static pod's file is written again under its name. The mirror that comes then belongs to the trial.
func TestStaticPodIsChanged(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Static, tr.Worker = true, &trial.Worker{Name: "own"}
	tr.Companions = []*corev1.Pod{fixtures.Pod(2, fixtures.Named("heir", victim.Run{}))}
	tr.Companions[0].Name = "next"
	tr.Faults = []trial.Fault{
		{Action: trial.PlaceManifest, Pod: "next", After: 3 * time.Second},
		{Action: trial.RemoveManifest, When: trial.Started.Of("heir")},
	}
	tr.Claims = []trial.Claim{{
		Measure: trial.Between(trial.ObjectDeleted, trial.Started.Of("heir")), Formula: formula.MirrorReplaced,
	}}
	o := outcome(t, s, tr)
	all := requests()
	g.Expect(kinds(all)).To(Equal([]string{"start", "manifest", "manifest", "manifest", "trace"}))
	for n, container := range []string{trial.Main, "heir"} {
		m := find(t, all, "manifest", n+1).Request.Manifest
		g.Expect(m.Name).To(Equal("test-deletion-virtual-1"))
		g.Expect(m.Pod.Kind).To(Equal("Pod"))
		g.Expect(m.Pod.Name).To(Equal(m.Name))
		g.Expect(m.Pod.Spec.Containers[0].Name).To(Equal(container))
	}
	removed := find(t, all, "manifest", 3)
	g.Expect(removed.Request.Manifest).To(Equal(&wire.Manifest{Name: "test-deletion-virtual-1"}))
	g.Expect(o.Verdict).To(Equal(trial.Conforms), o.Reason())
	g.Expect(o.Last().Evidence.API).To(ContainElement(HaveField("Pod", "next")))
}

// A trial whose pod has no node begins with the pod's creation.
func TestPodIsBound(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Unscheduled = true
	tr.Faults = []trial.Fault{
		{Action: trial.BindPod, After: 4 * time.Second},
		trial.Delete().At(trial.Started, time.Second),
	}
	outcome(t, s, tr)
	all := requests()
	g.Expect(kinds(all)).To(Equal([]string{"start", "create", "bind", "delete", "trace"}))
	created, bound := find(t, all, "create", 1), find(t, all, "bind", 1)
	g.Expect(created.Request.Create.Spec.NodeName).To(BeEmpty())
	g.Expect(bound.Request.API.Namespace + "/" + bound.Request.API.Name).To(Equal("podclock/test-deletion-virtual-1"))
	g.Expect(decoded[corev1.Binding](*bound.Request.API).Target.Name).To(Equal(wire.NodeName))
	g.Expect(bound.Clock - created.Clock).To(BeNumerically("~", 4*time.Second, time.Second))
}

// If a claim reads the answer, it shows an unexpected refusal.
func TestFaultThatIsRefused(t *testing.T) {
	for _, expected := range []bool{true, false} {
		g := NewWithT(t)
		s, requests := play(t, "obeys")
		tr := deletion(2)
		tr.Budgets = 1
		evict := trial.Evict()
		evict.Refused = expected
		tr.Faults = []trial.Fault{evict, trial.Delete()}
		tr.Claims = append(tr.Claims, trial.Claim{Measure: trial.FaultStatus(1), Formula: formula.EvictionRefused})
		o := outcome(t, s, tr)
		g.Expect(kinds(requests())[:4]).To(Equal([]string{"start", "budget", "create", "evict"}))
		g.Expect(o.Last().Evidence.Faults[0].Status).To(Equal(http.StatusTooManyRequests))
		g.Expect(o.Last().Evidence.Faults[0].Error).To(BeEmpty())
	}
}

func TestPodsLabelsAreTheBudgets(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Budgets = 1
	outcome(t, s, tr)
	all := requests()
	g.Expect(kinds(all)[:3]).To(Equal([]string{"start", "budget", "create"}))
	budget := decoded[policyv1.PodDisruptionBudget](*find(t, all, "budget", 1).Request.API)
	g.Expect(budget.Spec.Selector.MatchLabels).NotTo(BeEmpty())
	for key, value := range budget.Spec.Selector.MatchLabels {
		g.Expect(find(t, all, "create", 1).Request.Create.Labels).To(HaveKeyWithValue(key, value))
	}
}

// The lane asks for the kubelet's counters if the trial has probes and no fault.
func TestCountersAreASecondSource(t *testing.T) {
	g := NewWithT(t)
	s, requests := play(t, "obeys")
	tr := deletion(2)
	tr.Faults, tr.KillCause = nil, formula.ByLiveness
	tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 5, FailureThreshold: 3}
	tr.Claims = []trial.Claim{{Measure: trial.EndsWithin(3 * time.Second), Formula: formula.Formula{
		Implemented: func(formula.Input) formula.Window { return formula.Window{Unit: formula.Count} },
	}}}
	o := outcome(t, s, tr)
	g.Expect(kinds(requests())).To(Equal([]string{"start", "create", "trace", "counters"}))
	g.Expect(o.Last().Evidence.Counters.Failed).To(Equal(map[string]map[string]int{"victim": {"liveness": 3}}))
	g.Expect(o.Verdict).To(Equal(trial.Deviates))
	g.Expect(o.Reason()).To(ContainSubstring("the kubelet counted 3 failing liveness probes"))
}

func TestHarnessAvoidsTheKubeletsTicks(t *testing.T) {
	g := NewWithT(t)
	const second, tick = int64(time.Second), int64(wire.Tick)
	for from, want := range map[int64]int64{
		0: tick, tick: tick, tick + 1: second + tick, 7*second - 1: 7*second + tick,
	} {
		g.Expect(offTick(time.Unix(0, from)).UnixNano()).To(Equal(want))
	}
}

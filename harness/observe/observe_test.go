package observe

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// change is a line of a recorded watch. The first ones are LISTED.
type change struct {
	At         int64
	Type, Kind string
	Object     json.RawMessage
}

// recorded reads the changes of a real cluster.
func recorded(t *testing.T, file string) (all []change) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	text, err := gzip.NewReader(f)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c change
		NewWithT(t).Expect(json.Unmarshal(lines.Bytes(), &c)).To(Succeed())
		all = append(all, c)
	}
	return all
}

func kubelet(string) (formula.Kubelet, error) {
	return formula.KubeletOf("v1.37.2", nil, []byte("{}"), nil)
}

func all(*corev1.Pod) bool { return true }

// play shows changes to an observer and returns its facts.
func play(t *testing.T, o *Observer, changes []change) (facts []Fact) {
	t.Helper()
	g := NewWithT(t)
	for _, c := range changes {
		s := Seen{At: time.Unix(0, c.At), Before: c.Type == "LISTED"}
		switch c.Kind {
		case "Pod":
			var p corev1.Pod
			g.Expect(json.Unmarshal(c.Object, &p)).To(Succeed())
			if c.Type == "DELETED" {
				o.Removed(&p, s)
			} else {
				o.Pod(&p, s)
			}
		case "Event":
			var e corev1.Event
			g.Expect(json.Unmarshal(c.Object, &e)).To(Succeed())
			o.Event(&e, s)
		case "EndpointSlice":
			var e discoveryv1.EndpointSlice
			g.Expect(json.Unmarshal(c.Object, &e)).To(Succeed())
			o.Slice(&e, c.Type == "DELETED", s)
		}
		facts = append(facts, o.Due(s.At)...)
	}
	return append(facts, o.Rest()...)
}

// deaths returns the deaths among facts by pod and container.
func deaths(facts []Fact) map[string][]Death {
	all := map[string][]Death{}
	for _, f := range facts {
		if d, is := f.(Death); is {
			all[d.Name+"/"+d.Container] = append(all[d.Name+"/"+d.Container], d)
		}
	}
	return all
}

// causesOf returns the lives, causes and outcomes of deaths, and makes sure that none is outside its window.
func causesOf(t *testing.T, facts []Fact) map[string][]string {
	t.Helper()
	g, got := NewWithT(t), map[string][]string{}
	for name, all := range deaths(facts) {
		for _, d := range all {
			got[name] = append(got[name], fmt.Sprintf("%d %s %s", d.Life, d.Cause, d.Outcome))
			g.Expect(d.APIOnly).To(BeFalse(), "there is no node part")
			for _, c := range d.Windows {
				g.Expect(c.Outside()).To(BeZero(), "%s: %+v", name, c)
			}
		}
	}
	for _, f := range facts {
		if s, is := f.(Successor); is {
			g.Expect(Deviates(s.Windows)).To(BeFalse(), "%+v", s)
		}
	}
	return got
}

// A liveness failure, a delete, a rollout, an eviction, a force delete, a taint, a changed image, an OOM kill, a crash
// loop and a pod that completes, as a kubelet v1.37.2 and its API server reported them.
func TestRecordedCauses(t *testing.T) {
	facts := play(t, New(all, kubelet), recorded(t, "shop.jsonl.gz"))
	NewWithT(t).Expect(causesOf(t, facts)).To(Equal(map[string][]string{
		"web-d68f785d9-4xqxp/app":   {"1 liveness exited", "2 delete exited"},
		"web-d68f785d9-xldht/app":   {"1 delete exited"},
		"web-d68f785d9-th4hv/app":   {"1 delete exited"},
		"web-7bcc897464-cgdzc/app":  {"1 API eviction exited"},
		"web-7bcc897464-w6ptn/app":  {"1 taint exited"},
		"web-7bcc897464-9mspx/app":  {"1 taint exited"},
		"deaf-86d9cd8c47-bklzs/app": {"1 delete SIGKILL"},
		"deaf-86d9cd8c47-sls9z/app": {"1 delete unknown"},
		"deaf-86d9cd8c47-2rc9m/app": {"1 taint SIGKILL"},
		"crash/app":                 {"4 crash exited", "5 taint exited"},
		"oom/oom":                   {"1 OOM SIGKILL"},
		"once/once":                 {"1 success exited"},
		"bare/bare":                 {"1 spec change SIGKILL"},
	}))
}

// Pods of podclock's trials on a busy node: what a kubelet ends for its node, and ends that it does not report.
func TestRecordedTrials(t *testing.T) {
	facts := play(t, New(all, kubelet), recorded(t, "trials.jsonl.gz"))
	NewWithT(t).Expect(causesOf(t, facts)).To(Equal(map[string][]string{
		"deletion-second-expired-v1-37-2-1/victim":             {"1 delete SIGKILL"},
		"eviction-emptydir-limit-v1-37-2-1/victim":             {"1 storage limit unknown"},
		"eviction-memory-hard-v1-37-2-1/victim":                {"1 node-pressure eviction unknown"},
		"eviction-memory-hard-v1-37-2-1-hooked/hooked":         {"1 node-pressure eviction SIGKILL"},
		"eviction-node-shutdown-v1-37-2-1/victim":              {"1 node shutdown SIGKILL"},
		"eviction-node-shutdown-v1-37-2-1-important/important": {"1 node shutdown exited"},
		"eviction-preemption-v1-37-2-1/victim":                 {"1 preemption SIGKILL"},
		"probes-liveness-http-three-lives-v1-37-2-1/victim": {"1 liveness exited", "2 liveness exited", "3 liveness exited",
			"4 delete unknown"},
		"sidecars-completion-v1-37-2-1/first":  {"1 delete unknown"}, // removed by force before the API showed its end
		"sidecars-completion-v1-37-2-1/second": {"1 delete unknown"},
		"sidecars-completion-v1-37-2-1/victim": {"1 success exited"},
		"termination-restart-all-v1-37-2-1/alone": {"1 crash exited", "2 restart all unknown", "3 restart all unknown",
			"4 delete unknown"},
		"termination-restart-all-v1-37-2-1/leader": {"1 crash exited", "2 crash exited", "3 crash exited",
			"4 delete unknown"},
		"termination-restart-all-v1-37-2-1/victim": {"1 restart all unknown", "2 restart all unknown",
			"3 restart all unknown", "4 delete unknown"},
	}))
}

// Each pod of the Deployments has a successor: the rollout's are ready before the deletes, all others after.
func TestRecordedSuccessors(t *testing.T) {
	g := NewWithT(t)
	before, after := 0, 0
	for _, f := range play(t, New(all, kubelet), recorded(t, "shop.jsonl.gz")) {
		if s, is := f.(Successor); is && s.Container == "" {
			g.Expect(s.Pod.Workload).To(Equal(s.Of.Workload))
			if s.After.Probably < 0 {
				before++
			} else {
				after++
			}
		}
	}
	g.Expect([]int{before, after}).To(Equal([]int{2, 7}))
}

// A deleted pod leaves its Service within a tenth of a second. Pods without a Service have none.
func TestRecordedServices(t *testing.T) {
	g := NewWithT(t)
	for _, f := range play(t, New(all, kubelet), recorded(t, "shop.jsonl.gz")) {
		d, is := f.(Departure)
		if !is {
			continue
		}
		if d.Workload != "deployment/web" {
			g.Expect(d.Services).To(BeEmpty(), d.Name)
			continue
		}
		g.Expect(d.Services).To(HaveLen(1), d.Name)
		g.Expect(d.Services[0].Name).To(Equal("web"))
		g.Expect(d.Services[0].Stayed.Probably).To(BeNumerically("<", 200*time.Millisecond), d.Name)
	}
}

// at returns a time of a test's clock.
func at(ms int) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(ms) * time.Millisecond)
}

// pod is a pod that runs since the test's zero.
func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name),
			CreationTimestamp: metav1.NewTime(at(0))},
		Spec: corev1.PodSpec{
			NodeName: "a", RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(3)),
			Containers: []corev1.Container{{Name: "app", Image: "app"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "app", ContainerID: "containerd://" + name + "-1",
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(at(0))}},
		}}},
	}
}

// deleted is the pod after a delete request.
func deleted(p *corev1.Pod, ms int) *corev1.Pod {
	p = p.DeepCopy()
	p.DeletionGracePeriodSeconds = p.Spec.TerminationGracePeriodSeconds
	p.DeletionTimestamp = new(metav1.NewTime(at(ms + 3000).Truncate(time.Second)))
	return p
}

// endedBy is the pod after the end of its container.
func endedBy(p *corev1.Pod, ms int, code int32) *corev1.Pod {
	p = p.DeepCopy()
	s := &p.Status.ContainerStatuses[0]
	s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, ContainerID: s.ContainerID, StartedAt: metav1.NewTime(at(0)),
		FinishedAt: metav1.NewTime(at(ms).Truncate(time.Second)),
	}}
	return p
}

func seenAt(ms int) Seen { return Seen{At: at(ms)} }

// A process that ignores SIGTERM dies by SIGKILL. The node part knows when.
func TestNodePart(t *testing.T) {
	g := NewWithT(t)
	o := New(all, kubelet)
	o.Watches("a", true)
	p := pod("deaf")
	o.Pod(p, Seen{At: at(0), Before: true})
	p = deleted(p, 1200)
	o.Pod(p, seenAt(1250))
	o.Ended("deaf-1", Instant{at(4301), at(4302), at(4302), ByNode})
	p = endedBy(p, 4302, 137)
	o.Pod(p, seenAt(4500))
	o.Removed(p, seenAt(5000))
	g.Expect(o.Due(at(6000))).To(BeEmpty(), "it may still change")
	facts := o.Due(at(6501))
	g.Expect(facts).To(HaveLen(1))
	d := facts[0].(Death)
	g.Expect(d).To(And(HaveField("Outcome", SIGKILL), HaveField("Cause", formula.ByDelete),
		HaveField("APIOnly", false)))
	g.Expect(d.At.At).To(Equal(at(4302)))
	took, _ := d.Took()
	g.Expect(took.Probably).To(Equal(3052 * time.Millisecond))
	g.Expect(took.Least).To(Equal(3051 * time.Millisecond))
	g.Expect(took.Most).To(Equal(3302 * time.Millisecond))
	g.Expect(d.Windows).To(HaveLen(1))
	g.Expect(d.Windows[0].Sure()).To(BeTrue())
	share, _ := d.Share()
	g.Expect(share).To(BeNumerically("~", 1.017, 0.001))
	g.Expect(o.Due(at(7001))).To(ConsistOf(BeAssignableToTypeOf(Departure{})))
}

// A container that ends before the node part finds it is known from the API only.
func TestTooShortForTheNodePart(t *testing.T) {
	g := NewWithT(t)
	o := New(all, kubelet)
	o.Watches("a", true)
	o.Pod(pod("short"), seenAt(100))
	o.Pod(endedBy(pod("short"), 150, 0), seenAt(900))
	d := o.Rest()[0].(Death)
	g.Expect(d.APIOnly).To(BeTrue())
	g.Expect(d.Cause).To(Equal(predict.Completing))
	g.Expect(d.At.By).To(Equal(ByStatus))
}

// A death that no status shows yet when the observation ends is reported as the node part saw it.
func TestNoStatusYet(t *testing.T) {
	g := NewWithT(t)
	o := New(all, kubelet)
	o.Watches("a", true)
	for _, name := range []string{"lives", "deleted", "dies"} {
		o.Pod(pod(name), seenAt(0))
	}
	o.Pod(deleted(pod("deleted"), 1200), seenAt(1250))
	o.Pod(deleted(pod("lives"), 1200), seenAt(1250))
	for _, name := range []string{"deleted", "dies", "foreign"} {
		o.Ended(name+"-1", Instant{at(1301), at(1302), at(1302), ByNode})
	}
	g.Expect(o.Due(at(9000))).To(BeEmpty())
	found := deaths(o.Rest())
	g.Expect(found).To(HaveLen(2))
	for name, cause := range map[string]formula.Cause{"deleted": formula.ByDelete, "dies": Unreported} {
		g.Expect(found).To(HaveKeyWithValue(name+"/app", ConsistOf(And(
			HaveField("Cause", cause), HaveField("Outcome", Unknown), HaveField("At.At", at(1302)),
			HaveField("APIOnly", false)))))
	}
	g.Expect(o.Rest()).To(BeEmpty(), "each is reported once")
}

// A pod that vanished while nothing was watched is gone within the gap, and its process ended in it or later.
func TestGap(t *testing.T) {
	g := NewWithT(t)
	o := New(all, kubelet)
	o.Pods([]corev1.Pod{*pod("stays"), *pod("goes")}, Seen{At: at(0), Before: true})
	o.Pods([]corev1.Pod{*pod("stays")}, Seen{At: at(60_000), Early: 50 * time.Second})
	facts := o.Rest()
	g.Expect(facts).To(HaveLen(2))
	d, gone := facts[0].(Death), facts[1].(Departure)
	g.Expect(o.pods).To(HaveLen(1))
	g.Expect(d.Outcome).To(Equal(Unknown))
	g.Expect(gone.Name).To(Equal("goes"))
	g.Expect(gone.Gone.Earliest).To(Equal(at(10_000)))
	g.Expect(gone.Gone.Latest).To(Equal(at(60_000)))
}

// A death that is far outside its window deviates: something else than the kubelet killed the process.
func TestDeviates(t *testing.T) {
	g := NewWithT(t)
	o := New(all, kubelet)
	p := pod("shot")
	o.Pod(p, seenAt(0))
	p = deleted(p, 1200)
	o.Pod(p, seenAt(1250))
	o.Pod(endedBy(p, 1900, 137), seenAt(2100))
	d := o.Rest()[0].(Death)
	g.Expect(d.Outcome).To(Equal(SIGKILL))
	g.Expect(d.Windows[0].Outside()).To(BeNumerically("<", -time.Second), "SIGKILL long before the grace period's end")
	var tally Tally
	tally.Add(d)
	g.Expect(tally.Summaries()[0]).To(And(HaveField("Killed", 1), HaveField("Deviating", 1), HaveField("Late", 0),
		HaveField("Kills", 1), HaveField("Longest", BeNumerically(">", 0))))
}

// Hundreds of pods that die within ten seconds lose nothing.
func TestManyDeaths(t *testing.T) {
	g := NewWithT(t)
	o := New(all, kubelet)
	o.Watches("a", true)
	const pods = 500
	for i := range pods {
		o.Pod(pod(fmt.Sprint("p", i)), Seen{At: at(0), Before: true})
	}
	began := time.Now()
	for i := range pods {
		p, ms := pod(fmt.Sprint("p", i)), 1000+20*i
		o.Pod(deleted(p, ms), seenAt(ms))
		o.Ended(fmt.Sprintf("p%d-1", i), Instant{at(ms + 900), at(ms + 900), at(ms + 900), ByNode})
		p = endedBy(deleted(p, ms), ms+900, 0)
		o.Pod(p, seenAt(ms+1000))
		o.Removed(p, seenAt(ms+1100))
	}
	var tally Tally
	for _, f := range o.Rest() {
		tally.Add(f)
		if d, is := f.(Death); is {
			g.Expect(d.At.By).To(Equal(ByNode))
		}
	}
	t.Logf("%d pods took %v", pods, time.Since(began))
	g.Expect(o.pods).To(BeEmpty(), "removed pods are forgotten in the end")
	g.Expect(o.ends).To(BeEmpty())
	all := tally.Summaries()
	g.Expect(all).To(HaveLen(pods))
	for _, s := range all {
		g.Expect([]int{s.Deaths, s.Departures}).To(Equal([]int{1, 1}), s.Workload)
	}
}

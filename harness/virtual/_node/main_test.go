package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/virtual/wire"
)

func TestLifeOfANode(t *testing.T) {
	p, started := boot(t, nil)
	p.Expect(started.Kubelet.Gates).NotTo(BeEmpty())
	p.sleep(2*time.Second + wire.Tick)

	created := p.obey(wire.Request{Create: pod("deleted", victim.Run{}, nil)})
	p.Expect(created.Pod.UID).NotTo(BeEmpty())
	p.obey(wire.Request{Create: pod("evicted", victim.Run{Term: victim.Ignore}, nil)})
	p.sleep(5 * time.Second)
	p.Expect(p.since(mark.Started, time.Time{})).To(Equal(2))

	began := p.clock
	deletion := remove("deleted", http.MethodDelete, "", metav1.DeleteOptions{})
	p.obey(deletion)
	options := &metav1.DeleteOptions{GracePeriodSeconds: new(int64(7))}
	p.obey(remove("evicted", http.MethodPost, "eviction", policyv1.Eviction{DeleteOptions: options}))
	p.sleep(20 * time.Second)
	p.Expect(p.since(mark.SIGTERM, began)).To(Equal(2))
	p.Expect(p.since(mark.Exiting, began)).To(Equal(1), "the other one is killed")
	p.Expect(p.since(mark.Gone, began)).To(Equal(2))
	last := map[string]wire.Pod{}
	for _, version := range p.pods {
		last[version.Pod.Name] = version
	}
	for _, name := range []string{"deleted", "evicted"} {
		p.Expect(last).To(HaveKeyWithValue(name, HaveField("Deleted", true)))
	}

	missing := p.ask(deletion)
	p.Expect(missing.Error).NotTo(BeEmpty())
	p.Expect(missing.Status).To(Equal(http.StatusNotFound))
	p.Expect(missing.Reason).To(Equal(metav1.StatusReasonNotFound))
	p.Expect(p.ask(wire.Request{}).Error).To(Equal("an empty request"))
	p.Expect(p.exit()).To(BeZero())
}

// The kubelet's own source of files finds a static pod when it is written, and when it is removed.
func TestLifeOfAStaticPod(t *testing.T) {
	p, _ := boot(t, nil)
	p.sleep(2*time.Second + wire.Tick)
	static := pod("static", victim.Run{Term: victim.Ignore}, nil)
	static.APIVersion, static.Kind = "v1", "Pod"
	static.Spec.TerminationGracePeriodSeconds = new(int64(3))
	p.obey(wire.Request{Manifest: &wire.Manifest{Name: "file", Pod: static}})
	p.sleep(5 * time.Second)
	p.Expect(p.since(mark.Started, time.Time{})).To(Equal(1))
	p.Expect(p.pods).To(ContainElement(HaveField("Pod.Name", "static-"+wire.NodeName)))

	began := p.clock
	for range 2 { // the second time, there is no file
		p.obey(wire.Request{Manifest: &wire.Manifest{Name: "file"}})
	}
	p.sleep(time.Second)
	p.Expect(p.since(mark.SIGTERM, began)).To(Equal(1))
	p.sleep(9 * time.Second)
	p.Expect(p.since(mark.Gone, began)).To(Equal(1))
	p.Expect(p.pods[len(p.pods)-1].Deleted).To(BeTrue(), "its mirror")
	p.Expect(p.exit()).To(BeZero())
}

// A second start is a new node. Nothing of the one before goes on.
func TestLifeOfASecondNode(t *testing.T) {
	p, _ := boot(t, map[string]any{"maxPods": 7})
	p.sleep(2*time.Second + wire.Tick)
	p.obey(wire.Request{Create: pod("first", victim.Run{ExitAfter: []time.Duration{time.Second}}, nil)})
	p.sleep(5 * time.Second)
	p.Expect(p.marks).NotTo(BeEmpty())

	p.marks, p.pods = nil, nil
	p.clock = time.Unix(0, p.obey(wire.Request{Start: &wire.Start{Images: map[string]string{"fault": ""}}}).To)
	p.sleep(time.Minute)
	p.Expect(p.marks).To(BeEmpty())
	p.Expect(p.pods).To(BeEmpty())
	p.obey(wire.Request{Create: pod("second", victim.Run{}, nil)})
	p.sleep(5 * time.Second)
	p.Expect(p.since(mark.Started, time.Time{})).To(Equal(1))
	p.Expect(p.exit()).To(BeZero())
}

// The configuration of a node does not depend on the gates of the one before, on which some defaults depend.
func TestGatesOfANodeEndWithIt(t *testing.T) {
	const gate = "KubeletCrashLoopBackOffMax"
	_, fresh := boot(t, nil)
	p := launch(t)
	on, known := fresh.Kubelet.Gates[gate]
	if !known {
		t.Skip("this version does not have the gate " + gate)
	}
	changed := map[string]any{"featureGates": map[string]any{gate: !on}}
	p.ask(wire.Request{Start: &wire.Start{KubeletConfig: changed, Images: map[string]string{"fault": ""}}})
	next := p.obey(wire.Request{Start: &wire.Start{Images: map[string]string{"fault": ""}}})
	p.Expect(next.Kubelet.Gates).To(Equal(fresh.Kubelet.Gates))
	p.Expect(next.Kubelet.Configuration).To(MatchJSON(fresh.Kubelet.Configuration))
	p.Expect(p.exit()).To(BeZero())
}

// With one seed, two nodes do the same at the same time, in whichever process. The jitter of a pod's back-off depends
// on the seed.
func TestOneSeedIsOneTrace(t *testing.T) {
	trace := func(p *process, seed uint64) []wire.Entry {
		p.clock = time.Time{}
		p.obey(wire.Request{Start: &wire.Start{Seed: seed, Images: map[string]string{"fault": ""}}})
		p.sleep(2*time.Second + wire.Tick)
		for _, name := range []string{"one", "two"} {
			p.obey(wire.Request{Create: pod(name, victim.Run{ExitAfter: []time.Duration{time.Second}}, nil)})
		}
		p.sleep(2 * time.Minute)
		return p.obey(wire.Request{Trace: true}).Trace
	}
	traced := func(seed uint64) []wire.Entry {
		p := launch(t)
		all := trace(p, seed)
		p.Expect(p.exit()).To(BeZero())
		return all
	}
	g := NewWithT(t)
	first := traced(1)
	g.Expect(first).To(ContainElement(SatisfyAll(
		HaveField("Kind", wire.KindCRI), HaveField("What", "StartContainer"),
		HaveField("Text", ContainSubstring("podclock/two/main-3")),
	)))
	for range 3 {
		g.Expect(traced(1)).To(Equal(first))
	}
	g.Expect(traced(2)).NotTo(Equal(first))
	p := launch(t)
	for _, seed := range []uint64{2, 1, 3, 1} {
		if all := trace(p, seed); seed == 1 {
			g.Expect(all).To(Equal(first))
		}
	}
	g.Expect(p.exit()).To(BeZero())
}

func TestRequestsThatComeTooEarly(t *testing.T) {
	p := launch(t)
	p.Expect(p.ask(wire.Request{Counters: true}).Error).To(ContainSubstring("first request must be a start"))
	p.Expect(p.exit()).To(BeZero())
}

func TestConfigurationThatTheVersionDoesNotKnow(t *testing.T) {
	for name, config := range map[string]map[string]any{
		"a field": {"fieldOfALaterVersion": true},
		"a gate":  {"featureGates": map[string]any{"GateOfALaterVersion": true}},
	} {
		t.Run(name, func(t *testing.T) {
			p := launch(t)
			a := p.ask(wire.Request{Start: &wire.Start{KubeletConfig: config}})
			p.Expect(a.Unsupported).To(BeTrue(), a.Error)
			p.Expect(p.exit()).To(BeZero())

			p, _ = boot(t, nil)
			for range 2 {
				a = p.ask(wire.Request{Restart: &wire.Restart{KubeletConfig: config}})
				p.Expect(a.Unsupported).To(BeTrue(), a.Error)
			}
			p.obey(wire.Request{Restart: &wire.Restart{}})
			p.Expect(p.exit()).To(BeZero())
		})
	}
	p := launch(t)
	a := p.ask(wire.Request{Start: &wire.Start{KubeletConfig: map[string]any{"maxPods": -1}}})
	p.Expect(a.Error).To(ContainSubstring("maxPods"))
	p.Expect(a.Unsupported).To(BeFalse(), "it is known and wrong")
}

func TestInvalidRequestEndsTheNode(t *testing.T) {
	p, _ := boot(t, nil)
	_, err := fmt.Fprintln(p.in, `{"create": 7}`)
	p.Expect(err).NotTo(HaveOccurred())
	p.Expect(p.exit()).To(Equal(exitUnserved))
	p.Expect(p.stderr.String()).To(ContainSubstring("read a request"))
}

func TestNodeEndsWithoutItsLab(t *testing.T) {
	p, _ := boot(t, nil)
	p.Expect(p.out.Close()).To(Succeed())
	_, err := fmt.Fprintln(p.in, `{"counters": true}`)
	p.Expect(err).NotTo(HaveOccurred())
	p.Expect(p.exit()).To(Equal(exitUnserved), "no signal ended it")
	p.Expect(p.stderr.String()).To(ContainSubstring("write to the lab"))
}

func TestRestartKeepsTheStartsConfiguration(t *testing.T) {
	p, _ := boot(t, map[string]any{"maxPods": 77, "podPidsLimit": 1234})
	restart := func(patch map[string]any) *wire.Kubelet {
		return p.obey(wire.Request{Restart: &wire.Restart{KubeletConfig: patch}}).Kubelet
	}
	changed := restart(
		map[string]any{"maxPods": 55, "featureGates": map[string]any{"RotateKubeletServerCertificate": false}},
	)
	p.Expect(string(changed.Configuration)).
		To(And(ContainSubstring(`"maxPods":55`), ContainSubstring(`"podPidsLimit":1234`)))
	p.Expect(changed.Gates["RotateKubeletServerCertificate"]).To(BeFalse())
	original := restart(nil)
	p.Expect(original.Gates["RotateKubeletServerCertificate"]).To(BeTrue())
	p.Expect(string(original.Configuration)).
		To(And(ContainSubstring(`"maxPods":77`), ContainSubstring(`"podPidsLimit":1234`)))
}

// A restarted kubelet probes as often as before, and its counters are its own, whatever the previous one was doing
// when it died.
func TestProbesOfARestartedKubelet(t *testing.T) {
	for handler, probe := range map[string]corev1.ProbeHandler{
		"exec": {Exec: &corev1.ExecAction{Command: append([]string{victim.Program},
			victim.ExecProbe{For: victim.Liveness}.Args()...)}},
		"http": {HTTPGet: &corev1.HTTPGetAction{Path: "/" + victim.Liveness, Port: intstr.FromInt32(httpPort)}},
		"tcp":  {TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(tcpPort)}},
		"grpc": {GRPC: &corev1.GRPCAction{Port: grpcPort, Service: new(victim.Liveness)}},
	} {
		for when, script := range map[string]victim.Scripts{"between probes": "F", "in the midst of one": "H"} {
			t.Run(handler+" "+when, func(t *testing.T) {
				t.Parallel()
				restartProbed(t, probe, victim.Run{
					Term:       victim.Ignore,
					Liveness:   script,
					HTTPPort:   httpPort,
					TCPPort:    tcpPort,
					GRPCPort:   grpcPort,
					TCPFor:     victim.Liveness,
					TCPTimeout: 3 * time.Second,
				})
			})
		}
	}
}

func restartProbed(t *testing.T, probe corev1.ProbeHandler, run victim.Run) {
	const period = 5 * time.Second
	p, _ := boot(t, nil)
	p.sleep(2*time.Second + wire.Tick)
	created := p.obey(wire.Request{Create: pod("probed", run, &corev1.Probe{
		ProbeHandler: probe, PeriodSeconds: int32(period / time.Second), TimeoutSeconds: 3, FailureThreshold: 1000,
	})})
	p.sleep(10 * time.Second)
	for restarts := range 4 {
		if restarts > 0 {
			p.awaitProbe()
			p.sleep(time.Second)
			p.obey(wire.Request{Restart: &wire.Restart{}})
		}
		from := p.clock
		p.sleep(time.Minute)
		probes := p.probes(from)
		p.Expect(len(probes)).
			To(BeNumerically("~", time.Minute/period, 1), "probes in a minute after %d restarts", restarts)
		for i, at := range probes[1:] {
			p.Expect(at.Sub(probes[i])).
				To(BeNumerically("~", period, 100*time.Millisecond), "after %d restarts", restarts)
		}
		if restarts > 0 {
			p.awaitProbe()
			p.sleep(4 * time.Second) // it is over, and the next one has not begun
			failed := p.obey(wire.Request{Counters: true}).Counters[string(created.Pod.UID)]["main"][victim.Liveness]
			p.Expect(failed).To(Equal(len(p.probes(from))), "failed probes after %d restarts", restarts)
		}
	}
	for _, m := range p.marks {
		p.Expect(m.Kind == mark.Gone && m.Role == mark.Run).To(BeFalse(), "the victim lives")
	}
}

// probes returns the times of probes since a time.
func (p *process) probes(from time.Time) (all []time.Time) {
	for _, m := range p.marks {
		if at := time.Unix(0, m.At); m.Kind == mark.Probed && !at.Before(from) {
			all = append(all, at)
		}
	}
	return all
}

// awaitProbe lets time pass until a probe arrives.
func (p *process) awaitProbe() {
	for from := p.clock; len(p.probes(from)) == 0; {
		p.sleep(100 * time.Millisecond)
	}
}

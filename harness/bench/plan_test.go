package bench

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

func TestBadPlans(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Plan{Kind: Restarts, Pods: []int{247}, For: 5 * s}.Check(250)).To(Succeed())
	for want, p := range map[string]Plan{
		"--pods=0: a benchmark needs pods: write a number from 1 to 107": {Kind: Restarts, Pods: []int{0}, For: s},
		"--pods=: a benchmark needs pods: write a number from 1 to 107":  {Kind: Restarts, For: s},
		"--pods=10,110: a worker has room for 110 pods, of which 3 may be of the system: write at most 107, or set " +
			"maxPods of the kubelets with --kind-config": {Kind: Probes, Pods: []int{10, 110}, For: s},
		"--for=0s: each row needs a duration of at least 5s, such as --for=1m": {Kind: Probes, Pods: []int{1}},
		"--handler=udp: it must be http, exec, tcp or grpc": {Kind: Probes, Pods: []int{1}, For: time.Minute,
			Handler: "udp"},
	} {
		g.Expect(p.Check(110)).To(MatchError(want))
	}
	virtual, err := kubelets.ParseSubjects("", "virtual:v1.37.2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(CheckSubjects(virtual)).To(MatchError(ContainSubstring("name it without virtual:")))
}

// A release has only what it knows.
func TestLacks(t *testing.T) {
	g := NewWithT(t)
	all := Plan{Kind: Restarts}.configurations()
	g.Expect(all).To(HaveLen(3))
	lacking := func(version string) (names []string) {
		for _, c := range all {
			if c.lacks(version) != "" {
				names = append(names, c.name)
			}
		}
		return names
	}
	g.Expect(lacking("v1.37.2")).To(BeEmpty())
	g.Expect(lacking("v1.38.0-beta.0")).To(BeEmpty())
	g.Expect(lacking("v1.32.13")).To(Equal([]string{"reduced series"}))
	g.Expect(lacking("v1.31.14")).To(Equal([]string{"reduced series", "maximum of 1 s"}))
	g.Expect(Plan{Kind: Probes, Pods: []int{1, 2}}.rows(3)).To(Equal(6))
}

func TestLoad(t *testing.T) {
	began := time.Unix(0, 0)
	used := func(at, kubelet, runtime, unit, api, host time.Duration, patches float64) reading {
		cpu := map[string]time.Duration{nodes.OfKubelet: kubelet, nodes.OfRuntime: runtime, nodes.OfRuntimeUnit: unit}
		return reading{
			worker: nodes.Usage{At: began.Add(at), CPU: cpu, Host: host,
				Memory: map[string]int64{nodes.OfKubelet: 64 << 20}},
			control:  nodes.Usage{At: began.Add(at), CPU: map[string]time.Duration{nodes.OfAPIServer: api}},
			requests: map[string]float64{"PATCH": patches, "GET": 7}, counted: began.Add(at),
		}
	}
	NewWithT(t).Expect(loadOf(used(0, s, 0, 0, s, 0, 10), used(8*s, 3*s, 2*s, 6*s, 5*s, 16*s, 50))).To(Equal(Load{
		Lasted: 8 * s, Kubelet: 0.25, Runtime: 0.25, Shims: 0.5, APIServer: 0.5, Host: 2, KubeletMiB: 64,
		Requests: map[string]float64{"PATCH": 5},
	}))
}

// A slow host makes the rest longer, and a row that is done shorter.
func TestPace(t *testing.T) {
	g := NewWithT(t)
	plan, p := Plan{Pods: []int{10, 100}, For: time.Minute}, pace{slower: 1}
	g.Expect(p.left(plan, 0, 2)).To(Equal(3*time.Minute + 110*s))
	p.took(10, 30*s)
	g.Expect(p.left(plan, 1, 2)).To(Equal(90*s + 300*s))
}

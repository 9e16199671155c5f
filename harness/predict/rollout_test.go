package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/formula"
)

// controlled is a controller of apps/v1 whose pods exit on SIGTERM or are killed after 10 s. They have no probes.
func controlled(kind, spec string) string {
	return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: a}\nspec:\n" + spec +
		"  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n    spec:\n" +
		"      terminationGracePeriodSeconds: 10\n      containers: [{name: app, image: i}]\n"
}

func limited(limit string) string {
	return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {" + limit +
		", selector: {matchLabels: {app: a}}}\n"
}

const (
	ready = 2 * time.Second          // at most, without a probe
	gone  = 16550 * time.Millisecond // at most
)

var newest = formula.Kubelet{Version: formula.NewestKnown}

// allPods is about the first workload of a manifest.
func allPods(t *testing.T, text string) *AllPods {
	t.Helper()
	m, err := manifest.Read(strings.NewReader(text), "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return All(Workloads(m), newest, Options{})[0].AllPods
}

func TestAllPods(t *testing.T) {
	upTo := func(d time.Duration) Span { return Span{Latest: d} }
	for name, c := range map[string]struct {
		text string
		want AllPods
	}{
		"a Deployment": {controlled("Deployment", "  replicas: 4\n"), AllPods{
			Rollout:   &Disruption{Pods: 4, AtOnce: 2, Takes: upTo(2 * ready), Starts: 2},
			ScaleDown: &Disruption{Pods: 4, Takes: upTo(gone)},
		}},
		"minReadySeconds": {controlled("Deployment", "  replicas: 3\n  minReadySeconds: 5\n"), AllPods{
			Rollout: &Disruption{Pods: 3, AtOnce: 1, Starts: 3,
				Takes: Span{Earliest: 12 * time.Second, Latest: 15*time.Second + 3*ready}},
			ScaleDown: &Disruption{Pods: 3, Takes: upTo(gone)},
		}},
		"a paused Deployment": {controlled("Deployment", "  paused: true\n"), AllPods{
			Rollout: &Disruption{Never: "the Deployment is paused"}, ScaleDown: &Disruption{Pods: 1, Takes: upTo(gone)},
		}},
		"old pods first": {controlled("Deployment", "  replicas: 4\n  strategy: {type: Recreate}\n"), AllPods{
			Rollout:   &Disruption{Pods: 4, Takes: upTo(gone + ready), Starts: 1},
			ScaleDown: &Disruption{Pods: 4, Takes: upTo(gone)},
		}},
		"a StatefulSet within its budget": {
			controlled("StatefulSet", "  replicas: 3\n") + limited("maxUnavailable: 1"), AllPods{
				Rollout:   &Disruption{Pods: 3, AtOnce: 1, Takes: upTo(3 * (gone + ready)), Starts: 3},
				ScaleDown: &Disruption{Pods: 3, AtOnce: 1, Takes: upTo(3 * gone)},
				Drain: &Disruption{Pods: 3, AtOnce: 1, Takes: upTo(2*(gone+ready+5*time.Second) + gone),
					Starts: 2},
			}},
		"a StatefulSet's batches": {
			controlled("StatefulSet",
				"  replicas: 5\n  updateStrategy: {rollingUpdate: {partition: 1, maxUnavailable: 3}}\n"), AllPods{
				Rollout:   &Disruption{Pods: 4, AtOnce: 3, Takes: upTo(2*gone + 4*ready), Starts: 4},
				ScaleDown: &Disruption{Pods: 5, AtOnce: 1, Takes: upTo(5 * gone)},
			}},
		"a parallel StatefulSet": {
			controlled("StatefulSet", "  replicas: 5\n  podManagementPolicy: Parallel\n"+
				"  updateStrategy: {rollingUpdate: {maxUnavailable: 2}}\n") + limited("minAvailable: 3"), AllPods{
				Rollout:   &Disruption{Pods: 5, AtOnce: 2, Takes: upTo(3 * (gone + ready)), Starts: 3},
				ScaleDown: &Disruption{Pods: 5, Takes: upTo(gone)},
				Drain: &Disruption{Pods: 5, AtOnce: 2, Takes: upTo(2*(gone+ready+5*time.Second) + gone),
					Starts: 2},
			}},
		"a partition of all": {
			controlled("StatefulSet", "  replicas: 2\n  updateStrategy: {rollingUpdate: {partition: 2}}\n"), AllPods{
				Rollout:   &Disruption{Never: "the partition of 2 leaves out all 2 pods"},
				ScaleDown: &Disruption{Pods: 2, AtOnce: 1, Takes: upTo(2 * gone)},
			}},
		"replaced by hand": {controlled("StatefulSet", "  updateStrategy: {type: OnDelete}\n"), AllPods{
			Rollout:   &Disruption{Never: "each pod is replaced only when it is deleted (OnDelete)"},
			ScaleDown: &Disruption{Pods: 1, AtOnce: 1, Takes: upTo(gone)},
		}},
		"a DaemonSet": {controlled("DaemonSet", ""), AllPods{
			Rollout: &Disruption{AtOnce: 1, Takes: upTo(gone + ready), Starts: 1},
		}},
		"a DaemonSet that surges": {
			controlled("DaemonSet", "  updateStrategy: {rollingUpdate: {maxSurge: 10%, maxUnavailable: 0}}\n"), AllPods{
				Rollout: &Disruption{Share: "10% of the nodes", Takes: upTo(ready), Starts: 1},
			}},
		"a budget of a Deployment": {
			controlled("Deployment", "  replicas: 5\n  minReadySeconds: 60\n") + limited("minAvailable: 60%"), AllPods{
				Rollout: &Disruption{Pods: 5, AtOnce: 3, Starts: 2,
					Takes: Span{Earliest: 118 * time.Second, Latest: 120*time.Second + 2*ready}},
				ScaleDown: &Disruption{Pods: 5, Takes: upTo(gone)},
				Drain:     &Disruption{Pods: 5, AtOnce: 2, Takes: upTo(2*(ready+5*time.Second) + gone), Starts: 2},
			}},
		"a budget of none": {controlled("Deployment", "  replicas: 1\n") + limited("minAvailable: 0"), AllPods{
			Rollout:   &Disruption{Pods: 1, AtOnce: 1, Takes: upTo(ready), Starts: 1},
			ScaleDown: &Disruption{Pods: 1, Takes: upTo(gone)},
			Drain:     &Disruption{Pods: 1, Takes: upTo(gone)},
		}},
		"an autoscaled Deployment": {
			controlled("Deployment", "") + limited("minAvailable: 1") + "---\napiVersion: autoscaling/v1\n" +
				"kind: HorizontalPodAutoscaler\nmetadata: {name: a}\n" +
				"spec: {minReplicas: 2, maxReplicas: 4, scaleTargetRef: {kind: Deployment, name: a}}\n", AllPods{
				Rollout: &Disruption{Share: "maxSurge 25% and maxUnavailable 25% of the replicas",
					Takes: upTo(ready), Starts: 1},
				ScaleDown: &Disruption{Takes: upTo(gone)},
				Drain:     &Disruption{AtOnce: 1, Takes: upTo(gone)},
			}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(*allPods(t, c.text)).To(Equal(c.want))
		})
	}
}

// The main containers start when a sidecar has started, so its startup probe is part of a pod's start.
func TestSidecarsStartBeforeReadyAfter(t *testing.T) {
	proxy := func(more string) string {
		return controlled("Deployment", "") + "      initContainers:\n      - {name: proxy, image: i, restartPolicy: " +
			"Always, startupProbe: {tcpSocket: {port: 80}, periodSeconds: 1, failureThreshold: 700}" + more + "}\n"
	}
	g := NewWithT(t)
	g.Expect(allPods(t, proxy("")).Rollout.Takes).To(Equal(Span{Latest: ready}))
	every15 := ", readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 15}"
	g.Expect(allPods(t, proxy(every15)).Rollout.Takes.Latest).To(BeNumerically("<", 20*time.Second))
}

// A pod without probes is ready when its postStart hooks are done.
func TestPostStartHooksArePartOfReadyAfter(t *testing.T) {
	text := strings.Replace(controlled("Deployment", ""), "image: i",
		"image: i, lifecycle: {postStart: {exec: {command: [sleep, '30']}}}", 1)
	NewWithT(t).Expect(allPods(t, text).Rollout.Takes).To(Equal(Span{30 * time.Second, 34400 * time.Millisecond}))
}

// A budget counts only ready pods as healthy, so it allows no eviction of others unless its policy does.
func TestDrainsOfPodsThatAreNeverReady(t *testing.T) {
	for limit, want := range map[string]*Disruption{
		"maxUnavailable: 1":    {Never: "new pods are never ready"},
		"maxUnavailable: 100%": {Never: "new pods are never ready"},
		"maxUnavailable: 1, unhealthyPodEvictionPolicy: IfHealthyBudget": {Never: "new pods are never ready"},
		"maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow":     {Pods: 3, Takes: Span{Latest: gone}},
	} {
		text := strings.Replace(controlled("Deployment", "  replicas: 3\n")+limited(limit),
			"image: i", "image: i, readinessProbe: {tcpSocket: {port: none}}", 1)
		NewWithT(t).Expect(allPods(t, text).Drain).To(Equal(want), "%s", limit)
	}
}

// A controller without pods has nothing to replace.
func TestNoPods(t *testing.T) {
	NewWithT(t).Expect(allPods(t, controlled("Deployment", "  replicas: 0\n"))).To(BeNil())
}

// A Deployment's controller, played sync by sync with pods that take different times, is within the window.
func TestRolloutsOfDeployments(t *testing.T) {
	for seed := range uint64(2_000) {
		random := rand.New(rand.NewPCG(seed, 1))
		desired := 1 + random.IntN(20)
		c := &manifest.Controller{
			Replicas: int32(desired), Strategy: manifest.RollingUpdate,
			MaxSurge: share(random), MaxUnavailable: share(random),
		}
		takes := Span{Earliest: time.Duration(random.IntN(5)) * time.Second}
		takes.Latest = takes.Earliest + time.Duration(random.IntN(5))*time.Second
		r := turn{controller: c, pods: desired, available: takes, kubelet: newest}.rollout()
		got := deploymentTakes(c, func() time.Duration { return within(random, takes) })
		if got < r.Takes.Earliest || got > r.Takes.Latest {
			t.Fatalf("%d pods, maxSurge %s, maxUnavailable %s, each %v: %v is outside %v",
				desired, c.MaxSurge.String(), c.MaxUnavailable.String(), takes, got, r.Takes)
		}
	}
}

func share(random *rand.Rand) intstr.IntOrString {
	if random.IntN(2) == 0 {
		return intstr.FromInt32(random.Int32N(4))
	}
	return intstr.FromString(fmt.Sprintf("%d%%", random.IntN(101)))
}

func within(random *rand.Rand, s Span) time.Duration {
	return s.Earliest + time.Duration(random.Int64N(int64(s.Latest-s.Earliest)+1))
}

// deploymentTakes plays reconcileNewReplicaSet and reconcileOldReplicaSets (pkg/controller/deployment/rolling.go).
func deploymentTakes(c *manifest.Controller, takes func() time.Duration) (now time.Duration) {
	desired := int(c.Replicas)
	surge := manifest.Scaled(c.MaxSurge, desired, true)
	unavailable := min(desired, manifest.Scaled(c.MaxUnavailable, desired, false))
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	minAvailable := desired - unavailable
	created, available, old := 0, 0, desired
	var starting []time.Duration
	for {
		switch more, fewer := min(desired+surge-created-old, desired-created), old+available-minAvailable; {
		case more > 0:
			for range more {
				starting = append(starting, now+takes())
			}
			created += more
		case fewer > 0 && old > 0:
			old -= min(old, fewer)
		case len(starting) == 0:
			return now
		default:
			slices.Sort(starting)
			now, starting = starting[0], starting[1:]
			available++
		}
	}
}

// An ordered StatefulSet, played second by second with pods that take different times, is within its windows.
func TestRolloutsAndDrainsOfStatefulSets(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		n, most := 1+random.IntN(9), 1+random.IntN(4)
		c := &manifest.Controller{
			Replicas: int32(n), Strategy: manifest.RollingUpdate, Ordered: true,
			MaxUnavailable: intstr.FromInt(most), Partition: random.Int32N(int32(n)),
		}
		at := turn{
			controller: c, pods: n, gone: someSeconds(random), ready: someSeconds(random), kubelet: newest,
		}
		at.available = at.ready
		check := func(what string, played time.Duration, predicted *Disruption) {
			if played < predicted.Takes.Earliest || played > predicted.Takes.Latest {
				t.Fatalf("%d pods, %d at a time, partition %d, gone %v, ready %v: %s of %v is outside %v",
					n, most, c.Partition, at.gone, at.ready, what, played, predicted.Takes)
			}
		}
		check("rollout", (&statefulSet{turn: at, random: random, most: most}).rollout(), at.rollout())
		if most < n {
			at.budgets = []replicas.Budget{{Allows: &replicas.Range{Least: most, Most: most}}}
			check("drain", (&statefulSet{turn: at, random: random, most: most}).drain(), at.drain())
		}
	}
}

func someSeconds(random *rand.Rand) Span {
	s := Span{Earliest: time.Duration(random.IntN(5)) * time.Second}
	s.Latest = s.Earliest + time.Duration(random.IntN(5))*time.Second
	return s
}

// statefulSet is played by the rules of pkg/controller/statefulset/stateful_set_control.go updateStatefulSet.
type statefulSet struct {
	turn
	random *rand.Rand
	most   int
	played []playedPod
	now    time.Duration
}

type playedPod struct {
	old, missing, terminating, starting bool
	// until is when it is gone or ready, retry when its eviction is asked for again.
	until, retry time.Duration
}

func (p playedPod) ready() bool { return !p.missing && !p.terminating && !p.starting }

// sync makes the first missing pod if all before it are ready, and reports whether all pods are ready.
func (s *statefulSet) sync() bool {
	for i := range s.played {
		p := &s.played[i]
		if p.terminating && p.until <= s.now {
			*p = playedPod{missing: true}
		}
		p.starting = p.starting && p.until > s.now
	}
	for i := range s.played {
		p := &s.played[i]
		if p.missing {
			*p = playedPod{starting: true, until: s.now + s.seconds(s.ready)}
		}
		if !p.ready() {
			return false
		}
	}
	return true
}

func (s *statefulSet) remove(p *playedPod) {
	p.terminating, p.until = true, s.now+s.seconds(s.gone)
}

func (s *statefulSet) seconds(of Span) time.Duration { return within(s.random, of).Round(time.Second) }

// play runs until the end, second by second, with several syncs in each.
func (s *statefulSet) play(step func(allReady bool), ended func() bool) time.Duration {
	s.played = make([]playedPod, s.pods)
	for i := range s.played {
		s.played[i].old = true
	}
	for ; ; s.now += time.Second {
		for range 4 * s.pods {
			if step(s.sync()); ended() {
				return s.now
			}
		}
	}
}

func (s *statefulSet) rollout() time.Duration {
	return s.play(func(allReady bool) {
		for i, n := s.pods-1, 0; allReady && i >= int(s.controller.Partition) && n < s.most; i-- {
			if s.played[i].old {
				s.remove(&s.played[i])
				n++
			}
		}
	}, func() bool {
		return !slices.ContainsFunc(s.played[s.controller.Partition:], func(p playedPod) bool {
			return p.old || !p.ready()
		})
	})
}

// drain asks for the eviction of each old pod, and again five seconds after it is refused.
func (s *statefulSet) drain() time.Duration {
	return s.play(func(bool) {
		for _, i := range s.random.Perm(s.pods) {
			p, ready := &s.played[i], 0
			for _, other := range s.played {
				if other.ready() {
					ready++
				}
			}
			switch {
			case !p.old || p.terminating || p.retry > s.now:
			case ready > s.pods-s.most:
				s.remove(p)
			default:
				p.retry = s.now + evictionRetry
			}
		}
	}, func() bool {
		return !slices.ContainsFunc(s.played, func(p playedPod) bool { return p.old })
	})
}

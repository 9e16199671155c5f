package predict

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// shutdown returns the answer of a node's shutdown, or nil.
func (c Container) shutdown() *Kill {
	for i := range c.Answers.Kills {
		if k := &c.Answers.Kills[i]; k.Cause == formula.ByShutdown {
			return k
		}
	}
	return nil
}

// Each row is a pod's priority and grace period, and when its containers get SIGTERM and SIGKILL, without the slack.
func TestShutdownGroups(t *testing.T) {
	const cluster, node = "system-cluster-critical", "system-node-critical"
	two := formula.PriorityGroupsOf(30*time.Second, 10*time.Second)
	three := []formula.PriorityGroup{
		{Priority: -5, Seconds: 3}, {Priority: 1000, Seconds: 40}, {Priority: 5000, Seconds: 7},
	}
	class := func(name string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) { s.PriorityClassName = name }
	}
	priority := func(n int32) func(*corev1.PodSpec) { return func(s *corev1.PodSpec) { s.Priority = &n } }
	for name, c := range map[string]struct {
		groups        []formula.PriorityGroup
		pod           func(*corev1.PodSpec)
		grace         int64
		waits, kills  time.Duration
		turnIsAssumed bool
	}{
		"an ordinary pod":                 {two, class(""), 30, 0, 20 * time.Second, false},
		"one that needs less":             {two, class(""), 12, 0, 12 * time.Second, false},
		"a cluster-critical pod":          {two, class(cluster), 30, 20 * time.Second, 10 * time.Second, true},
		"a node-critical pod":             {two, class(node), 4, 20 * time.Second, 4 * time.Second, true},
		"a class below all critical ones": {two, class("important"), 30, 0, 20 * time.Second, false},
		"below the lowest group":          {three, priority(-100), 30, 0, 3 * time.Second, false},
		"between two groups":              {three, priority(4999), 60, 3 * time.Second, 40 * time.Second, true},
		"above the highest group":         {three, priority(6000), 60, 43 * time.Second, 7 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			g, k := NewWithT(t), kubelet(formula.NewestKnown)
			k.ShutdownGroups = c.groups
			p := Of(pod(func(s *corev1.PodSpec, _ *corev1.Container) {
				c.pod(s)
				s.TerminationGracePeriodSeconds = &c.grace
			}), k, Options{})
			kill := p.Containers[0].shutdown()
			g.Expect(kill.SIGTERM.Earliest).To(BeZero(), "the groups before it may have no pod")
			g.Expect(kill.SIGTERM.Latest).To(BeNumerically("~", c.waits, 3*time.Second))
			g.Expect(kill.SIGTERM.Latest).To(BeNumerically(">=", c.waits))
			g.Expect(kill.SIGKILL.Earliest).To(BeNumerically("~", c.kills, 200*time.Millisecond))
			g.Expect(kill.SIGKILL.Latest).To(BeNumerically("~", c.waits+c.kills, 3*time.Second))
			g.Expect(kill.Restarted).To(BeNil(), "the pod has failed")
			line := p.Containers[0].timeline(g, "node-shutdown/longest")
			g.Expect(line.find(Turn) != nil).To(Equal(c.turnIsAssumed))
			g.Expect(line.find(lifecycle.Failed)).NotTo(BeNil())
			g.Expect(line.Begins).To(Equal("the announcement of the node's shutdown"), "nothing is assumed")
		})
	}
}

// A class whose value podclock does not know is named if its value matters.
func TestUnknownPriorityClass(t *testing.T) {
	g, k := NewWithT(t), kubelet(formula.NewestKnown)
	k.ShutdownGroups = []formula.PriorityGroup{{Priority: 0, Seconds: 5}, {Priority: 1000, Seconds: 40}}
	longest := func(change func(*corev1.PodSpec)) Timeline {
		p := Of(pod(func(s *corev1.PodSpec, _ *corev1.Container) {
			s.PriorityClassName = "important"
			change(s)
		}), k, Options{})
		return p.Containers[0].timeline(g, "node-shutdown/longest")
	}
	unknown := longest(func(*corev1.PodSpec) {})
	g.Expect(unknown.Begins).To(HaveSuffix(", if the priority class important has the value 0"))
	g.Expect(unknown.Grace).To(Equal(5 * time.Second))
	known := longest(func(s *corev1.PodSpec) { s.Priority = new(int32(1000)) })
	g.Expect(known.Begins).NotTo(ContainSubstring("important"))
	g.Expect(known.Grace).To(BeNumerically(">", 5*time.Second))
}

func TestNoShutdownWithoutGroups(t *testing.T) {
	p := Of(pod(func(*corev1.PodSpec, *corev1.Container) {}), kubelet(formula.NewestKnown), Options{})
	NewWithT(t).Expect(p.Containers[0].shutdown()).To(BeNil())
}

// Each row is the tolerations of a pod, and how many seconds after the taint it is deleted, -1 for never.
func TestLostNode(t *testing.T) {
	const key = corev1.TaintNodeUnreachable
	tolerates := func(key string, o corev1.TolerationOperator, e corev1.TaintEffect, s *int64) []corev1.Toleration {
		return []corev1.Toleration{{Key: key, Operator: o, Effect: e, TolerationSeconds: s}}
	}
	for name, c := range map[string]struct {
		kind        string
		tolerations []corev1.Toleration
		seconds     int64
	}{
		"none":              {"Deployment", nil, 300},
		"of another taint":  {"Deployment", tolerates("gpu", "Exists", "NoExecute", new(int64(5))), 300},
		"of another effect": {"Deployment", tolerates(key, "Exists", "NoSchedule", nil), 300},
		"limited":           {"Deployment", tolerates(key, "Exists", "NoExecute", new(int64(20))), 20},
		"of every taint":    {"Deployment", tolerates("", "Exists", "", nil), -1},
		"for ever":          {"StatefulSet", tolerates(key, "Exists", "", nil), -1},
		"of zero":           {"StatefulSet", tolerates(key, "Exists", "NoExecute", new(int64(0))), 0},
		"below zero":        {"StatefulSet", tolerates(key, "Exists", "NoExecute", new(int64(-7))), 0},
		"of another value": {"Deployment", []corev1.Toleration{
			{Key: key, Operator: "Equal", Value: "another", Effect: "NoExecute"}}, 0},
		"of a DaemonSet":          {"DaemonSet", nil, -1},
		"of a DaemonSet, its own": {"DaemonSet", tolerates(key, "Exists", "NoExecute", new(int64(20))), -1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := pod(func(s *corev1.PodSpec, _ *corev1.Container) { s.Tolerations = c.tolerations })
			w.Kind = c.kind
			p := Of(w, kubelet(formula.NewestKnown), Options{})
			line := p.Containers[0].timeline(g, "lost-node")
			g.Expect(line.find(lifecycle.Unready).At.Earliest).To(Equal(50*time.Second - 10400*time.Millisecond))
			deleted := line.find(lifecycle.DeletionBegan)
			if c.seconds < 0 {
				g.Expect(deleted).To(BeNil())
				return
			}
			g.Expect(time.Duration(deleted.Implemented.Earliest)).To(Equal(time.Duration(c.seconds) * time.Second))
			g.Expect(line.find(lifecycle.SIGTERM)).To(BeNil(), "nothing reaches the process")
		})
	}
}

// The control plane has the default of the kubelet's release. A pod is deleted once, so one container has the timeline.
func TestLostNodeOfOldReleases(t *testing.T) {
	g := NewWithT(t)
	p := Of(pod(func(s *corev1.PodSpec, c *corev1.Container) {
		second := *c.DeepCopy()
		second.Name = "second"
		s.Containers = append(s.Containers, second)
	}), kubelet("v1.31.14"), Options{})
	g.Expect(p.Containers[0].timeline(g, "lost-node").find(lifecycle.Unready).At.Earliest).
		To(Equal(40*time.Second - 10400*time.Millisecond))
	for _, t := range p.Containers[1].Timelines {
		g.Expect(t.Cause).NotTo(Equal(LostNode))
	}
}

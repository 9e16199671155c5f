package predict

import (
	"encoding/json"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// releases are the kubelets whose sources were read.
var releases = []string{formula.OldestKnown, "v1.34.4", "v1.35.4", formula.NewestKnown}

// In every prediction, steps follow each other, no window is empty, timelines have different IDs, and the same input
// gives the same bytes.
func TestEveryPrediction(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := NewWithT(r)
		w, k := drawWorkload(r), kubelet(rapid.SampledFrom(releases).Draw(r, "version"))
		k.EvictionMaxPodGracePeriod = rapid.Int64Range(-1, 60).Draw(r, "maximum")
		o := Options{GracePeriodSeconds: rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 3).Draw(r, "options of deletes")}
		p := Of(w, k, o)
		g.Expect(p.Containers).To(HaveLen(len(w.Pod.Spec.Containers) + len(w.Pod.Spec.InitContainers)))
		for _, c := range p.Containers {
			ids := map[string]bool{}
			for _, t := range c.Timelines {
				g.Expect(ids).NotTo(HaveKey(t.ID))
				ids[t.ID] = true
				checkTimeline(g, t)
			}
			for _, k := range c.Answers.Kills {
				g.Expect(k.SIGTERM.Latest).To(BeNumerically("<=", k.Dead.Latest))
				g.Expect(k.SIGKILL).NotTo(BeNil())
			}
		}
		once, err := json.Marshal(p)
		g.Expect(err).NotTo(HaveOccurred())
		again, err := json.Marshal(Of(w, k, o))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(again)).To(Equal(string(once)))
	})
}

func checkTimeline(g *WithT, t Timeline) {
	g.Expect(t.Begins).NotTo(BeEmpty())
	seen := map[string]bool{lifecycle.Fault: true}
	for _, s := range t.Steps {
		g.Expect(seen).To(HaveKey(s.After), "%s: %s comes after something", t.ID, s.ID)
		g.Expect(seen).NotTo(HaveKey(s.ID), t.ID)
		for _, b := range s.Also {
			g.Expect(seen).To(HaveKey(b.After), "%s: %s", t.ID, s.ID)
		}
		seen[s.ID] = true
		g.Expect(s.At.Earliest).To(BeNumerically("<=", s.At.Latest), "%s: %s at %v, also %v", t.ID, s.ID, s.At, s.Also)
		g.Expect(s.At.Earliest).To(BeNumerically(">=", 0), "%s: %s", t.ID, s.ID)
		g.Expect(s.What).NotTo(BeEmpty())
		sum := formula.Window{}
		for _, term := range s.Implemented.Terms {
			sum = sum.With(term)
		}
		g.Expect([]int64{sum.Earliest, sum.Latest}).
			To(Equal([]int64{s.Implemented.Earliest, s.Implemented.Latest}),
				"%s: %s: a window is the sum of its terms", t.ID, s.ID)
	}
}

// drawWorkload draws a pod of up to two main containers and two init containers, with everything that decides about
// their ends.
func drawWorkload(r *rapid.T) Workload {
	policies := []corev1.RestartPolicy{
		corev1.RestartPolicyAlways,
		corev1.RestartPolicyOnFailure,
		corev1.RestartPolicyNever,
	}
	always := corev1.ContainerRestartPolicyAlways
	p := &corev1.Pod{}
	p.Spec.RestartPolicy = rapid.SampledFrom(policies).Draw(r, "policy")
	p.Spec.TerminationGracePeriodSeconds = new(rapid.Int64Range(0, 90).Draw(r, "grace"))
	if rapid.Bool().Draw(r, "deadline") {
		p.Spec.ActiveDeadlineSeconds = new(rapid.Int64Range(1, 600).Draw(r, "active deadline"))
	}
	for range rapid.IntRange(0, 3).Draw(r, "tolerations") {
		t := corev1.Toleration{
			Key:      rapid.SampledFrom([]string{"a", "b", ""}).Draw(r, "key"),
			Operator: corev1.TolerationOpExists,
			Effect:   corev1.TaintEffectNoExecute,
		}
		if rapid.Bool().Draw(r, "for a time") {
			t.TolerationSeconds = new(rapid.Int64Range(0, 300).Draw(r, "tolerated"))
		}
		p.Spec.Tolerations = append(p.Spec.Tolerations, t)
	}
	for i := range rapid.IntRange(1, 2).Draw(r, "main containers") {
		p.Spec.Containers = append(p.Spec.Containers, drawContainer(r, fmt.Sprint("main-", i)))
	}
	for i := range rapid.IntRange(0, 2).Draw(r, "init containers") {
		c := corev1.Container{Name: fmt.Sprint("init-", i)}
		if rapid.Bool().Draw(r, "sidecar") {
			c = drawContainer(r, c.Name)
			c.RestartPolicy = &always
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
	if rapid.Bool().Draw(r, "restarts all") {
		code := &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{88},
		}
		last := &p.Spec.Containers[len(p.Spec.Containers)-1]
		last.RestartPolicy = &always
		last.RestartPolicyRules = []corev1.ContainerRestartRule{
			{Action: corev1.ContainerRestartRuleActionRestartAllContainers, ExitCodes: code},
		}
	}
	return Workload{Object: manifest.Object{Document: 1, Kind: "Pod", Name: "drawn", Pod: p}}
}

func drawContainer(r *rapid.T, name string) corev1.Container {
	c := corev1.Container{
		Name:           name,
		LivenessProbe:  drawProbe(r, "liveness"),
		ReadinessProbe: drawProbe(r, "readiness"),
		StartupProbe:   drawProbe(r, "startup"),
	}
	hooks := []*corev1.LifecycleHandler{
		nil,
		exec(),
		{HTTPGet: &corev1.HTTPGetAction{}},
		{Sleep: &corev1.SleepAction{Seconds: rapid.Int64Range(0, 100).Draw(r, "sleep")}},
	}
	c.Lifecycle = &corev1.Lifecycle{
		PreStop:   rapid.SampledFrom(hooks).Draw(r, "preStop"),
		PostStart: rapid.SampledFrom(hooks[:2]).Draw(r, "postStart"),
	}
	return c
}

func drawProbe(r *rapid.T, kind string) *corev1.Probe {
	if !rapid.Bool().Draw(r, kind) {
		return nil
	}
	p := &corev1.Probe{
		InitialDelaySeconds: rapid.Int32Range(0, 60).
			Draw(r, "delay"),
		PeriodSeconds: rapid.Int32Range(1, 30).Draw(r, "period"),
		TimeoutSeconds: rapid.Int32Range(1, 40).
			Draw(r, "timeout"),
		FailureThreshold: rapid.Int32Range(1, 6).Draw(r, "threshold"),
		SuccessThreshold: 1,
	}
	p.Exec = &corev1.ExecAction{}
	if rapid.Bool().Draw(r, "http") {
		p.Exec, p.HTTPGet = nil, &corev1.HTTPGetAction{}
	}
	if kind != "readiness" && rapid.Bool().Draw(r, "own grace") {
		p.TerminationGracePeriodSeconds = new(rapid.Int64Range(1, 60).Draw(r, "probe's grace"))
	}
	return p
}

package predict

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// mlWorker is the documentation's example (examples/pods/restart-policy/restart-all-containers.yaml), with a hook.
const mlWorker = `apiVersion: v1
kind: Pod
metadata: {name: ml-worker}
spec:
  restartPolicy: Never
  initContainers:
  - {name: setup-environment, image: busybox}
  - name: watcher-sidecar
    image: busybox
    restartPolicy: Always
    restartPolicyRules:
    - action: RestartAllContainers
      exitCodes: {operator: In, values: [88]}
  containers:
  - name: main-application
    image: busybox
    lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}
`

// worker returns the example's prediction and its containers by name.
func worker(t *testing.T, k formula.Kubelet) (Prediction, map[string]Container) {
	m, err := manifest.Read(strings.NewReader(mlWorker), "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	p, byName := Of(Workloads(m)[0], k, Options{}), map[string]Container{}
	for _, c := range p.Containers {
		byName[c.Name] = c
	}
	return p, byName
}

// Exit code 88 kills the main container with two seconds and without its hook, and starts the pod from its first init
// container, never backed off. The sidecar's other ends are an ordinary crash loop.
func TestRestartAllContainers(t *testing.T) {
	g := NewWithT(t)
	p, of := worker(t, kubelet(formula.NewestKnown))
	g.Expect(p.Findings).NotTo(ContainElement(HaveField("Rule", "kubelet-lacks-it")))

	app := of["main-application"].timeline(g, "restart-all-by-watcher-sidecar/longest")
	g.Expect(app.Begins).To(Equal("the end of container watcher-sidecar with exit code 88"))
	g.Expect(app.Grace).To(BeZero())
	g.Expect(app.find(lifecycle.HookBegan)).To(BeNil())
	g.Expect(app.find(lifecycle.SIGTERM).At.Latest).To(BeNumerically("<", 5*time.Second), "two relists and a sync")
	g.Expect(app.find(lifecycle.Gone).At.Earliest - app.find(lifecycle.SIGTERM).At.Earliest).
		To(BeNumerically("~", 2*time.Second, 100*time.Millisecond))
	again := app.find("first-start")
	g.Expect(again.What).To(HavePrefix("container setup-environment is started again, without a back-off"))
	g.Expect(again.At.Latest).To(BeNumerically("<", 15*time.Second))

	watcher := of["watcher-sidecar"]
	source := watcher.timeline(g, "restart-all-by-watcher-sidecar/longest")
	g.Expect(source.find("last-death").At.Earliest).To(BeNumerically("~", 2*time.Second, 100*time.Millisecond))
	g.Expect(source.find("first-start").Formula).To(Equal(formula.RestartAllFree.ID))
	g.Expect(watcher.Answers.CrashLoop).NotTo(BeEmpty())
	g.Expect(of["setup-environment"].ids("restart-all")).To(BeEmpty(), "it has ended")
}

// Kubelets without the action say so, and predict the sidecar's ordinary restart.
func TestRestartAllContainersUnknown(t *testing.T) {
	off := kubelet(formula.NewestKnown)
	off.Gates = map[string]bool{"RestartAllContainersOnContainerExits": false}
	on := kubelet("v1.35.4")
	on.Gates = map[string]bool{"RestartAllContainersOnContainerExits": true}
	for name, c := range map[string]struct {
		kubelet formula.Kubelet
		has     bool
	}{
		"1.34": {kubelet("v1.34.4"), false}, "1.35, an alpha gate": {kubelet("v1.35.4"), false},
		"1.35, gate on": {on, true},
		"1.36":          {kubelet("v1.36.3"), true}, "newest, gate off": {off, false},
	} {
		g := NewWithT(t)
		p, of := worker(t, c.kubelet)
		lacks := ContainElement(And(HaveField("Rule", "kubelet-lacks-it"),
			HaveField("Field", "spec.initContainers[1].restartPolicyRules[0].action")))
		if c.has {
			g.Expect(p.Findings).NotTo(lacks, name)
			g.Expect(of["main-application"].ids("restart-all")).To(HaveLen(1), name)
			continue
		}
		g.Expect(p.Findings).To(lacks, name)
		g.Expect(of["main-application"].ids("restart-all")).To(BeEmpty(), name)
		g.Expect(of["watcher-sidecar"].ids("restart-all")).To(BeEmpty(), name)
		g.Expect(of["watcher-sidecar"].Answers.CrashLoop).NotTo(BeEmpty(), name)
	}
}

// Containers are killed one after another, main containers before sidecars. While an init container runs, there are
// only the sidecars before it. Without init containers, the first main container's start is known.
func TestOrderOfRestartAll(t *testing.T) {
	g := NewWithT(t)
	always, never := corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever
	rule := []corev1.ContainerRestartRule{{
		Action: corev1.ContainerRestartRuleActionRestartAllContainers,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpNotIn, Values: []int32{0, 1},
		},
	}}
	w := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		s.Containers = append(s.Containers,
			corev1.Container{Name: "leader", RestartPolicy: &never, RestartPolicyRules: rule},
			corev1.Container{Name: "third"})
	})
	p := Of(w, kubelet(formula.NewestKnown), Options{})
	app := p.Containers[0].timeline(g, "restart-all-by-leader/longest")
	g.Expect(app.Begins).To(HaveSuffix("with an exit code other than 0, 1"))
	g.Expect(app.find("last-death").At.Earliest-app.find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 2*time.Second, 100*time.Millisecond), "the kill of the third container")
	g.Expect(app.find(inLife(lifecycle.Started, 2)).Formula).To(Equal(formula.RestartAllFree.ID))
	third := p.Containers[2].timeline(g, "restart-all-by-leader/longest")
	g.Expect(third.find(lifecycle.SIGTERM).At.Earliest).To(BeNumerically("~", 2*time.Second, 100*time.Millisecond))
	g.Expect(third.find("last-death")).To(BeNil())

	w = pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		s.InitContainers = []corev1.Container{
			{Name: "before", RestartPolicy: &always}, {Name: "init", RestartPolicy: &never, RestartPolicyRules: rule},
			{Name: "after", RestartPolicy: &always},
		}
	})
	p = Of(w, kubelet(formula.NewestKnown), Options{})
	g.Expect(p.Containers[0].ids("restart-all")).To(BeEmpty(), "the main container has not started")
	g.Expect(p.Containers[1].ids("restart-all")).To(HaveLen(1))
	g.Expect(p.Containers[2].ids("restart-all")).To(BeEmpty())
	g.Expect(p.Containers[3].ids("restart-all")).To(HaveLen(1))
}

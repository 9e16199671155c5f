package predict

import (
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// Options are what is known beyond manifest and kubelet. The zero value knows nothing, and predicts the shortest and the longest.
type Options struct {
	// GracePeriodSeconds are the options of further delete requests to predict, beside a delete without one and a force delete.
	GracePeriodSeconds []int64
	// HookTakes is how long preStop hooks take that are commands or requests; nil says that nobody knows: they may return at once, or hang. A command that does
	// nothing but sleep tells it itself.
	HookTakes *time.Duration
	// ExitsAfter is how long after SIGTERM processes exit; nil says that nobody knows: they may exit at once, or ignore it.
	ExitsAfter *time.Duration
	// RunsFor is how long a life of a container that crashes again and again lasts.
	RunsFor time.Duration
}

// All predicts many workloads, each as [Of] does, in their order.
func All(workloads []Workload, k formula.Kubelet, o Options) []Prediction {
	all := make([]Prediction, len(workloads))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range workloads {
		g.Go(func() error {
			all[i] = Of(workloads[i], k, o)
			return nil
		})
	}
	_ = g.Wait() // nothing can fail
	return all
}

// Of predicts a workload by a kubelet's rules. The pod must be one that the API server would accept; its defaults may be filled in or not.
func Of(w Workload, k formula.Kubelet, o Options) Prediction {
	p := Prediction{Workload: w, Kubelet: k, Extrapolated: k.Extrapolated()}
	pod, ignored := seenBy(k, w.Pod)
	p.Ignored = ignored
	for _, c := range roles(pod) {
		c.workload, c.pod, c.kubelet, c.options = w, pod, k, o
		p.Containers = append(p.Containers, c.predict())
	}
	return p
}

// scene is one container of a pod, and what it is predicted by.
type scene struct {
	workload Workload
	pod      *corev1.Pod
	spec     *corev1.Container
	role     Role
	kubelet  formula.Kubelet
	options  Options
}

// roles are a pod's containers: main containers, then sidecars, then init containers.
func roles(pod *corev1.Pod) (all []scene) {
	for i := range pod.Spec.Containers {
		all = append(all, scene{spec: &pod.Spec.Containers[i], role: Main})
	}
	for _, role := range []Role{Sidecar, Init} {
		for i := range pod.Spec.InitContainers {
			if c := &pod.Spec.InitContainers[i]; podspec.IsSidecar(pod, c.Name) == (role == Sidecar) {
				all = append(all, scene{spec: c, role: role})
			}
		}
	}
	return all
}

// predict is everything that is predicted of the container.
func (s scene) predict() Container {
	c := Container{Name: s.spec.Name, Role: s.role}
	c.Hook, _ = podspec.Hook(s.spec)
	for _, lines := range [][]*line{
		s.starts(), s.completes(), s.startupFails(), s.livenessFails(), s.readinessFails(), s.crashes(), s.postStartFails(),
		s.deletes(), s.taints(), s.evictions(), s.preempted(), s.pastDeadline(), s.imageChanges(), s.podCompletes(),
	} {
		for _, l := range lines {
			c.Timelines = append(c.Timelines, l.Timeline)
		}
	}
	c.Answers = answers(c.Timelines)
	return c
}

// about is what a timeline is about.
type about struct {
	// id and cause are the timeline's; kill is why the container is killed for the formulas, empty where nothing kills it.
	id          string
	cause, kill formula.Cause
	variant     string
	begins      string
	// option is a delete's, taint the key of the taint that leads to it, probe the kind of probe that is spoken of.
	option *int64
	taint  string
	probe  string
}

// line begins a timeline under an assumption.
func (s scene) line(a about, asked Assumption) *line {
	l := &line{Timeline: Timeline{ID: a.id, Cause: a.cause, Variant: a.variant, Begins: a.begins}, asked: asked}
	if asked.Name != "" {
		l.ID += "/" + asked.Name
	}
	l.spec = podspec.Question{
		Pod: s.pod, Container: s.spec.Name, Cause: a.kill, GracePeriodSeconds: a.option, Taint: a.taint, Probe: a.probe,
	}.Input(s.kubelet)
	l.Assumes = s.assume(l.spec, asked)
	l.facts.Obeys, l.facts.OwnDelay = asked.Obeys, asked.ExitsAfter
	if a.kill == formula.ByDelete {
		l.facts.Deletes = []formula.Delete{{GracePeriodSeconds: a.option, At: epoch}}
	}
	if asked.ProbeHangs {
		l.facts.Probe.Takes = time.Duration(l.spec.Probe.TimeoutSeconds) * time.Second
	}
	l.facts.Kill.HookElapsed = hookElapsed(l.spec, l.Assumes)
	return l
}

// epoch is the timelines' zero on the clock of [formula.Input.Lives], on which 0 is a time that was never measured.
const epoch = 1000 * time.Hour

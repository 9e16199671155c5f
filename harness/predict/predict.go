package predict

import (
	"encoding/json"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// Options are what is known beyond manifest and kubelet. The zero value knows nothing, and predicts the
// shortest and the longest.
type Options struct {
	// GracePeriodSeconds are the options of further delete requests to predict, beside a delete without one
	// and a force delete.
	GracePeriodSeconds []int64
	// HookTakes is how long preStop hooks take that are commands or requests; nil says that nobody knows:
	// they may return at once, or hang. A command that does nothing but sleep tells it itself.
	HookTakes *time.Duration
	// ExitsAfter is how long after SIGTERM processes exit; nil says that nobody knows: they may exit at
	// once, or ignore it.
	ExitsAfter *time.Duration
	// RunsFor is how long a life of a container that crashes again and again lasts.
	RunsFor time.Duration
}

// Longest is the longest time that can be told or predicted: ten years.
const Longest = 10 * 366 * 24 * time.Hour

// All predicts many workloads, each as [Of] does, in their order. Pods that differ in nothing that
// predictions read are predicted once.
func All(workloads []Workload, k formula.Kubelet, o Options) []Prediction {
	all := make([]Prediction, len(workloads))
	var alike sync.Map // the func() []Container that predicts a pod, by all that predictions read of it
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range workloads {
		g.Go(func() error {
			p, pod := begun(workloads[i], k, o)
			predict := sync.OnceValue(pod.containers)
			if read, err := json.Marshal(pod.pod.Spec); err == nil { // else it is like no other
				shared, _ := alike.LoadOrStore(key{string(read), pod.bare}, predict)
				predict = shared.(func() []Container)
			}
			p.Containers = predict()
			all[i] = p
			return nil
		})
	}
	_ = g.Wait() // nothing can fail
	return all
}

// key is what is read of a pod, and whether no other object makes it.
type key struct {
	read string
	bare bool
}

// Of predicts a workload by a kubelet's rules. The pod must be one that the API server would accept; its
// defaults may be filled in or not.
func Of(w Workload, k formula.Kubelet, o Options) Prediction {
	p, pod := begun(w, k, o)
	p.Containers = pod.containers()
	return p
}

// begun is a prediction without its containers, and what these are predicted by.
func begun(w Workload, k formula.Kubelet, o Options) (Prediction, *known) {
	p := Prediction{Workload: w, Kubelet: k}
	p.seen, p.ignored = seenBy(k, w.Pod)
	p.Findings = p.findings()
	return p, &known{pod: p.seen, bare: w.Kind == "Pod", kubelet: k, options: o, deaths: map[deathOf]Span{}}
}

// known is what a pod is predicted by.
type known struct {
	// pod is the pod as the kubelet sees it; bare says that no other object makes it.
	pod     *corev1.Pod
	bare    bool
	kubelet formula.Kubelet
	options Options
	// deaths are when containers are dead that sidecars wait for, as far as that was asked.
	deaths map[deathOf]Span
}

// scene is one of the containers of a pod.
type scene struct {
	*known
	spec *corev1.Container
	role Role
}

// scenes are the pod's containers: main containers, then sidecars, then init containers.
func (k *known) scenes() []scene {
	spec := &k.pod.Spec
	all := make([]scene, 0, len(spec.Containers)+len(spec.InitContainers))
	for i := range spec.Containers {
		all = append(all, scene{known: k, spec: &spec.Containers[i], role: Main})
	}
	for _, role := range []Role{Sidecar, Init} {
		for i := range spec.InitContainers {
			if c := &spec.InitContainers[i]; podspec.IsSidecar(k.pod, c.Name) == (role == Sidecar) {
				all = append(all, scene{known: k, spec: c, role: role})
			}
		}
	}
	return all
}

// containers are the predictions of all of the pod's containers.
func (k *known) containers() []Container {
	var all []Container
	for _, s := range k.scenes() {
		all = append(all, s.predict())
	}
	return all
}

// predict is everything that is predicted of the container.
func (s scene) predict() Container {
	lines := slices.Concat(
		s.starts(),
		s.completes(),
		s.startupFails(),
		s.livenessFails(),
		s.readinessFails(),
		s.crashes(),
		s.postStartFails(),
		s.deletes(),
		s.taints(),
		s.evictions(),
		s.preempted(),
		s.pastDeadline(),
		s.imageChanges(),
		s.podCompletes(),
	)
	c := Container{Name: s.spec.Name, Role: s.role, Timelines: make([]Timeline, len(lines))}
	c.Hook, _ = podspec.Hook(s.spec)
	for i, l := range lines {
		c.Timelines[i] = l.Timeline
	}
	c.Answers = answers(c.Timelines)
	return c
}

// about is what a timeline is about.
type about struct {
	// id and cause are the timeline's; kill is why the container is killed for the formulas, empty where
	// nothing kills it.
	id          string
	cause, kill formula.Cause
	variant     string
	begins      string
	// option is a delete's, taint the taint that leads to it, probe the kind of probe that is spoken of.
	option *int64
	taint  *corev1.Taint
	probe  string
}

// input is what formulas may know of the container's spec.
func (s scene) input(a about) formula.Input {
	return podspec.Question{
		Pod: s.pod, Container: s.spec.Name, Cause: a.kill, GracePeriodSeconds: a.option, Taint: a.taint, Probe: a.probe,
	}.Input(s.kubelet)
}

// line begins a timeline under an assumption.
func (s scene) line(a about, asked Assumption) *line {
	l := &line{asked: asked, spec: s.input(a)}
	l.Timeline = Timeline{
		ID:      a.id,
		Cause:   a.cause,
		Variant: a.variant,
		Begins:  a.begins,
		Steps:   make([]Step, 0, usualSteps),
	}
	if asked.Name != "" {
		l.ID += "/" + asked.Name
	}
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

// usualSteps is how many steps most timelines have at the most.
const usualSteps = 8

// epoch is the timelines' zero on the clock of [formula.Input.Lives], on which 0 is a time that was never
// measured: all that is predicted lies long after it.
const epoch = 10 * Longest

// Package predict computes what a kubelet does to a pod without running it: when and why each container is killed
// and restarted, for every cause that its spec allows. Of the pods of a controller, it also computes what the control
// plane does to all of them together: rollouts, scale-downs and drains.
//
// It shares the formulas (package formula) and the reading of a pod's spec (package podspec) with verdicts. A
// prediction assumes what a verdict measures, such as a hook's duration; every timeline names its assumptions. The
// package needs no cluster.
package predict

import (
	"encoding/json"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Workloads returns the objects of a manifest in their order.
func Workloads(m manifest.Manifest) []Workload {
	all, budgets := make([]Workload, len(m.Objects)), replicas.Budgets(m)
	for i, o := range m.Objects {
		all[i] = Workload{Object: o, Pods: replicas.Of(o, m.Autoscalers), Budgets: budgets[i],
			Services: m.ServicesOf(o)}
	}
	return all
}

// podKey is everything that predictions read of a pod.
type podKey struct {
	spec, job string
	bare      bool
}

// All predicts workloads whose pods the API server accepts, in their order, and equal pods once.
func All(workloads []Workload, k formula.Kubelet, o Options) []Prediction {
	all := make([]Prediction, len(workloads))
	var known sync.Map // from podKey to func() []Container
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range workloads {
		if says := notCovered(workloads[i].Pod); says != "" {
			all[i] = Prediction{Workload: workloads[i], Kubelet: k, NotCovered: says, Containers: []Container{}}
			continue
		}
		g.Go(func() error {
			p, pod := begin(workloads[i], k, o)
			predict := sync.OnceValue(pod.predict)
			spec, err := json.Marshal(pod.pod.Spec)
			job, wrong := json.Marshal(pod.job)
			if err == nil && wrong == nil {
				equal, _ := known.LoadOrStore(podKey{string(spec), string(job), pod.bare}, predict)
				predict = equal.(func() []Container)
			}
			p.complete(predict(), pod.pod)
			all[i] = p
			return nil
		})
	}
	_ = g.Wait() // no prediction fails
	return all
}

func begin(w Workload, k formula.Kubelet, o Options) (Prediction, *podPredictor) {
	p, pod := Prediction{Workload: w, Kubelet: k, Presets: o.Presets}, effective.Of(k, w.Pod)
	pod.Spec.Tolerations = tolerated(w.Kind, pod.Spec.Tolerations)
	p.Findings, p.Ignored = o.Findings.Split(findings.Of(findings.Workload{
		Object: w.Object, Pod: pod, Kubelet: k, HookTakes: o.HookTakes, Presets: o.Presets, Budgets: w.Budgets,
		Services: w.Services,
	}), w.Annotations)
	bare := w.Kind == "Pod"
	return p, &podPredictor{
		pod: pod, bare: bare, job: w.Job, kubelet: k, options: o, deaths: map[deathKey]Span{},
	}
}

func (p *podPredictor) predict() []Container {
	var all []Container
	for _, c := range p.containers() {
		all = append(all, c.predict())
	}
	kills := killsOf(all, effective.Main, effective.Sidecar)
	for i := range all {
		r := &all[i].Answers.Readiness
		r.PastDeadline = kills.deadlineBefore(r.Ready)
	}
	return all
}

func (p predictor) predict() Container {
	c := Container{Name: p.Name, Role: p.Role, PostStart: p.pod.PostStart(p.Container), Timelines: []Timeline{}}
	c.Hook, _ = podspec.Hook(p.Container.Container)
	for _, d := range slices.Concat(p.starts(), p.completes(), p.startupFails(), p.livenessFails(),
		p.readinessFails(), p.crashes(), p.restartsAll(), p.postStartFails(), p.deletes(), p.taints(), p.evictions(),
		p.preempted(), p.shutsDown(), p.losesNode(), p.pastDeadline(), p.imageChanges(), p.podCompletes()) {
		if !p.pastEnd(&d.Timeline) {
			c.Timelines = append(c.Timelines, d.Timeline)
		}
	}
	c.Answers = answersOf(c.Timelines)
	return c
}

// Formulas returns the predictions' formulas by ID.
func Formulas(all []Prediction) map[string]*formula.Formula {
	used := map[string]*formula.Formula{}
	for i := range all {
		for _, c := range all[i].Containers {
			for p := range c.Predicted {
				if p.rule != nil {
					used[p.Formula] = p.rule
				}
			}
		}
	}
	return used
}

// Predicted yields the result of every formula in the timelines, and every assumed window.
func (c Container) Predicted(yield func(Predicted) bool) {
	for _, t := range c.Timelines {
		for _, s := range t.Steps {
			if !yield(s.Predicted) {
				return
			}
			for _, b := range s.Also {
				if !yield(b.Predicted) {
					return
				}
			}
		}
		for _, v := range t.Values {
			if !yield(v.Predicted) {
				return
			}
		}
	}
}

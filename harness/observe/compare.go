package observe

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// predictor predicts pods, equal ones once.
type predictor struct {
	kubelet func(node string) (formula.Kubelet, error)
	known   map[string]predict.Prediction
}

// of predicts a pod that is deleted with a grace period.
func (p *predictor) of(pod *corev1.Pod, grace *int64) (predict.Prediction, error) {
	k, err := p.kubelet(pod.Spec.NodeName)
	if err != nil {
		return predict.Prediction{}, err
	}
	key, o := fmt.Sprintf("%s %s %+v", revision(pod), pod.Spec.NodeName, pod.Spec.TerminationGracePeriodSeconds),
		predict.Options{}
	if grace != nil {
		key += fmt.Sprint(*grace)
		o.GracePeriodSeconds = []int64{*grace}
	}
	if known, is := p.known[key]; is {
		return known, nil
	}
	bare := &corev1.Pod{Spec: pod.Spec}
	bare.Annotations = pod.Annotations
	w := predict.Workload{Object: manifest.Object{Kind: "Pod", Name: pod.Name, Pod: bare}}
	found := predict.All([]predict.Workload{w}, k, o)[0]
	p.known[key] = found
	return found, nil
}

func container(p predict.Prediction, name string) *predict.Container {
	for i := range p.Containers {
		if p.Containers[i].Name == name {
			return &p.Containers[i]
		}
	}
	return nil
}

// predicted are the causes of predictions that a seen cause may be. That of a delete counts from the
// request, whoever sent it.
func predicted(c formula.Cause) []formula.Cause {
	switch c {
	case ByAPIEviction, BySchedulerPreemption, ByGarbageCollection, predict.ByTaint:
		return []formula.Cause{formula.ByDelete}
	case ByNodePressure:
		return []formula.Cause{formula.ByHardEviction, formula.BySoftEviction}
	}
	return []formula.Cause{c}
}

// afterDelete returns the window from a delete request to the death of a container.
func afterDelete(c *predict.Container, own, grace int64, by Outcome) (predict.Span, bool) {
	variant := ""
	if grace != own {
		variant = predict.WithGrace(grace)
	}
	k := c.Answers.Kills.Of(formula.ByDelete, variant)
	switch {
	case k == nil:
		return predict.Span{}, false
	case by == SIGKILL && k.SIGKILL != nil:
		return *k.SIGKILL, true
	}
	return k.Dead, true
}

// afterKill returns the window from the event of a kill to the death. The kubelet sends it before the hook
// (pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer), so the first sign of the kill is as long after it
// as it may be after a delete, at most.
func afterKill(c *predict.Container, cause formula.Cause, by Outcome) (window predict.Span, found bool) {
	for _, one := range predicted(cause) {
		for _, t := range c.Timelines {
			if t.Cause != one || by == SIGKILL && t.Assumes.Obeys {
				continue
			}
			first, death := step(t, lifecycle.HookBegan), step(t, lifecycle.Gone)
			if first == nil {
				first = step(t, lifecycle.SIGTERM)
			}
			if first == nil || death == nil {
				continue
			}
			begins := formula.KillStart.Implemented(death.Input())
			s := predict.Span{Earliest: death.At.Earliest - first.At.Earliest,
				Latest: death.At.Latest - first.At.Latest + time.Duration(begins.Latest)}
			if found {
				s = *predict.Over(&window, s)
			}
			window, found = s, true
		}
	}
	return window, found
}

// step returns a step of the first life, or nil.
func step(t predict.Timeline, id string) *predict.Step {
	for i := range t.Steps {
		if t.Steps[i].ID == id {
			return &t.Steps[i]
		}
	}
	return nil
}

// afterDeath returns the window from a death to the next start of the container. lives is how many of them have ended.
func afterDeath(c *predict.Container, cause formula.Cause, lives int) (predict.Span, bool) {
	var all []predict.Restart
	switch cause {
	case formula.ByLiveness, formula.ByStartup:
		for _, l := range c.Answers.ProbeLoops {
			if l.Probe == string(cause) {
				all = l.Restarts
			}
		}
	case predict.Crashing, ByOOM, predict.Completing:
		all = c.Answers.CrashLoop
	}
	for _, r := range all {
		if r.Number == lives {
			return r.Wait, true
		}
	}
	return predict.Span{}, false
}

// graceOf returns the grace period of a kill of the whole pod by its kubelet.
func graceOf(c *predict.Container, cause formula.Cause) (grace time.Duration) {
	for _, one := range predicted(cause) {
		if k := c.Answers.Kills.Of(one, ""); k != nil {
			grace = max(grace, k.Grace)
		}
	}
	return grace
}

package runner

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// ToBegin returns what is missing until a trial has begun, or "". It begins when every container has started or, if it
// has no fault or its first fault waits for a point, with the first container. Refused means that the kubelet rejected
// the pod.
func ToBegin(t trial.Trial, pods []Deployed, tl *timeline.Timeline) (missing string, refused bool) {
	if refuses(tl) {
		return "", true
	}
	all := len(t.Faults) > 0 && t.Faults[0].When == (trial.Point{})
	for _, pod := range pods {
		for _, c := range pod.Spec.Containers {
			if life := tl.Life(c.Name, 1); all && (life == nil || life.Started == nil) {
				return "the start of container " + c.Name, false
			}
		}
	}
	if !stirred(tl) {
		return "the start of any container", false
	}
	return "", false
}

func refuses(t *timeline.Timeline) bool {
	if len(t.Containers) > 0 || len(t.API) == 0 {
		return false
	}
	newest := t.API[len(t.API)-1]
	return newest.Pod == "" && newest.Phase == string(corev1.PodFailed) && len(newest.Containers) == 0
}

// stirred reports whether a container started, or the API or an event shows why none can.
func stirred(t *timeline.Timeline) bool {
	for _, c := range t.Containers {
		if len(c.Lives) > 0 && c.Lives[0].Started != nil {
			return true
		}
	}
	for _, c := range t.API {
		for _, s := range c.Containers {
			if s.State == "terminated" || s.State == "waiting" && !s.Creating() {
				return true
			}
		}
	}
	signs := []string{"Failed", "FailedCreatePodSandBox", "Pulling", "Created"}
	return slices.ContainsFunc(t.Events, func(e timeline.Event) bool { return slices.Contains(signs, e.Reason) })
}

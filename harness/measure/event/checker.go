package event

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// Pod is one pod and what was recorded about it.
type Pod struct {
	Spec     *corev1.PodSpec
	Events   []timeline.Event
	Versions []timeline.Version
	// Life returns a life of one of its containers, or nil.
	Life func(container string, number int) *timeline.Life
	// Known is when the recording ended.
	Known int64
	// Alone means that one kubelet reported on one pod: it was not restarted, and no other pod had the name.
	Alone bool
}

// form is how the kubelet words an event of one reason. NAME is the container's name in its message.
type form struct {
	reason, kind string
	message      string
}

const (
	normal  = corev1.EventTypeNormal
	warning = corev1.EventTypeWarning
)

// checker is a check under way.
type checker struct {
	Pod
	checked timeline.Checked
	kind    timeline.Report
	// all are the pod's events, each as often as it happened. Until an instant, none is missing.
	all   []timeline.Event
	until int64
}

func (c *checker) wrong(at int64, format string, args ...any) {
	c.checked.Add(timeline.Misreport{Report: c.kind, At: at, Why: fmt.Sprintf(format, args...)})
}

// occurrences returns each event as often as its count says. A count that falls is that of a new object.
func occurrences(events []timeline.Event) (all []timeline.Event) {
	type key struct{ reason, path, message string }
	last := map[key]int32{}
	for _, e := range events {
		k := key{e.Reason, e.Path, e.Message}
		n := e.Count - last[k]
		if n < 0 {
			n = e.Count
		}
		last[k] = e.Count
		for range n {
			all = append(all, e)
		}
	}
	return all
}

// containers returns all containers of the pod.
func (c *checker) containers() []corev1.Container {
	return slices.Concat(c.Spec.InitContainers, c.Spec.Containers)
}

// over reports whether the event of something at an instant must have come.
func (c *checker) over(at timeline.Instant) bool { return at.At+at.Late < c.until }

// recorded returns how many events of a reason about a container were recorded up to the second of another. A watch
// that begins again shows events in any order.
func (c *checker) recorded(container, reason string, until timeline.Event) int {
	return len(slices.DeleteFunc(c.reported(container, reason), func(e timeline.Event) bool {
		return e.Recorded > until.Recorded
	}))
}

func (c *checker) reported(container, reason string) []timeline.Event {
	return slices.DeleteFunc(c.of(container), func(e timeline.Event) bool { return e.Reason != reason })
}

// of returns the events about a container.
func (c *checker) of(container string) []timeline.Event {
	return slices.DeleteFunc(slices.Clone(c.all), func(e timeline.Event) bool { return e.Container != container })
}

func (c *checker) has(reason string) bool {
	return slices.ContainsFunc(c.Events, func(e timeline.Event) bool { return e.Reason == reason })
}

// probes returns the probes of a container by the first word of their events.
func probes(c *corev1.Container) map[string]*corev1.Probe {
	return map[string]*corev1.Probe{
		"Liveness": c.LivenessProbe, "Readiness": c.ReadinessProbe, "Startup": c.StartupProbe,
	}
}

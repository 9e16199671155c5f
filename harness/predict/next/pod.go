package next

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Pod is what happens next to a pod.
type Pod struct {
	Name, Node string
	// State is what the pod does, such as "is not ready". Since is when that began, zero if it is not known.
	State string
	Since time.Time
	// Quiet is set if the pod runs and is ready, and nothing is due.
	Quiet bool
	// Events are what happens next, and what is known of it.
	Events []Event
}

// Event is something that happens to a pod, or a fact that decides what happens.
type Event struct {
	// What is such as "container app is restarted".
	What string
	// Earliest and Latest bound its time. Latest is zero if nothing bounds it, and both are zero if no time is known.
	Earliest, Latest time.Time
}

// truncation is how much later than its time in the API something may have happened. The API cuts times to seconds
// (k8s.io/apimachinery pkg/apis/meta/v1 Time.MarshalJSON).
const truncation = time.Second

// living is a pod with everything that decides what happens next to it.
type living struct {
	*corev1.Pod
	node      Node
	job       *batchv1.Job
	now       time.Time
	kubelet   formula.Kubelet
	predicted predict.Prediction
	result    *Pod
}

func (l living) is(state string, since time.Time) { l.result.State, l.result.Since = state, since }

// fact notes what has no time.
func (l living) fact(what string) { l.result.Events = append(l.result.Events, Event{What: what}) }

// between notes an event between two times. The second may be zero.
func (l living) between(what string, earliest, latest time.Time) {
	l.result.Events = append(l.result.Events, Event{What: what, Earliest: earliest, Latest: latest})
}

// within notes an event in a span that counts from a time of the API.
func (l living) within(what string, from metav1.Time, s predict.Span) {
	l.between(what, from.Add(s.Earliest), from.Add(s.Latest+truncation))
}

// soon notes an event that comes at any time from now on.
func (l living) soon(what string, within time.Duration) { l.between(what, l.now, l.now.Add(within)) }

func (l living) ended() bool {
	return l.Status.Phase == corev1.PodSucceeded || l.Status.Phase == corev1.PodFailed
}

// condition returns a condition of the pod, or nil.
func (l living) condition(of corev1.PodConditionType) *corev1.PodCondition {
	for i := range l.Status.Conditions {
		if l.Status.Conditions[i].Type == of {
			return &l.Status.Conditions[i]
		}
	}
	return nil
}

// container is a container with its role and its status.
type container struct {
	effective.Container
	status    corev1.ContainerStatus
	predicted predict.Container
}

// containers returns the pod's containers as its kubelet sees them: init containers and sidecars first. One without a
// status has not been created.
func (l living) containers() (all []container) {
	statuses := append(append([]corev1.ContainerStatus{}, l.Status.InitContainerStatuses...),
		l.Status.ContainerStatuses...)
	pod := effective.Of(l.kubelet, l.Pod)
	for _, init := range []bool{true, false} {
		for _, c := range pod.All() {
			if (c.Role != effective.Main) != init {
				continue
			}
			with := container{Container: c}
			for _, s := range statuses {
				if s.Name == c.Name {
					with.status = s
				}
			}
			for _, p := range l.predicted.Containers {
				if p.Name == c.Name {
					with.predicted = p
				}
			}
			all = append(all, with)
		}
	}
	return all
}

// crashLooping is the reason of a container that waits for its back-off (pkg/kubelet/container/sync_result.go
// ErrCrashLoopBackOff).
const crashLooping = "CrashLoopBackOff"

func (c container) waitsFor(reasons ...string) bool {
	w := c.status.State.Waiting
	return w != nil && slices.Contains(reasons, w.Reason)
}

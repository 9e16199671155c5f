package runner

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

func TestEventHasItsContainerAndCount(t *testing.T) {
	at := timeline.Instant{At: 7}
	for name, c := range map[string]struct {
		event corev1.Event
		want  timeline.Event
	}{
		"of a container, in the old form": {
			corev1.Event{
				InvolvedObject: corev1.ObjectReference{FieldPath: "spec.initContainers{first}"},
				Reason:         "Killing", Message: "m", Count: 3, Type: corev1.EventTypeNormal,
				Source: corev1.EventSource{Component: "kubelet"}, LastTimestamp: metav1.Unix(5, 0),
			},
			timeline.Event{
				At: at, Container: "first", Reason: "Killing", Message: "m", Count: 3,
				Type: "Normal", Source: "kubelet", Path: "spec.initContainers{first}", Recorded: 5,
			},
		},
		"of the pod, in the new form": {
			corev1.Event{Reason: "Evicted", Series: &corev1.EventSeries{Count: 2}},
			timeline.Event{At: at, Reason: "Evicted", Count: 2},
		},
		"that does not count": {corev1.Event{Reason: "Evicted"}, timeline.Event{At: at, Reason: "Evicted", Count: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(Event(&c.event, at)).To(Equal(c.want))
		})
	}
}

func TestComplaint(t *testing.T) {
	g := NewWithT(t)
	rejected := &corev1.Pod{
		Status: corev1.PodStatus{
			Phase:   corev1.PodFailed,
			Reason:  "OutOfpods",
			Message: "Node didn't have enough resource: pods",
		},
	}
	g.Expect(Complaint(rejected)).To(Equal("phase Failed OutOfpods: Node didn't have enough resource: pods"))
	g.Expect(Complaint(nil)).To(Equal("the watch has not shown it yet"))
	waits := &corev1.Pod{
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			{
				Name: "victim",
				State: corev1.ContainerState{
					Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"},
				},
				LastTerminationState: corev1.ContainerState{
					Terminated: &corev1.ContainerStateTerminated{ExitCode: 3},
				},
			},
		}},
	}
	g.Expect(Complaint(waits)).
		To(Equal("phase Running, container victim waits: CrashLoopBackOff, container victim ended with 3"))
}

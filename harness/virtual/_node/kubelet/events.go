package kubelet

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// sink sends a kubelet's events to the API server. An event's name contains the nanosecond in which it happened
// (client-go tools/record/util GenerateEventName), and the API server refuses a second event of the same name. On a
// real node no two events happen in one nanosecond. In virtual time they do, so the second one gets another name.
type sink struct {
	record.EventSink

	mu   sync.Mutex
	used map[string]int
}

func newSink(client kubernetes.Interface) *sink {
	return &sink{EventSink: &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")}, used: map[string]int{}}
}

// Create implements record.EventSink.
func (s *sink) Create(event *corev1.Event) (*corev1.Event, error) {
	event = event.DeepCopy()
	event.Name += s.suffix(event.Namespace + "/" + event.Name)
	return s.EventSink.Create(event)
}

// suffix returns the suffix that distinguishes an event from earlier ones of the same name, empty for the first.
func (s *sink) suffix(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[name]++
	if n := s.used[name]; n > 1 {
		return fmt.Sprintf("-%d", n)
	}
	return ""
}

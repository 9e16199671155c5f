package kubelet

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// sink takes a kubelet's events to the API server. An event is named by the nanosecond in which it happened
// (client-go tools/record/util GenerateEventName), and the API server refuses a second one of the same
// name, which is lost: nothing that really happens twice does so in one nanosecond. In virtual time it
// does, so the second one gets a name of its own.
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
	event.Name += s.again(event.Namespace + "/" + event.Name)
	return s.EventSink.Create(event)
}

// again is what tells an event from those of the same name before it, empty for the first.
func (s *sink) again(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[name]++
	if n := s.used[name]; n > 1 {
		return fmt.Sprintf("-%d", n)
	}
	return ""
}

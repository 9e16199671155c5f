package watch

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// An event that the API server delayed is earlier by what its timestamp proves. One that was recorded late is not.
func TestAnEventOnItsWay(t *testing.T) {
	for name, c := range map[string]struct {
		recordedAgo time.Duration
		component   string
		early       time.Duration
	}{
		"in time":                 {400 * time.Millisecond, "kubelet", 0},
		"a second before":         {1200 * time.Millisecond, "kubelet", time.Second},
		"delayed":                 {3 * time.Second, "kubelet", 2 * time.Second},
		"recorded late":           {0, "kubelet", 0},
		"of another node's clock": {3 * time.Second, "default-scheduler", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewEvents()
			w.Take(&corev1.Event{
				InvolvedObject: corev1.ObjectReference{Kind: "Pod", UID: "uid"},
				Source:         corev1.EventSource{Component: c.component},
				LastTimestamp:  metav1.NewTime(time.Unix(1000, 0).Add(-c.recordedAgo).Truncate(time.Second)),
			})
			arrived := timeline.Instant{At: time.Unix(1000, 0).UnixNano(), Early: int64(time.Millisecond)}
			arrived.At += int64(time.Millisecond) // with the observer's error, at 1000 s
			events := w.About("uid", func(time.Time, time.Time) timeline.Instant { return arrived })
			NewWithT(t).Expect(time.Duration(events[0].At.Early)).To(Equal(time.Millisecond + c.early))
		})
	}
}

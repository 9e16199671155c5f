package watch

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// A new listing shows a deletion at some time since the pod was last seen. The observer's error includes that time.
func TestDeletionThatTheWatchMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		begun := time.Now()
		place := func(from, to time.Time) timeline.Instant {
			return timeline.Instant{At: int64(from.Sub(begun)), Late: int64(to.Sub(from))}
		}
		seen := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "seen"}}
		missed := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "missed"}}
		w := &Pods{newArrivals[seenPod]()}
		w.Take(seen, false)
		w.Take(missed, false)
		time.Sleep(7 * time.Second)
		w.Take(seen, true)
		w.Take(cache.DeletedFinalStateUnknown{Key: "trials/missed", Obj: missed}, true)

		g.Expect(w.Versions("seen", place)[1]).
			To(Equal(timeline.Version{At: timeline.Instant{At: int64(7 * time.Second)}, Deleted: true, Ref: "_(seen)"}))
		g.Expect(w.Versions("missed", place)[1]).
			To(Equal(timeline.Version{At: timeline.Instant{Late: int64(7 * time.Second)}, Deleted: true,
				Ref: "_(missed)"}))
	})
}

func TestAForgottenPodKeepsNothing(t *testing.T) {
	g := NewWithT(t)
	w := NewPods()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "victim", UID: "uid"}}
	w.Take(pod, false)
	g.Expect(w.Newest("uid")).NotTo(BeNil())
	w.Forget("uid")
	w.Take(pod, true)
	g.Expect(w.Newest("uid")).To(BeNil())
}

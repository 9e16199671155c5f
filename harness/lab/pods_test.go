package lab

import (
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/timeline"
)

// A deletion that a new listing shows happened at some time since the pod was last seen: the observer's error must say so.
func TestDeletionThatTheWatchMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		begun := time.Now()
		place := func(from, to time.Time) timeline.Instant {
			return timeline.Instant{At: int64(from.Sub(begun)), Late: int64(to.Sub(from))}
		}
		seen := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "seen"}}
		missed := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "missed"}}
		w := &podWatch{newArrivals[seenPod]()}
		w.take(seen, false)
		w.take(missed, false)
		time.Sleep(7 * time.Second)
		w.take(seen, true)
		w.take(cache.DeletedFinalStateUnknown{Key: "trials/missed", Obj: missed}, true)

		g.Expect(w.changes("seen", place)[1]).To(Equal(timeline.Change{At: timeline.Instant{At: int64(7 * time.Second)}, Deleted: true}))
		g.Expect(w.changes("missed", place)[1]).To(Equal(timeline.Change{At: timeline.Instant{Late: int64(7 * time.Second)}, Deleted: true}))
	})
}

// The API counts restarts from 0 and shows the end of the life before; lives are counted from 1.
func TestContainerStatusNamesTheLifeThatEnded(t *testing.T) {
	ended := corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error", FinishedAt: metav1.NewTime(time.Unix(100, 0))}
	end := func(life int) *timeline.End {
		return &timeline.End{Life: life, ExitCode: 137, Reason: "Error", FinishedAt: 100}
	}
	for name, c := range map[string]struct {
		status corev1.ContainerStatus
		want   timeline.ContainerStatus
	}{
		"its first life runs": {
			corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
			timeline.ContainerStatus{State: "running"},
		},
		"its first life ended": {
			corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &ended}},
			timeline.ContainerStatus{State: "terminated", Reason: "Error", Ended: end(1)},
		},
		"it waits for its second": {
			corev1.ContainerStatus{
				State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
				LastTerminationState: corev1.ContainerState{Terminated: &ended},
			},
			timeline.ContainerStatus{State: "waiting", Reason: "CrashLoopBackOff", Ended: end(1)},
		},
		"its second life runs": {
			corev1.ContainerStatus{
				RestartCount: 1, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
				LastTerminationState: corev1.ContainerState{Terminated: &ended},
			},
			timeline.ContainerStatus{RestartCount: 1, State: "running", Ended: end(1)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(containerStatus(c.status)).To(Equal(c.want))
		})
	}
}

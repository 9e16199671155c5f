package watch

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/node/internal/pull"
)

// Pods keeps every version of every pod, and when the watch delivered it.
type Pods struct{ arrivals[seenPod] }

// NewPods returns an empty watch.
func NewPods() *Pods { return &Pods{newArrivals[seenPod]()} }

// seenPod is a version of a pod that was written between from and at. They differ if the watch was interrupted.
type seenPod struct {
	from    time.Time
	at      time.Time
	deleted bool
	pod     *corev1.Pod
}

// Take takes what an informer delivered.
func (w *Pods) Take(obj any, deleted bool) {
	at := time.Now()
	missed, late := obj.(cache.DeletedFinalStateUnknown)
	if late {
		obj = missed.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	w.add(string(pod.UID), func(before []seenPod) seenPod {
		from := at
		if late && len(before) > 0 {
			from = before[len(before)-1].at // it went at some time since it was last seen
		}
		return seenPod{from: from, at: at, deleted: deleted, pod: pod}
	})
}

// Versions returns the versions of a pod.
func (w *Pods) Versions(uid string, place Placer) []timeline.Version {
	var versions []timeline.Version
	for _, s := range w.of(uid) {
		versions = append(versions, timeline.VersionOf(s.pod, s.deleted, place(s.from, s.at)))
	}
	return versions
}

// Unpulled returns the first failure to pull one of a pod's images if it has not healed in time, or nil.
func (w *Pods) Unpulled(uid string) error {
	var failed *pull.Failure
	var since time.Time
	for _, s := range w.of(uid) {
		switch f := pull.FailureOf(s.pod); {
		case f == nil:
			failed = nil
		case f.Final():
			return f
		case failed == nil:
			failed, since = f, s.at
		}
	}
	if failed == nil || time.Since(since) < pull.Heals {
		return nil
	}
	return failed
}

// Newest returns the newest version of a pod, or nil.
func (w *Pods) Newest(uid string) *corev1.Pod {
	if versions := w.of(uid); len(versions) > 0 {
		return versions[len(versions)-1].pod
	}
	return nil
}

// Deleted reports whether a pod is gone.
func (w *Pods) Deleted(uid string) bool {
	versions := w.of(uid)
	return len(versions) > 0 && versions[len(versions)-1].deleted
}

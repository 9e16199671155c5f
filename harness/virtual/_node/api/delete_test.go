package api

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// setStatus writes a pod's status as a kubelet does.
func (l lab) setStatus(status corev1.PodStatus) {
	patch, err := json.Marshal(map[string]any{"status": status})
	l.Expect(err).NotTo(HaveOccurred())
	_, err = l.own.Client().
		CoreV1().
		Pods("ns").
		Patch(context.Background(), "p", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	l.Expect(err).NotTo(HaveOccurred())
}

// get returns the pod, or nil if it is gone.
func (l lab) get() *corev1.Pod {
	p, err := l.own.Client().CoreV1().Pods("ns").Get(context.Background(), "p", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	l.Expect(err).NotTo(HaveOccurred())
	return p
}

// TestDelete checks formulas A1 and A2 (registry/core/pod/strategy.go CheckGracefulDelete, apiserver
// registry/rest/delete.go BeforeDelete), and the claims of the suite deletion.
func TestDelete(t *testing.T) {
	type again struct {
		after   time.Duration
		seconds *int64
	}
	type stored struct {
		grace int64
		shift time.Duration // of deletionTimestamp, since the first delete
	}
	s := func(n int64) *int64 { return &n }
	const gone = -1
	for name, test := range map[string]struct {
		grace       int64
		phase       corev1.PodPhase
		unscheduled bool
		seconds     *int64
		first       stored // grace is what is left when the object is gone at once
		goneAtOnce  bool
		again       []again
		then        []stored
	}{
		"A1, deletion/default":         {grace: 3, first: stored{grace: 3}},
		"A1, deletion/option":          {grace: 20, seconds: s(3), first: stored{grace: 3}},
		"A1, a longer option":          {grace: 20, seconds: s(70), first: stored{grace: 70}},
		"A1, --now":                    {grace: 20, seconds: s(1), first: stored{grace: 1}},
		"A1, deletion/option-negative": {grace: 20, seconds: s(-5), first: stored{grace: 1}},
		"A1, deletion/spec-negative":   {grace: -5, first: stored{grace: 1}},
		"A1, deletion/spec-zero":       {grace: 0, goneAtOnce: true},
		"A1, deletion/force":           {grace: 8, seconds: s(0), goneAtOnce: true},
		"A1, deletion/unscheduled":     {grace: 30, unscheduled: true, goneAtOnce: true},
		"A1, unscheduled and negative": {grace: -5, unscheduled: true, goneAtOnce: true},
		"A1, deletion/succeeded":       {grace: 30, phase: corev1.PodSucceeded, goneAtOnce: true},
		"A1, deletion/failed":          {grace: 30, phase: corev1.PodFailed, seconds: s(20), goneAtOnce: true},
		"A2, deletion/second-shorter": {grace: 20, first: stored{grace: 20}, again: []again{{time.Second, s(5)}},
			then: []stored{{5, -15 * time.Second}}},
		"A2, deletion/second-expired": {grace: 12, first: stored{grace: 12}, again: []again{{5 * time.Second, s(2)}},
			then: []stored{{1, -7 * time.Second}}},
		"A2, deletion/second-negative": {grace: 9, first: stored{grace: 9}, again: []again{{3 * time.Second, s(-5)}},
			then: []stored{{1, -6 * time.Second}}},
		"A2, deletion/second-zero": {grace: 9, first: stored{grace: 9}, again: []again{{2 * time.Second, s(0)}},
			then: []stored{{gone, 0}}},
		"A2, twice shorter, then by nothing": {grace: 60, first: stored{grace: 60}, again: []again{{time.Second,
			s(30)}, {time.Second, s(10)}, {time.Second, nil}},
			then: []stored{{30, -30 * time.Second}, {10, -50 * time.Second}, {10, -50 * time.Second}}},
		"A2, deletion/second-longer": {grace: 6, first: stored{grace: 6}, again: []again{{500 * time.Millisecond,
			nil}, {time.Second, s(6)}, {time.Second, s(40)}},
			then: []stored{{grace: 6}, {grace: 6}, {grace: 6}}},
		"A2, the kubelet's own delete": {grace: 6, first: stored{grace: 6}, again: []again{{7 * time.Second, s(0)}},
			then: []stored{{gone, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(l lab) {
				p := pod(test.grace)
				if test.unscheduled {
					p.Spec.NodeName = ""
				}
				l.create(p)
				if test.phase != "" {
					l.setStatus(corev1.PodStatus{Phase: test.phase})
				}
				before := len(l.versions())
				began := time.Now().Add(requestLatency / 2).Truncate(time.Second)
				l.Expect(l.Delete(deletion(test.seconds))).To(Succeed())
				written := time.Now().Add(-requestLatency / 2)
				seen := l.versions()[before:]
				for _, v := range seen {
					l.Expect(v.At).To(Equal(written.Add(watchLatency).UnixNano()))
				}
				l.Expect(*seen[0].Pod.DeletionGracePeriodSeconds).To(Equal(test.first.grace))
				at := seen[0].Pod.DeletionTimestamp.Time
				l.Expect(at).
					To(BeTemporally("==", began.Add(time.Duration(test.first.grace)*time.Second)),
						"DT − DGPS = floor(now)")
				if test.goneAtOnce {
					l.Expect(seen).To(HaveLen(2), "a version without grace, and the deletion")
					l.Expect([]bool{seen[0].Deleted, seen[1].Deleted}).To(Equal([]bool{false, true}))
					l.Expect(l.get()).To(BeNil())
					return
				}
				l.Expect(seen).To(HaveLen(1))
				l.Expect(seen[0].Pod.Generation).To(BeEquivalentTo(2))
				for i, a := range test.again {
					time.Sleep(a.after)
					l.Expect(l.Delete(deletion(a.seconds))).To(Succeed())
					now := l.get()
					if test.then[i].grace == gone {
						l.Expect(now).To(BeNil())
						seen := l.versions()
						l.Expect(seen[len(seen)-1].Deleted).To(BeTrue())
						l.Expect(*seen[len(seen)-2].Pod.DeletionGracePeriodSeconds).To(BeZero())
						return
					}
					l.Expect(*now.DeletionGracePeriodSeconds).To(Equal(test.then[i].grace))
					l.Expect(now.DeletionTimestamp.Sub(at)).To(Equal(test.then[i].shift))
				}
			})
		})
	}
}

// TestDeletePreconditions: a delete by UID deletes no other pod.
func TestDeletePreconditions(t *testing.T) {
	bubble(t, func(l lab) {
		created := l.create(pod(5))
		other := deletion(nil)
		other.Preconditions = metav1.NewUIDPreconditions("other")
		err := l.Delete(other)
		l.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		l.Expect(l.get().DeletionTimestamp).To(BeNil())
		other.Preconditions = metav1.NewUIDPreconditions(string(created.UID))
		l.Expect(l.Delete(other)).To(Succeed())
		l.Expect(l.get().DeletionTimestamp).NotTo(BeNil())
	})
}

func TestDeleteOfAMissingPod(t *testing.T) {
	bubble(t, func(l lab) {
		err := l.Delete(deletion(nil))
		l.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
	})
}

// TestFinalizers: a pod with finalizers outlives a delete without grace until they are removed.
func TestFinalizers(t *testing.T) {
	bubble(t, func(l lab) {
		p := pod(5)
		p.Finalizers = []string{"podclock.dev/test"}
		l.create(p)
		l.Expect(l.Delete(deletion(ptr.To[int64](0)))).To(Succeed())
		l.Expect(*l.get().DeletionGracePeriodSeconds).To(BeZero())
		_, err := l.own.Client().CoreV1().Pods("ns").Patch(context.Background(), "p", types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(l.get()).To(BeNil())
	})
}

// TestStatusIsApart: an update of the status does not change the spec and the deletion, and the reverse.
func TestStatusIsApart(t *testing.T) {
	bubble(t, func(l lab) {
		l.create(pod(5))
		pods := l.own.Client().CoreV1().Pods("ns")
		stale := l.get()
		l.Expect(l.Delete(deletion(nil))).To(Succeed())
		_, err := pods.Patch(
			context.Background(),
			"p",
			types.StrategicMergePatchType,
			[]byte(
				`{"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null},`+
					`"spec":{"terminationGracePeriodSeconds":99},"status":{"phase":"Running"}}`,
			),
			metav1.PatchOptions{},
			"status",
		)
		l.Expect(err).NotTo(HaveOccurred())
		now := l.get()
		l.Expect(now.Status.Phase).To(Equal(corev1.PodRunning))
		l.Expect(*now.Spec.TerminationGracePeriodSeconds).To(BeEquivalentTo(5))
		l.Expect(now.DeletionTimestamp).NotTo(BeNil())
		l.Expect(*now.DeletionGracePeriodSeconds).To(BeEquivalentTo(5))

		_, err = pods.Patch(context.Background(), "p", types.StrategicMergePatchType,
			[]byte(`{"metadata":{"labels":{"a":"b"}},"status":{"phase":"Failed"}}`), metav1.PatchOptions{})
		l.Expect(err).NotTo(HaveOccurred())
		l.Expect(l.get().Status.Phase).To(Equal(corev1.PodRunning))
		l.Expect(l.get().Labels).To(HaveKeyWithValue("a", "b"))

		_, err = pods.Update(context.Background(), stale, metav1.UpdateOptions{})
		l.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
	})
}

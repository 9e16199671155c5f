package api

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/virtual/wire"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	klog.StartFlushDaemon(time.Hour) // else the first bubble that logs starts it, and has a goroutine that never ends
	os.Exit(m.Run())
}

// told is the output of a server.
type told struct {
	mu         sync.Mutex
	pods       []wire.Pod
	events     []wire.Event
	conditions []wire.Conditions
}

// lab is a server in a bubble, with its output.
type lab struct {
	*WithT
	*Server
	told *told
}

// enter replaces the channels that client-go made outside of the bubble.
var enter = func() {}

// bubble runs a test with a server in a bubble, off the whole seconds as the lab does.
func bubble(t *testing.T, test func(lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		enter()
		g, seen := NewWithT(t), &told{}
		s, err := New(Options{
			Node: &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: wire.NodeName},
				Status: corev1.NodeStatus{
					Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
				},
			},
			PriorityClasses: map[string]int32{"high": 1000},
			TakePod: func(p wire.Pod) {
				seen.mu.Lock()
				defer seen.mu.Unlock()
				seen.pods = append(seen.pods,
					p)
			},
			TakeEvent: func(e wire.Event) {
				seen.mu.Lock()
				defer seen.mu.Unlock()
				seen.events = append(seen.events,
					e)
			},
			TakeConditions: func(c wire.Conditions) {
				seen.mu.Lock()
				defer seen.mu.Unlock()
				seen.conditions = append(seen.conditions, c)
			},
		})
		g.Expect(err).NotTo(HaveOccurred())
		defer time.Sleep(time.Second) // until all have noticed
		defer s.Stop()
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(10*time.Second + wire.Tick)))
		test(lab{g, s, seen})
	})
}

// pod is a pod on the node.
func pod(graceSeconds int64) *corev1.Pod {
	no := false
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns"}, Spec: corev1.PodSpec{
		NodeName: wire.NodeName, TerminationGracePeriodSeconds: &graceSeconds, AutomountServiceAccountToken: &no,
		Containers: []corev1.Container{{Name: "main", Image: "img"}},
	}}
}

// create creates a pod.
func (l lab) create(p *corev1.Pod) *corev1.Pod {
	created, err := l.Create(p)
	l.Expect(err).NotTo(HaveOccurred())
	return created
}

// versions waits for the watches, and returns all versions of pods.
func (l lab) versions() []wire.Pod {
	time.Sleep(2 * watchLatency)
	l.told.mu.Lock()
	defer l.told.mu.Unlock()
	return l.told.pods
}

// request makes a request about the pod.
func (l lab) request(method, subresource string, body any) error {
	text, err := json.Marshal(body)
	l.Expect(err).NotTo(HaveOccurred())
	r := wire.API{Method: method, Resource: "pods", Subresource: subresource, Namespace: "ns", Name: "p", Body: text}
	if method == http.MethodPatch {
		r.PatchType = types.StrategicMergePatchType
	}
	return l.Serve(r)
}

// Delete deletes the pod.
func (l lab) Delete(options metav1.DeleteOptions) error {
	return l.request(http.MethodDelete, "", options)
}

// Evict evicts the pod.
func (l lab) Evict(options metav1.DeleteOptions) error {
	return l.request(http.MethodPost, "eviction", policyv1.Eviction{DeleteOptions: &options})
}

// Taint replaces the taints of the node.
func (l lab) Taint(taints []corev1.Taint) error {
	text, err := json.Marshal(corev1.Node{Spec: corev1.NodeSpec{Taints: taints}})
	l.Expect(err).NotTo(HaveOccurred())
	return l.Serve(wire.API{Method: http.MethodPut, Resource: "nodes", Name: wire.NodeName, Body: text})
}

// deletion are the options of a deletion with a grace period in seconds, nil for none.
func deletion(seconds *int64) metav1.DeleteOptions {
	return metav1.DeleteOptions{GracePeriodSeconds: seconds}
}

func TestCreateIsSeen(t *testing.T) {
	bubble(t, func(l lab) {
		before := time.Now()
		created := l.create(pod(5))
		l.Expect(created.UID).NotTo(BeEmpty())
		l.Expect(created.Generation).To(BeEquivalentTo(1))
		l.Expect(created.CreationTimestamp.Time).To(BeTemporally("==", before.Truncate(time.Second)))
		l.Expect(created.Spec.RestartPolicy).To(Equal(corev1.RestartPolicyAlways), "defaults")
		l.Expect(created.Status.Phase).To(Equal(corev1.PodPending))
		seen := l.versions()
		l.Expect(seen).To(HaveLen(1))
		l.Expect(seen[0].Pod).To(Equal(created))
		l.Expect(seen[0].At).To(Equal(before.Add(requestLatency/2 + watchLatency).UnixNano()))
	})
}

// TestNegativeGrace: the API server accepts it, and stores one second (pkg/apis/core/v1/conversion.go).
func TestNegativeGrace(t *testing.T) {
	bubble(t, func(l lab) {
		created := l.create(pod(-5))
		l.Expect(*created.Spec.TerminationGracePeriodSeconds).To(BeEquivalentTo(1))
	})
}

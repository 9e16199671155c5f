package existing

import (
	"errors"
	"net/url"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/podclock/podclock/harness/kubeconfig"
	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/trial"
)

func podclocks(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app.kubernetes.io/part-of": "podclock"}}
}

// A finalizer may keep a namespace for ever.
func TestCleanSaysWhatKeepsANamespace(t *testing.T) {
	g := NewWithT(t)
	now := metav1.Now()
	kept, ending := corev1.Namespace{ObjectMeta: podclocks("kept")}, corev1.Namespace{ObjectMeta: podclocks("ending")}
	kept.DeletionTimestamp, kept.Finalizers, ending.DeletionTimestamp = &now, []string{"b.example"}, &now
	condition := func(kind corev1.NamespaceConditionType, status corev1.ConditionStatus, message string) {
		kept.Status.Conditions = append(kept.Status.Conditions,
			corev1.NamespaceCondition{Type: kind, Status: status, Message: message})
	}
	condition(corev1.NamespaceDeletionDiscoveryFailure, corev1.ConditionTrue, "metrics.k8s.io/v1beta1 is stale")
	condition(corev1.NamespaceDeletionContentFailure, corev1.ConditionFalse, "all content was deleted")
	condition(corev1.NamespaceFinalizersRemaining, corev1.ConditionTrue, "a.example in 1 pods")
	client := fake.NewClientset()
	client.PrependReactor("list", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.NamespaceList{Items: []corev1.Namespace{kept, ending}}, nil
	})
	left, err := (&Cluster{client: client}).left(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Kept).To(Equal([]string{
		"kept waits: metrics.k8s.io/v1beta1 is stale; a.example in 1 pods; it has the finalizer b.example",
	}))
	g.Expect(left.Ending).To(Equal([]string{"ending"}))
	g.Expect(left.ToRemove(true)).To(BeEmpty())
}

// What all runs share stays while one is under way.
func TestCleanRemovesOnlyWhatRunsLeft(t *testing.T) {
	recorder := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "recorder", Namespace: "used", Labels: map[string]string{
			"app.kubernetes.io/component": "recorder",
		}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	tainted := node("a", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "gpu"}, {Key: trial.TaintKey + "-2"}, {Key: trial.TaintKey}}
	})
	other := node("b", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "gpu"}} })
	for name, c := range map[string]struct {
		used, all bool
		removes   []string
	}{
		"nothing runs": {removes: []string{
			"the taint of node a", "namespace left", "priority class " + lab.LowestPriority,
		}},
		"a run is under way": {used: true, removes: []string{"namespace left"}},
		"also what is in use": {used: true, all: true, removes: []string{
			"the taint of node a", "namespace left", "namespace used", "priority class " + lab.LowestPriority,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(
				&corev1.Namespace{ObjectMeta: podclocks("left")},
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}},
				&schedulingv1.PriorityClass{ObjectMeta: podclocks(lab.LowestPriority)},
				tainted.DeepCopy(), other.DeepCopy(),
			)
			if c.used {
				g.Expect(client.Tracker().Add(&corev1.Namespace{ObjectMeta: podclocks("used")})).To(Succeed())
				g.Expect(client.Tracker().Add(recorder.DeepCopy())).To(Succeed())
			}
			cluster := &Cluster{client: client}
			left, err := cluster.left(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.ToRemove(c.all)).To(Equal(c.removes))
			g.Expect(left.Remove(t.Context(), c.all)).To(Succeed())

			left, err = cluster.left(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.ToRemove(c.all)).To(BeEmpty())
			n, err := client.CoreV1().Nodes().Get(t.Context(), "b", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(n.Spec.Taints).To(HaveLen(1), "the owner's taint stays")
			_, err = client.CoreV1().Namespaces().Get(t.Context(), "theirs", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
		})
	}
}

// Every request of clean can fail, and each failure has its cause and a remedy.
func TestCleanExplainsWhatFails(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"an expired token": {
			apierrors.NewUnauthorized("x"), "refuses the credentials of context prod: they may have expired",
		},
		"a missing right": {
			apierrors.NewForbidden(schema.GroupResource{}, "x", nil), "`podclock rbac` prints the rights",
		},
		"no API server": {&url.Error{Op: "Get", Err: errors.New("connection refused")},
			"the API server https://c of context prod cannot be asked: connection refused"},
	} {
		for _, request := range []struct{ verb, resource string }{
			{"list", "namespaces"}, {"list", "pods"}, {"list", "nodes"}, {"get", "priorityclasses"},
			{"get", "nodes"}, {"update", "nodes"}, {"delete", "namespaces"}, {"delete", "priorityclasses"},
		} {
			if request.verb+request.resource == "getpriorityclasses" && apierrors.IsForbidden(c.err) {
				continue // then it stays
			}
			t.Run(name+" to "+request.verb+" "+request.resource, func(t *testing.T) {
				tainted := node("a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: trial.TaintKey}} })
				client := fake.NewClientset(&corev1.Namespace{ObjectMeta: podclocks("left")}, &tainted,
					&schedulingv1.PriorityClass{ObjectMeta: podclocks(lab.LowestPriority)})
				client.PrependReactor(request.verb, request.resource,
					func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.err })
				cluster := &Cluster{client: client, Context: "prod", asked: kubeconfig.Target{
					Context: "prod", Config: &rest.Config{Host: "https://c"},
				}}
				left, err := cluster.left(t.Context())
				if err == nil {
					err = left.Remove(t.Context(), true)
				}
				NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.says)))
			})
		}
	}
}

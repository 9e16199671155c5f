package existing

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

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
	kept := &corev1.Namespace{ObjectMeta: podclocks("kept")}
	kept.DeletionTimestamp, kept.Finalizers = &now, []string{"kubernetes"}
	kept.Status.Conditions = []corev1.NamespaceCondition{{
		Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, Message: "a.example in 1 pods",
	}}
	left, err := (&Cluster{client: fake.NewClientset(kept)}).left(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Kept).To(Equal([]string{"kept (a.example in 1 pods)"}))
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

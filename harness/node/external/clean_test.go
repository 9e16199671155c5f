package external

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/node/lab"
)

func ofPodclock(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app.kubernetes.io/part-of": "podclock"}}
}

// clientOf returns a client of a cluster with these objects.
func clientOf(objects ...client.Object) client.WithWatch {
	phase := func(o client.Object) []string { return []string{string(o.(*corev1.Pod).Status.Phase)} }
	return fake.NewClientBuilder().WithObjects(objects...).WithIndex(&corev1.Pod{}, "status.phase", phase).Build()
}

// failing answers one kind of request, such as "get nodes", with an error.
func failing(all client.WithWatch, request string, err error) client.Client {
	fails := func(verb string, o any) bool {
		kind := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1."), "List")
		plural := strings.NewReplacer("classs", "classes").Replace(strings.ToLower(kind) + "s")
		return request == verb+" "+plural
	}
	return interceptor.NewClient(all, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			if fails("get", o) {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, o client.ObjectList, opts ...client.ListOption) error {
			if fails("list", o) {
				return err
			}
			return c.List(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if fails("update", o) {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if fails("delete", o) {
				return err
			}
			return c.Delete(ctx, o, opts...)
		},
	})
}

// A finalizer may keep a namespace for ever.
func TestCleanSaysWhatKeepsANamespace(t *testing.T) {
	g := NewWithT(t)
	now := metav1.Now()
	kept, ending := corev1.Namespace{ObjectMeta: ofPodclock("kept")}, corev1.Namespace{ObjectMeta: ofPodclock("ending")}
	kept.DeletionTimestamp, kept.Finalizers, ending.DeletionTimestamp = &now, []string{"b.example"}, &now
	condition := func(kind corev1.NamespaceConditionType, status corev1.ConditionStatus, message string) {
		kept.Status.Conditions = append(kept.Status.Conditions,
			corev1.NamespaceCondition{Type: kind, Status: status, Message: message})
	}
	condition(corev1.NamespaceDeletionDiscoveryFailure, corev1.ConditionTrue, "metrics.k8s.io/v1beta1 is stale")
	condition(corev1.NamespaceDeletionContentFailure, corev1.ConditionFalse, "all content was deleted")
	condition(corev1.NamespaceFinalizersRemaining, corev1.ConditionTrue, "a.example in 1 pods")
	both := interceptor.NewClient(clientOf(&kept), interceptor.Funcs{ // the fake keeps nothing that ends at once
		List: func(ctx context.Context, c client.WithWatch, o client.ObjectList, opts ...client.ListOption) error {
			if spaces, is := o.(*corev1.NamespaceList); is {
				defer func() { spaces.Items = append(spaces.Items, ending) }()
			}
			return c.List(ctx, o, opts...)
		},
	})
	left, err := (&Cluster{client: both}).left(t.Context())
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
	ended := recorder.DeepCopy()
	ended.Namespace, ended.Status.Phase = "left", corev1.PodSucceeded
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
			has := []client.Object{
				&corev1.Namespace{ObjectMeta: ofPodclock("left")},
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}},
				&schedulingv1.PriorityClass{ObjectMeta: ofPodclock(lab.LowestPriority)},
				tainted.DeepCopy(), other.DeepCopy(),
				ended.DeepCopy(), // one that has ended uses nothing
			}
			if c.used {
				has = append(has, &corev1.Namespace{ObjectMeta: ofPodclock("used")}, recorder.DeepCopy())
			}
			cluster := &Cluster{client: clientOf(has...)}
			left, err := cluster.left(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.ToRemove(c.all)).To(Equal(c.removes))
			g.Expect(left.Remove(t.Context(), c.all)).To(Succeed())

			left, err = cluster.left(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.ToRemove(c.all)).To(BeEmpty())
			for _, name := range []string{"a", "b"} {
				n := &corev1.Node{}
				g.Expect(cluster.client.Get(t.Context(), client.ObjectKey{Name: name}, n)).To(Succeed())
				g.Expect(n.Spec.Taints).To(ContainElement(HaveField("Key", "gpu")), "the owner's taint stays")
			}
			theirs := client.ObjectKey{Name: "theirs"}
			g.Expect(cluster.client.Get(t.Context(), theirs, &corev1.Namespace{})).To(Succeed())
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
		"no API server": {
			&url.Error{Op: "Get", URL: "https://c", Err: errors.New("connection refused")},
			"the API server https://c of context prod cannot be asked: connection refused",
		},
	} {
		for _, request := range []string{
			"list namespaces", "list pods", "list nodes", "get priorityclasses",
			"get nodes", "update nodes", "delete namespaces", "delete priorityclasses",
		} {
			if request == "get priorityclasses" && apierrors.IsForbidden(c.err) {
				continue // then it stays
			}
			t.Run(name+" to "+request, func(t *testing.T) {
				tainted := node("a", func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: trial.TaintKey}} })
				class := &schedulingv1.PriorityClass{ObjectMeta: ofPodclock(lab.LowestPriority)}
				has := clientOf(&corev1.Namespace{ObjectMeta: ofPodclock("left")}, &tainted, class)
				cluster := &Cluster{client: failing(has, request, c.err), Context: "prod", asked: kubeconfig.Target{
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

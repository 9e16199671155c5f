package existing

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/kube"
	"github.com/podclock/podclock/harness/kubeconfig"
	"github.com/podclock/podclock/harness/lab"
	"github.com/podclock/podclock/harness/trial"
)

func podclocks(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app.kubernetes.io/part-of": "podclock"}}
}

// apiServer keeps objects by their paths. It answers one kind of request, such as "get nodes", with an error.
type apiServer struct {
	objects map[string]metav1.Object
	fails   string
	err     error
}

const (
	spaces  = "/api/v1/namespaces/"
	nodes   = "/api/v1/nodes/"
	classes = "/apis/scheduling.k8s.io/v1/priorityclasses/"
)

func (a apiServer) client(t *testing.T) *kube.Client {
	t.Helper()
	client, err := kube.New(&rest.Config{Host: "https://c", Transport: a, QPS: -1})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return client
}

// RoundTrip answers without a socket.
func (a apiServer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, o any) (*http.Response, error) {
		text, err := json.Marshal(o)
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(bytes.NewReader(text)), Request: r,
		}, err
	}
	_, below, _ := strings.Cut(r.URL.Path, "/v1/")
	path := strings.Split(below, "/")
	if len(path) > 2 {
		path = path[2:] // what is in a namespace
	}
	verb := map[string]string{http.MethodGet: "get", http.MethodPut: "update", http.MethodDelete: "delete"}[r.Method]
	if len(path) == 1 {
		verb = "list"
	}
	object := a.objects[r.URL.Path]
	var refusal apierrors.APIStatus
	switch {
	case verb+" "+path[0] == a.fails && errors.As(a.err, &refusal):
		return answer(int(refusal.Status().Code), refusal.Status())
	case verb+" "+path[0] == a.fails:
		return nil, a.err
	case verb == "list":
		return a.list(r, answer)
	case object == nil:
		return answer(http.StatusNotFound, apierrors.NewNotFound(schema.GroupResource{}, path[1]).Status())
	case verb == "delete":
		delete(a.objects, r.URL.Path)
	case verb == "update":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		n := &corev1.Node{}
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, n); err != nil {
			return nil, err
		}
		a.objects[r.URL.Path] = n
	}
	return answer(http.StatusOK, object)
}

// list answers with the objects right below a path that the selectors choose.
func (a apiServer) list(
	r *http.Request, answer func(int, any) (*http.Response, error),
) (*http.Response, error) {
	byLabel, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return nil, err
	}
	byField, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	if err != nil {
		return nil, err
	}
	items := []any{}
	for _, path := range slices.Sorted(maps.Keys(a.objects)) {
		o, set := a.objects[path], fields.Set{}
		if p, is := o.(*corev1.Pod); is {
			set["status.phase"] = string(p.Status.Phase)
		}
		name, below := strings.CutPrefix(path, r.URL.Path+"/")
		if below && !strings.Contains(name, "/") && byLabel.Matches(labels.Set(o.GetLabels())) && byField.Matches(set) {
			items = append(items, o)
		}
	}
	return answer(http.StatusOK, map[string]any{"items": items})
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
	has := apiServer{objects: map[string]metav1.Object{spaces + "kept": &kept, spaces + "ending": &ending}}
	left, err := (&Cluster{client: has.client(t)}).left(t.Context())
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
	ended.Status.Phase = corev1.PodSucceeded
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
			has := apiServer{objects: map[string]metav1.Object{
				spaces + "left":              &corev1.Namespace{ObjectMeta: podclocks("left")},
				spaces + "theirs":            &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}},
				classes + lab.LowestPriority: &schedulingv1.PriorityClass{ObjectMeta: podclocks(lab.LowestPriority)},
				nodes + "a":                  tainted.DeepCopy(), nodes + "b": other.DeepCopy(),
				// One that has ended uses nothing.
				spaces + "left/pods/recorder": ended,
			}}
			if c.used {
				has.objects[spaces+"used"] = &corev1.Namespace{ObjectMeta: podclocks("used")}
				has.objects[spaces+"used/pods/recorder"] = recorder
			}
			cluster := &Cluster{client: has.client(t)}
			left, err := cluster.left(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.ToRemove(c.all)).To(Equal(c.removes))
			g.Expect(left.Remove(t.Context(), c.all)).To(Succeed())

			left, err = cluster.left(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.ToRemove(c.all)).To(BeEmpty())
			for _, name := range []string{"a", "b"} {
				n, is := has.objects[nodes+name].(*corev1.Node)
				g.Expect(is).To(BeTrue())
				g.Expect(n.Spec.Taints).To(ContainElement(HaveField("Key", "gpu")), "the owner's taint stays")
			}
			g.Expect(has.objects).To(HaveKey(spaces + "theirs"))
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
			errors.New("connection refused"),
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
				class := &schedulingv1.PriorityClass{ObjectMeta: podclocks(lab.LowestPriority)}
				has := apiServer{fails: request, err: c.err, objects: map[string]metav1.Object{
					spaces + "left": &corev1.Namespace{ObjectMeta: podclocks("left")}, nodes + "a": &tainted,
					classes + class.Name: class,
				}}
				cluster := &Cluster{client: has.client(t), Context: "prod", asked: kubeconfig.Target{
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

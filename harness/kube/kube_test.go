package kube

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// server answers every request alike, and keeps what it was asked.
type server struct {
	status int
	kind   string
	body   []byte
	asked  chan string
}

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	question := r.Method + " " + r.URL.String() + "\n" + string(body)
	for _, header := range []string{"Accept", "Content-Type", "User-Agent"} {
		question += "\n" + r.Header.Get(header)
	}
	select {
	case s.asked <- question:
	default: // an informer asks again
	}
	return &http.Response{
		StatusCode: s.status, Header: http.Header{"Content-Type": {s.kind}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(s.body)),
	}, nil
}

func (s server) config() *rest.Config {
	return &rest.Config{Host: "https://c/prefix", Transport: s, QPS: 1000, Burst: 1000}
}

// Every request is the same as that of client-go's own client, in the same form.
func TestAsksAsClientGo(t *testing.T) {
	s := server{status: http.StatusNotFound, kind: "application/json", asked: make(chan string, 2),
		body: []byte(`{"kind":"Status","apiVersion":"v1","reason":"NotFound","message":"it is gone","code":404}`)}
	own, err := New(s.config())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	theirs, err := kubernetes.NewForConfig(s.config())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	meta := metav1.ObjectMeta{Name: "a", Namespace: "n"}
	pod, job, node := &corev1.Pod{ObjectMeta: meta}, &batchv1.Job{ObjectMeta: meta}, &corev1.Node{ObjectMeta: meta}
	class, secret := &schedulingv1.PriorityClass{ObjectMeta: meta}, &corev1.Secret{ObjectMeta: meta}
	chosen := metav1.ListOptions{LabelSelector: "a=b", FieldSelector: "status.phase=Running"}
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions("u")}
	none := metav1.DeleteOptions{}
	get, create, core := metav1.GetOptions{}, metav1.CreateOptions{}, theirs.CoreV1()
	two := func(_ any, err error) error { return err }
	for name, of := range map[string]func(ctx context.Context) (own, theirs error){
		"get a node": func(ctx context.Context) (error, error) {
			return two(own.Nodes.Get(ctx, "a")), two(core.Nodes().Get(ctx, "a", get))
		},
		"get a lease": func(ctx context.Context) (error, error) {
			return two(own.Leases.In("n").Get(ctx, "a")), two(theirs.CoordinationV1().Leases("n").Get(ctx, "a", get))
		},
		"get a service account": func(ctx context.Context) (error, error) {
			return two(own.ServiceAccounts.In("n").Get(ctx, "a")), two(core.ServiceAccounts("n").Get(ctx, "a", get))
		},
		"list pods everywhere": func(ctx context.Context) (error, error) {
			return two(own.Pods.List(ctx, chosen)), two(core.Pods("").List(ctx, chosen))
		},
		"list pods": func(ctx context.Context) (error, error) {
			return two(own.Pods.In("n").List(ctx, chosen)), two(core.Pods("n").List(ctx, chosen))
		},
		"list namespaces": func(ctx context.Context) (error, error) {
			return two(own.Namespaces.List(ctx, chosen)), two(core.Namespaces().List(ctx, chosen))
		},
		"list budgets": func(ctx context.Context) (error, error) {
			return two(own.Budgets.In("n").List(ctx, chosen)),
				two(theirs.PolicyV1().PodDisruptionBudgets("n").List(ctx, chosen))
		},
		"list autoscalers": func(ctx context.Context) (error, error) {
			return two(own.Autoscalers.In("n").List(ctx, chosen)),
				two(theirs.AutoscalingV2().HorizontalPodAutoscalers("n").List(ctx, chosen))
		},
		"create a pod": func(ctx context.Context) (error, error) {
			return two(own.Pods.In("n").Create(ctx, pod)), two(core.Pods("n").Create(ctx, pod, create))
		},
		"create a job": func(ctx context.Context) (error, error) {
			return two(own.Jobs.In("n").Create(ctx, job)), two(theirs.BatchV1().Jobs("n").Create(ctx, job, create))
		},
		"create a secret": func(ctx context.Context) (error, error) {
			return two(own.Secrets.In("n").Create(ctx, secret)), two(core.Secrets("n").Create(ctx, secret, create))
		},
		"create a priority class": func(ctx context.Context) (error, error) {
			return two(own.PriorityClasses.Create(ctx, class)),
				two(theirs.SchedulingV1().PriorityClasses().Create(ctx, class, create))
		},
		"update a node": func(ctx context.Context) (error, error) {
			return two(own.Nodes.Update(ctx, node)), two(core.Nodes().Update(ctx, node, metav1.UpdateOptions{}))
		},
		"delete a pod": func(ctx context.Context) (error, error) {
			return own.Pods.In("n").Delete(ctx, "a", now), core.Pods("n").Delete(ctx, "a", now)
		},
		"delete a namespace": func(ctx context.Context) (error, error) {
			return own.Namespaces.Delete(ctx, "a", none), core.Namespaces().Delete(ctx, "a", none)
		},
		"read the version": func(ctx context.Context) (error, error) {
			return two(own.Version(ctx)), two(theirs.Discovery().ServerVersion())
		},
		"look whether it is ready": func(ctx context.Context) (error, error) {
			return two(own.Groups[corev1.GroupName].Get().AbsPath("/readyz").DoRaw(ctx)),
				two(theirs.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			first, second := of(t.Context())
			g.Expect(<-s.asked).To(Equal(<-s.asked))
			g.Expect(apierrors.IsNotFound(first)).To(BeTrue(), "%v", first)
			g.Expect(first.Error()).To(Equal(second.Error()))
		})
	}
}

// An informer begins as that of client-go.
func TestInformsAsClientGo(t *testing.T) {
	first := func(t *testing.T, start func(context.Context, *rest.Config) error) string {
		t.Helper()
		s := server{status: http.StatusNotFound, kind: "application/json", asked: make(chan string, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		NewWithT(t).Expect(start(ctx, s.config())).To(Succeed())
		return <-s.asked
	}
	random := regexp.MustCompile(`timeout(Seconds)?=[0-9hms]+`)
	own := first(t, func(ctx context.Context, config *rest.Config) error {
		client, err := New(config)
		if err == nil {
			go client.Events.In("n").Informer().RunWithContext(ctx)
		}
		return err
	})
	theirs := first(t, func(ctx context.Context, config *rest.Config) error {
		client, err := kubernetes.NewForConfig(config)
		if err == nil {
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("n"))
			go factory.Core().V1().Events().Informer().RunWithContext(ctx)
		}
		return err
	})
	NewWithT(t).Expect(random.ReplaceAllString(own, "")).To(Equal(random.ReplaceAllString(theirs, "")))
}

// An API server answers in protobuf.
func TestReadsProtobuf(t *testing.T) {
	g := NewWithT(t)
	var answer bytes.Buffer
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}}
	node.Name, node.Spec.PodCIDR = "a", "10.0.0.0/24"
	g.Expect(protobuf.NewSerializer(clientgo.Scheme, clientgo.Scheme).Encode(node, &answer)).To(Succeed())
	s := server{status: http.StatusOK, kind: runtime.ContentTypeProtobuf, body: answer.Bytes()}
	client, err := New(s.config())
	g.Expect(err).NotTo(HaveOccurred())
	got, err := client.Nodes.Get(t.Context(), "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Name + got.Spec.PodCIDR).To(Equal("a10.0.0.0/24"))
}

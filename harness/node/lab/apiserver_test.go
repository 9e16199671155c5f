package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/host/kubeconfig/discovered"
)

// apiServer answers the few requests of a lab without a socket, so that a test runs in virtual time (testing/synctest):
// waits of minutes cost nothing, times are exact, and a leaked goroutine fails the test.
type apiServer struct {
	t *testing.T
	// run plays the pod until ctx ends.
	run func(ctx context.Context, pod *corev1.Pod, deleted <-chan struct{})
	// proxied serves a pod behind the pod proxy.
	proxied func(pod string) http.Handler
	// metrics is what every kubelet answers on /metrics/probes; empty is an error.
	metrics string
	// accountFrom is when the namespaces' service accounts exist, and pods can be created.
	accountFrom time.Time
	// refuseDelete makes every graceful delete fail with a conflict.
	refuseDelete bool
	// withoutStopSignal drops lifecycle.stopSignal, as without its feature gate.
	withoutStopSignal bool

	mu         sync.Mutex
	namespaces map[string]bool
	secrets    []*corev1.Secret
	node       corev1.Node // any one that is asked for
	pods       map[string]*runningPod
	events     [][]byte      // what the watch sends, in order; the resource version is its length
	changed    chan struct{} // closed and replaced with every event
	down       chan struct{} // closed while nothing answers
	hungUntil  time.Time     // when it is ready again
	running    sync.WaitGroup
}

type runningPod struct {
	pod     *corev1.Pod
	stop    context.CancelFunc
	deleted chan struct{}
}

func newAPIServer(t *testing.T) *apiServer {
	return &apiServer{
		t:          t,
		namespaces: map[string]bool{"trials": true}, // created before the lab opens
		pods:       map[string]*runningPod{},
		changed:    make(chan struct{}),
		down:       make(chan struct{}),
	}
}

func (a *apiServer) config() *rest.Config {
	return &rest.Config{
		Host:          "http://cluster",
		Transport:     a,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"},
	}
}

// goAway makes every request fail, including those under way.
func (a *apiServer) goAway() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.down)
}

// comeBack undoes goAway.
func (a *apiServer) comeBack() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down = make(chan struct{})
}

// hang delays answers about readiness for a while. Other requests are answered.
func (a *apiServer) hang(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hungUntil = time.Now().Add(d)
}

// stop ends every pod.
func (a *apiServer) stop() {
	a.mu.Lock()
	for _, p := range a.pods {
		p.stop()
	}
	a.mu.Unlock()
	a.running.Wait()
}

// RoundTrip serves a request in this process.
func (a *apiServer) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	down := a.down
	a.mu.Unlock()
	body, w := io.Pipe()
	answer := &response{header: http.Header{"Content-Type": {"application/json"}}, body: w, begun: make(chan int, 1)}
	ctx, cancel := context.WithCancel(r.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		a.serve(answer, r.Clone(ctx))
		answer.WriteHeader(http.StatusOK)
		_ = w.Close()
	}()
	go func() {
		defer cancel()
		select {
		case <-served:
		case <-ctx.Done():
			_ = w.CloseWithError(ctx.Err())
		case <-down:
			_ = w.CloseWithError(syscall.ECONNRESET)
		}
	}()
	select {
	case <-down:
		return nil, syscall.ECONNREFUSED
	default:
	}
	select {
	case status := <-answer.begun:
		return &http.Response{
			StatusCode: status,
			Status:     http.StatusText(status),
			Header:     answer.header,
			Body:       body,
			Request:    r,
		}, nil
	case <-ctx.Done():
		return nil, cmp.Or(r.Context().Err(), error(syscall.ECONNRESET))
	}
}

// response can be read while it is written, like a watch.
type response struct {
	header http.Header
	body   *io.PipeWriter
	begun  chan int
	once   sync.Once
}

func (w *response) Header() http.Header    { return w.header }
func (w *response) WriteHeader(status int) { w.once.Do(func() { w.begun <- status }) }
func (w *response) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

func (a *apiServer) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/v1/"), "/")
	switch {
	case discovered.Answer(r.URL.Path) != nil:
		text, err := json.Marshal(discovered.Answer(r.URL.Path))
		if err != nil {
			a.t.Errorf("encode an answer: %v", err)
		}
		_, _ = w.Write(text)
	case r.URL.Path == "/readyz":
		a.mu.Lock()
		until := a.hungUntil
		a.mu.Unlock()
		time.Sleep(time.Until(until))
		_, _ = io.WriteString(w, "ok")
	case path[0] == "nodes" && len(path) > 1 && a.metrics != "":
		_, _ = io.WriteString(w, a.metrics)
	case len(path) == 3 && path[2] == "events":
		a.nothing(w, r, "v1", "Event")
	case len(path) == 1 && path[0] == "nodes":
		a.nothing(w, r, "v1", "Node")
	case path[len(path)-1] == "endpointslices":
		a.nothing(w, r, "discovery.k8s.io/v1", "EndpointSlice")
	case strings.HasSuffix(r.URL.Path, "/priorityclasses"):
		w.WriteHeader(http.StatusCreated)
		_, _ = io.Copy(w, r.Body)
	case len(path) == 3 && r.URL.Query().Get("watch") != "":
		a.watch(w, r)
	case len(path) > 5 && path[4] == "proxy":
		name, _, _ := strings.Cut(path[3], ":")
		r.URL.Path = "/" + strings.Join(path[5:], "/")
		a.proxied(name).ServeHTTP(w, r)
	default:
		status, body := a.change(r, path)
		text, err := json.Marshal(body)
		if err != nil {
			a.t.Errorf("encode an answer: %v", err)
		}
		w.WriteHeader(status)
		_, _ = w.Write(text)
	}
}

// change serves a request that changes something.
func (a *apiServer) change(r *http.Request, path []string) (int, any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case len(path) == 2 && path[0] == "nodes":
		if r.Method == http.MethodPut {
			a.node = corev1.Node{}
			a.read(r, &a.node)
		}
		return http.StatusOK, a.node.DeepCopy()
	case len(path) == 1 && r.Method == http.MethodGet:
		list := &corev1.NamespaceList{}
		for name := range a.namespaces {
			list.Items = append(list.Items, corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
		return http.StatusOK, list
	case len(path) == 1 && r.Method == http.MethodPost:
		ns := &corev1.Namespace{}
		a.read(r, ns)
		a.namespaces[ns.Name] = true
		return http.StatusCreated, ns
	case len(path) == 2 && r.Method == http.MethodDelete:
		delete(a.namespaces, path[1])
		return http.StatusOK, &metav1.Status{Status: metav1.StatusSuccess}
	case len(path) == 4 && path[2] == "serviceaccounts" && !time.Now().Before(a.accountFrom):
		return http.StatusOK, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: path[3]}}
	case len(path) == 3 && r.Method == http.MethodPost && time.Now().Before(a.accountFrom):
		return refusal(http.StatusForbidden, metav1.StatusReasonForbidden)
	case len(path) == 3 && path[2] == "secrets":
		secret := &corev1.Secret{}
		a.read(r, secret)
		a.secrets = append(a.secrets, secret)
		return http.StatusCreated, secret
	case path[len(path)-1] == "jobs":
		job := &batchv1.Job{}
		a.read(r, job)
		pod := &corev1.Pod{ObjectMeta: job.ObjectMeta, Spec: job.Spec.Template.Spec}
		pod.Labels = map[string]string{"job-name": job.Name}
		return a.start(r, pod, job)
	case len(path) == 3 && r.Method == http.MethodGet:
		list := &corev1.PodList{}
		for _, p := range a.pods {
			if r.URL.Query().Get("labelSelector") == "job-name="+p.pod.Labels["job-name"] {
				list.Items = append(list.Items, *p.pod)
			}
		}
		return http.StatusOK, list
	case len(path) == 4 && r.Method == http.MethodGet && a.pods[path[3]] != nil:
		return http.StatusOK, a.pods[path[3]].pod.DeepCopy()
	case len(path) == 3 && r.Method == http.MethodPost:
		pod := &corev1.Pod{}
		a.read(r, pod)
		return a.start(r, pod, pod)
	case len(path) == 4 && r.Method == http.MethodDelete:
		return a.delete(r, path[3])
	}
	return refusal(http.StatusNotFound, metav1.StatusReasonNotFound)
}

func (a *apiServer) taints() []corev1.Taint {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.node.Spec.Taints
}

func refusal(status int, reason metav1.StatusReason) (int, any) {
	return status, &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(status), Reason: reason, Message: "refused by the test",
	}
}

// start creates a pod. It answers with what was created: the pod or its owner.
func (a *apiServer) start(r *http.Request, pod *corev1.Pod, created runtime.Object) (int, any) {
	if a.pods[pod.Name] != nil {
		return refusal(http.StatusConflict, metav1.StatusReasonAlreadyExists)
	}
	for _, c := range pod.Spec.Containers {
		if a.withoutStopSignal && c.Lifecycle != nil {
			c.Lifecycle.StopSignal = nil
		}
	}
	pod.UID, pod.Status.Phase = types.UID(fmt.Sprintf("uid-%d", len(a.events))), corev1.PodPending
	ctx, stop := context.WithCancel(context.WithoutCancel(r.Context()))
	running := &runningPod{pod: pod, stop: stop, deleted: make(chan struct{})}
	a.pods[pod.Name] = running
	a.tell("ADDED", pod)
	copied := pod.DeepCopy()
	a.running.Go(func() {
		a.run(ctx, copied, running.deleted)
		stop()
		a.remove(copied.Name)
	})
	return http.StatusCreated, created.DeepCopyObject()
}

// delete asks the pod to end, at once if the request has no grace period.
func (a *apiServer) delete(r *http.Request, name string) (int, any) {
	options := &metav1.DeleteOptions{}
	a.read(r, options)
	running := a.pods[name]
	switch {
	case running == nil:
		return refusal(http.StatusNotFound, metav1.StatusReasonNotFound)
	case options.GracePeriodSeconds != nil && *options.GracePeriodSeconds == 0:
		running.stop()
	case a.refuseDelete:
		return refusal(http.StatusConflict, metav1.StatusReasonConflict)
	case running.pod.DeletionTimestamp == nil:
		at := metav1.NewTime(time.Now())
		running.pod.DeletionTimestamp = &at
		close(running.deleted)
		a.tell("MODIFIED", running.pod)
	}
	return http.StatusOK, running.pod.DeepCopy()
}

// lose removes a pod at once, as a delete without a grace period.
func (a *apiServer) lose(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pods[name].stop()
}

// status changes a pod's status.
func (a *apiServer) status(name string, change func(*corev1.PodStatus)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if running := a.pods[name]; running != nil {
		change(&running.pod.Status)
		a.tell("MODIFIED", running.pod)
	}
}

func (a *apiServer) remove(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell("DELETED", a.pods[name].pod)
	delete(a.pods, name)
}

// watch streams the events since a resource version. For a watch list, it streams all objects first.
func (a *apiServer) watch(w http.ResponseWriter, r *http.Request) {
	next := 0
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		var initial [][]byte
		initial, next = a.initial()
		for _, e := range initial {
			_, _ = w.Write(e)
		}
	} else {
		_, _ = fmt.Sscan(r.URL.Query().Get("resourceVersion"), &next)
	}
	for {
		a.mu.Lock()
		events, changed := a.events[next:], a.changed
		next = len(a.events)
		a.mu.Unlock()
		for _, e := range events {
			if _, err := w.Write(e); err != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// nothing is a watch without objects.
func (a *apiServer) nothing(w http.ResponseWriter, r *http.Request, version, kind string) {
	_, _ = io.WriteString(
		w,
		`{"type":"BOOKMARK","object":{"kind":"`+kind+`","apiVersion":"`+version+`",`+
			`"metadata":{"resourceVersion":"1","annotations":{"`+
			metav1.InitialEventsAnnotationKey+`":"true"}}}}`,
	)
	<-r.Context().Done()
}

// initial are the events of a watch list, and their resource version.
func (a *apiServer) initial() ([][]byte, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var events [][]byte
	for _, p := range a.pods {
		events = append(events, a.event("ADDED", p.pod))
	}
	end := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		ResourceVersion: fmt.Sprint(len(a.events)),
		Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}}
	return append(events, a.event("BOOKMARK", end)), len(a.events)
}

// tell adds an event. The caller holds the lock.
func (a *apiServer) tell(kind string, pod *corev1.Pod) {
	pod.ResourceVersion = fmt.Sprint(len(a.events) + 1)
	a.events = append(a.events, a.event(kind, pod))
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *apiServer) event(kind string, pod *corev1.Pod) []byte {
	pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	text, err := json.Marshal(map[string]any{"type": kind, "object": pod})
	if err != nil {
		a.t.Errorf("encode an event: %v", err)
	}
	return text
}

func (a *apiServer) read(r *http.Request, into any) {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		a.t.Errorf("read %s %s: %v", r.Method, r.URL, err)
	}
}

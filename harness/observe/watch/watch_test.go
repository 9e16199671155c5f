package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/predict/live"
	"github.com/podclock/podclock/harness/rules/formula"
)

// cluster is an API server with pods, which tells their watchers what changes.
type cluster struct {
	t *testing.T

	lock sync.Mutex
	pods map[string]*corev1.Pod
	// changes are all there were. The version of one is its place, from 1.
	changes []metav1.WatchEvent
	// oldest is the first version that is still known, broken closes all watches.
	oldest  int
	broken  chan struct{}
	changed chan struct{}
	// forbidden are paths that nobody may read.
	forbidden map[string]bool
	// down is set while nothing can be watched.
	down bool
}

func newCluster(t *testing.T) *cluster {
	return &cluster{t: t, pods: map[string]*corev1.Pod{}, broken: make(chan struct{}), changed: make(chan struct{}),
		forbidden: map[string]bool{}}
}

func (c *cluster) change(kind string, p *corev1.Pod) {
	c.lock.Lock()
	defer c.lock.Unlock()
	p.ResourceVersion, p.Kind, p.APIVersion = fmt.Sprint(len(c.changes)+1), "Pod", "v1"
	if c.pods[p.Name] = p; kind == "DELETED" {
		delete(c.pods, p.Name)
	}
	text, _ := json.Marshal(p)
	e := metav1.WatchEvent{Type: kind}
	e.Object.Raw = text
	c.changes = append(c.changes, e)
	close(c.changed)
	c.changed = make(chan struct{})
}

// cut closes all watches. If it forgets, none can go on where it was.
func (c *cluster) cut(forgets bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.down = true; forgets {
		c.oldest = len(c.changes) + 2
	}
	close(c.broken)
	c.broken = make(chan struct{})
}

func (c *cluster) back() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.down = false
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer := func(code int, o any) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(o)
	}
	refuse := func(code int, reason metav1.StatusReason) {
		answer(code, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure",
			Reason: reason, Code: int32(code)})
	}
	c.lock.Lock()
	down, forbidden, oldest := c.down, c.forbidden[r.URL.Path], c.oldest
	c.lock.Unlock()
	_, isPods := strings.CutSuffix(r.URL.Path, "/shop/pods")
	switch watches := r.URL.Query().Get("watch") != ""; {
	case r.Method != http.MethodGet:
		c.t.Errorf("an observation only reads, but sent %s %s", r.Method, r.URL)
	case forbidden:
		refuse(http.StatusForbidden, metav1.StatusReasonForbidden)
	case strings.HasPrefix(r.URL.Path, "/api/v1/nodes/"):
		answer(http.StatusOK, corev1.Node{Status: corev1.NodeStatus{
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.37.2"},
		}})
	case watches && down:
		refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
	case watches && isPods:
		from := 0
		_, _ = fmt.Sscan(r.URL.Query().Get("resourceVersion"), &from)
		if from < oldest-1 {
			refuse(http.StatusGone, metav1.StatusReasonExpired)
			return
		}
		c.stream(r.Context(), w, from)
	case watches:
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case isPods:
		c.lock.Lock()
		defer c.lock.Unlock()
		list := corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(max(len(c.changes), oldest-1))}}
		for _, p := range c.pods {
			list.Items = append(list.Items, *p)
		}
		answer(http.StatusOK, list)
	default:
		answer(http.StatusOK, map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}})
	}
}

func (c *cluster) stream(ctx context.Context, w http.ResponseWriter, from int) {
	w.(http.Flusher).Flush()
	c.lock.Lock()
	broken := c.broken
	c.lock.Unlock()
	for to := json.NewEncoder(w); ; {
		c.lock.Lock()
		changes, changed := c.changes[min(from, len(c.changes)):], c.changed
		c.lock.Unlock()
		for _, e := range changes {
			_ = to.Encode(e)
			from++
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-broken:
			return
		case <-ctx.Done():
			return
		}
	}
}

// found is what an observation reports.
type found struct {
	lock  sync.Mutex
	facts []observe.Fact
	notes []string
	tally observe.Tally
}

func (f *found) gaps() (all []string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, one := range f.facts {
		if g, is := one.(observe.Gap); is {
			all = append(all, g.What)
		}
	}
	return all
}

// accessTo returns access to the namespace shop of an API server.
func accessTo(t *testing.T, server *httptest.Server) live.Access {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	NewWithT(t).Expect(os.WriteFile(file, []byte(fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: shop,
clusters: [{name: shop, cluster: {server: %q}}], users: [{name: dev, user: {token: secret}}],
contexts: [{name: shop, context: {cluster: shop, user: dev, namespace: shop}}]}`, server.URL)), 0o600)).To(Succeed())
	return live.Access{Access: kubeconfig.Access{Kubeconfig: file}}
}

// observed begins an observation of a cluster, and returns how to end it.
func observed(t *testing.T, c *cluster) (*found, func() error) {
	t.Helper()
	server := httptest.NewServer(c)
	access := accessTo(t, server)
	f, ended := &found{}, make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		ended <- Run(ctx, Options{
			Access: access,
			Kubelet: func(version string, _ []byte) (formula.Kubelet, error) {
				return formula.KubeletOf(version, nil, []byte("{}"), nil)
			},
			Fact: func(one observe.Fact) {
				f.lock.Lock()
				defer f.lock.Unlock()
				f.facts = append(f.facts, one)
				f.tally.Add(one)
			},
			Note: func(text string) {
				f.lock.Lock()
				defer f.lock.Unlock()
				f.notes = append(f.notes, text)
			},
		})
	}()
	return f, sync.OnceValue(func() error {
		cancel()
		err := <-ended
		server.CloseClientConnections()
		server.Close()
		return err
	})
}

// pod is a pod that runs.
func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name)},
		Spec: corev1.PodSpec{NodeName: "a", TerminationGracePeriodSeconds: new(int64(30)),
			Containers: []corev1.Container{{Name: "app", Image: "app"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "app", ContainerID: "containerd://" + name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
		}}},
	}
}

func deleted(p *corev1.Pod) *corev1.Pod {
	p = p.DeepCopy()
	p.DeletionGracePeriodSeconds = new(int64(30))
	p.DeletionTimestamp = new(metav1.NewTime(time.Now().Add(30 * time.Second)))
	return p
}

func ended(p *corev1.Pod) *corev1.Pod {
	p = p.DeepCopy()
	p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ContainerID: p.Status.ContainerStatuses[0].ContainerID, FinishedAt: metav1.Now(), StartedAt: metav1.Now(),
	}}
	return p
}

// dies lets a pod be deleted and die.
func (c *cluster) dies(name string) {
	p := deleted(pod(name))
	c.change("MODIFIED", p)
	c.change("MODIFIED", ended(p))
	c.change("DELETED", ended(p))
}

// Hundreds of pods die while the watch breaks off. It goes on where it was, so nothing is lost.
func TestABreakLosesNothing(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	const pods = 500
	for i := range pods {
		c.change("ADDED", pod(fmt.Sprint("p", i)))
	}
	f, end := observed(t, c)
	defer func() { _ = end() }()
	time.Sleep(500 * time.Millisecond) // the watch has begun, or begins at an earlier version
	for i := range pods {
		if i == pods/2 {
			c.cut(false)
			time.AfterFunc(longOff+500*time.Millisecond, c.back)
		}
		c.dies(fmt.Sprint("p", i))
	}
	g.Eventually(func() []string { return f.gaps() }, 10*time.Second).Should(ConsistOf(
		ContainSubstring("the watch of pods broke off and went on where it was: nothing is missing")))
	g.Eventually(func() (gone int) {
		f.lock.Lock()
		defer f.lock.Unlock()
		for _, s := range f.tally.Summaries() {
			gone += s.Departures
		}
		return gone
	}, time.Minute).Should(Equal(pods))
	g.Expect(end()).To(Succeed())
	all := f.tally.Summaries()
	g.Expect(all).To(HaveLen(pods))
	for _, s := range all {
		g.Expect([]int{s.Deaths, s.Departures}).To(Equal([]int{1, 1}), s.Workload)
	}
}

// If the API server no longer knows what changed, that is a gap: pods that are missing are gone, and their ends
// unknown.
func TestAGapIsReported(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.change("ADDED", pod("stays"))
	c.change("ADDED", pod("goes"))
	f, end := observed(t, c)
	defer func() { _ = end() }()
	time.Sleep(500 * time.Millisecond)
	c.cut(true)
	c.dies("goes")
	c.back()
	g.Eventually(func() []string { return f.gaps() }, 10*time.Second).Should(ConsistOf(
		ContainSubstring("what began and ended in this time is missing")))
	c.dies("stays")
	g.Eventually(func() int {
		f.lock.Lock()
		defer f.lock.Unlock()
		return len(f.tally.Summaries())
	}, time.Minute).Should(Equal(2))
	g.Expect(end()).To(Succeed())
	outcomes := map[string]observe.Outcome{}
	for _, one := range f.facts {
		if d, is := one.(observe.Death); is {
			outcomes[d.Name] = d.Outcome
		}
	}
	g.Expect(outcomes).To(Equal(map[string]observe.Outcome{"goes": observe.Unknown, "stays": observe.Exited}))
}

func TestRightsThatAreMissing(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.forbidden["/api/v1/namespaces/shop/events"] = true
	f, end := observed(t, c)
	g.Eventually(func() []string { f.lock.Lock(); defer f.lock.Unlock(); return f.notes }, 5*time.Second).
		Should(ContainElement("Not read: events, so kills by probes count as crashes or deletes: the user of context " +
			"shop lacks the right to list events in namespace shop: `kubectl auth can-i list events -n shop` " +
			"checks it"))
	g.Expect(end()).To(Succeed())

	c.forbidden["/api/v1/namespaces/shop/pods"] = true
	_, end = observed(t, c)
	time.Sleep(500 * time.Millisecond)
	g.Expect(end()).To(MatchError("the user of context shop lacks the right to list pods in namespace shop: " +
		"`kubectl auth can-i list pods -n shop` checks it"))
}

package external

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/host/kubeconfig/discovered"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// server answers what Find asks.
type server struct {
	version string
	nodes   []corev1.Node
	pods    []corev1.Pod
	// refused are rights, as Right.String returns them.
	refused []string
	// expired reports that the user's token has expired.
	expired bool
	// created counts requests that would change something.
	created int
	// asked counts the questions to the node that starts.
	asked atomic.Int32
}

func node(name string, change ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: "v1.36.3", ContainerRuntimeVersion: "containerd://2.1.4", OSImage: "Debian",
				KernelVersion: "6.1.0", Architecture: "amd64", OperatingSystem: "linux",
			},
		},
	}
	for _, c := range change {
		c(&n)
	}
	return n
}

func of(version string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.NodeInfo.KubeletVersion = version }
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer := func(o any) { _ = json.NewEncoder(w).Encode(o) }
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case s.expired:
		http.Error(w, "{}", http.StatusUnauthorized)
	case discovered.Answer(r.URL.Path) != nil:
		answer(discovered.Answer(r.URL.Path))
	case r.URL.Path == "/version":
		answer(version.Info{GitVersion: s.version})
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		review := &authorizationv1.SelfSubjectAccessReview{}
		body, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a := review.Spec.ResourceAttributes
		right := Right{Verb: a.Verb, Group: a.Group, Resource: a.Resource, Subresource: a.Subresource}
		review.Status.Allowed = !slices.Contains(s.refused, right.String())
		answer(review)
	case r.Method != http.MethodGet:
		s.created++
		http.Error(w, "refused by the test", http.StatusForbidden)
	case r.URL.Path == "/api/v1/nodes":
		answer(corev1.NodeList{Items: s.nodes})
	case r.URL.Path == "/api/v1/pods":
		answer(corev1.PodList{Items: s.pods})
	case strings.HasSuffix(r.URL.Path, "/proxy/configz") && slices.Contains(s.refused, "get nodes/proxy"):
		refusal := apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, path[3], nil)
		w.WriteHeader(http.StatusForbidden)
		answer(refusal.Status())
	case strings.HasSuffix(r.URL.Path, "/proxy/configz") && path[3] == "starting" && s.asked.Add(1) < 3:
		w.WriteHeader(http.StatusServiceUnavailable)
		answer(apierrors.NewServiceUnavailable("connection refused").Status())
	case strings.HasSuffix(r.URL.Path, "/proxy/configz") && path[3] == "down":
		http.Error(w, "no answer", http.StatusBadGateway)
	case strings.HasSuffix(r.URL.Path, "/proxy/configz") && path[3] == "tuned":
		_, _ = fmt.Fprint(w, `{"kubeletconfig":{"syncFrequency":"1m"}}`)
	case strings.HasSuffix(r.URL.Path, "/proxy/configz"):
		_, _ = fmt.Fprint(w, `{"kubeletconfig":{"syncFrequency":"30s"}}`)
	case strings.HasSuffix(r.URL.Path, "/proxy/metrics"):
		_, _ = fmt.Fprintln(w, "# TYPE kubernetes_feature_enabled gauge")
		_, _ = fmt.Fprintln(w, `kubernetes_feature_enabled{name="PodLevelResources",stage=""} 1`)
	default:
		http.NotFound(w, r)
	}
}

// find starts the server and asks it as its kubeconfig's user.
func (s *server) find(t *testing.T, o Options) (*Cluster, error) {
	t.Helper()
	if s.version == "" {
		s.version = "v1.37.2"
	}
	running := httptest.NewServer(s)
	t.Cleanup(running.Close)
	o.Kubeconfig = filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"prod",
		"clusters":[{"name":"c","cluster":{"server":%q}}],"users":[{"name":"u","user":{"token":"t"}}],
		"contexts":[{"name":"prod","context":{"cluster":"c","user":"u"}}]}`, running.URL)
	NewWithT(t).Expect(os.WriteFile(o.Kubeconfig, []byte(text), 0o600)).To(Succeed())
	c, err := Find(t.Context(), o)
	NewWithT(t).Expect(s.created).To(BeZero(), "Find only reads")
	return c, err
}

func names(c *Cluster) (all []string) {
	for _, n := range c.Nodes {
		all = append(all, n.Name)
	}
	return all
}

func TestNodesAreChosen(t *testing.T) {
	zone := func(z string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Labels = map[string]string{"zone": z} }
	}
	nodes := []corev1.Node{
		node("down"), node("a", zone("1")), node("b", zone("1")), node("c", zone("2")),
		node("old", of("v1.34.4"), zone("2")), node("tuned", zone("2")),
	}
	for name, c := range map[string]struct {
		options Options
		want    []string
	}{
		"one of each group":  {Options{}, []string{"a", "old", "tuned"}},
		"two of each group":  {Options{Sample: 2}, []string{"a", "b", "old", "tuned"}},
		"one of each zone":   {Options{Sample: 1, Per: "zone"}, []string{"a", "c"}},
		"all that are named": {Options{Nodes: []string{"c", "a"}}, []string{"c", "a"}},
		"one of those named": {Options{Nodes: []string{"c", "a"}, Sample: 1}, []string{"c"}},
		"two of each zone":   {Options{Sample: 2, Per: "zone"}, []string{"a", "b", "c", "old"}},
		"the second half":    {Options{Sample: 9, Shard: Shard{1, 2}}, []string{"a", "c", "tuned"}},
		"a third of those named": {
			Options{Nodes: []string{"c", "a", "b"}, Shard: Shard{2, 3}}, []string{"b"},
		},
		"a label of no node's": {Options{Sample: 1, Per: "rack"}, []string{"a"}},
	} {
		found, err := (&server{nodes: nodes}).find(t, c.options)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(names(found)).To(Equal(c.want), name)
	}
}

func TestTaintsOfTrialsLeaveTheirNodeInUse(t *testing.T) {
	g := NewWithT(t)
	n := node("a", func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: trial.TaintKey, Effect: corev1.TaintEffectNoExecute}}
	})
	g.Expect(Unfit(&n)).To(BeEmpty())
	g.Expect(n.Spec.Taints).To(HaveLen(1))
	n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule})
	g.Expect(Unfit(&n)).To(Equal("it has the taint gpu:NoSchedule"))
}

// Nodes in use by others, unhealthy ones and those of another system are left alone, also if the user names them.
func TestNodesAreLeftAlone(t *testing.T) {
	for why, change := range map[string]func(*corev1.Node){
		"it is cordoned": func(n *corev1.Node) { n.Spec.Unschedulable = true },
		"it has room for 11 pods and runs 0, and podclock leaves 10 places free": func(n *corev1.Node) {
			n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("11")
		},
		"it is not Ready": func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown },
		"it has DiskPressure": func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions,
				corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})
		},
		"it has the taint gpu:NoSchedule": func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		},
		"its operating system is windows": func(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "windows" },
	} {
		g := NewWithT(t)
		s := &server{nodes: []corev1.Node{node("a", change), node("b")}}
		found, err := s.find(t, Options{})
		g.Expect(err).NotTo(HaveOccurred(), why)
		g.Expect(names(found)).To(Equal([]string{"b"}), why)
		_, err = s.find(t, Options{Nodes: []string{"a"}})
		g.Expect(err).To(MatchError(ContainSubstring("node a is left alone: " + why)))
		s.nodes = s.nodes[:1]
		_, err = s.find(t, Options{})
		g.Expect(err).To(MatchError(And(ContainSubstring("no node to test"), ContainSubstring("a "+why))))
	}
}

// A kubelet that has just been restarted does not answer at once.
func TestAKubeletThatStartsIsAwaited(t *testing.T) {
	g := NewWithT(t)
	found, err := (&server{nodes: []corev1.Node{node("starting")}}).find(t, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names(found)).To(Equal([]string{"starting"}))
}

func TestShards(t *testing.T) {
	g := NewWithT(t)
	for _, text := range []string{"", "1", "2/2", "-1/2", "0/0", "a/2", "0/b"} {
		_, err := ParseShard(text)
		g.Expect(err).To(MatchError(ContainSubstring("such as 0/3")), text)
	}
	shard, err := ParseShard("1/2")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = (&server{nodes: []corev1.Node{node("a")}}).find(t, Options{Shard: shard})
	g.Expect(err).To(MatchError(ContainSubstring("it has no node in shard 1/2")))
}

func TestBadCluster(t *testing.T) {
	g := NewWithT(t)
	s := &server{nodes: []corev1.Node{node("a")}}
	_, err := s.find(t, Options{Nodes: []string{"b"}})
	g.Expect(err).To(MatchError(ContainSubstring("has no node b: `kubectl get nodes` lists them")))
	_, err = s.find(t, Options{Access: kubeconfig.Access{Context: "other"}})
	g.Expect(err).To(MatchError(ContainSubstring(`no context "other"`)))
	s.version = "v1.19.3"
	_, err = s.find(t, Options{})
	g.Expect(err).To(MatchError(ContainSubstring("the oldest release whose rules podclock knows is v1.22.0")))
	s.expired = true
	_, err = s.find(t, Options{})
	g.Expect(err).To(MatchError(ContainSubstring("refuses the credentials of context prod: they may have expired")))
}

func TestRightsThatAreMissing(t *testing.T) {
	g := NewWithT(t)
	s := &server{nodes: []corev1.Node{node("a")}, refused: []string{"create pods", "create jobs.batch"}}
	_, err := s.find(t, Options{})
	g.Expect(err).To(MatchError(And(ContainSubstring("may not create pods and create jobs.batch"),
		ContainSubstring("podclock rbac"))))

	s.refused = []string{"create pods/eviction", "get nodes/proxy"}
	found, err := s.find(t, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Refused).To(HaveLen(2))
	g.Expect(found.Refuses("create pods/eviction")).To(BeTrue())
	g.Expect(found.Refuses("create secrets")).To(BeFalse())
	g.Expect(found.Nodes[0].Configuration).To(BeNil(), "the release's defaults count")
	g.Expect(found.Nodes[0].Kubelet.Version).To(Equal("v1.36.3"))
	g.Expect(found.Nodes[0].Kubelet.Assumed).To(BeTrue())

	s.refused = nil
	found, err = s.find(t, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Nodes[0].Kubelet.SyncFrequency.Seconds()).To(Equal(30.0))
	g.Expect(found.Nodes[0].Kubelet.Gates).To(HaveKeyWithValue("PodLevelResources", true))
}

// The role has every right and no other, and no wildcard.
func TestClusterRole(t *testing.T) {
	g := NewWithT(t)
	count := 0
	for _, rule := range ClusterRole(Rights()).Rules {
		g.Expect(rule.APIGroups).To(HaveLen(1))
		g.Expect(rule.Resources).To(HaveLen(1))
		for _, word := range slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs) {
			g.Expect(word).NotTo(ContainSubstring("*"))
		}
		count += len(rule.Verbs)
	}
	g.Expect(count).To(Equal(len(Rights())))
	may := func(role *rbacv1.ClusterRole, verb, resource string) bool {
		return slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
			return slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb)
		})
	}
	g.Expect(may(ClusterRole(Rights()), "update", "nodes")).To(BeFalse())
	g.Expect(may(ClusterRole(Rights(Taints)), "update", "nodes")).To(BeTrue())
}

// What an owner did not allow is unsupported, and what needs a worker for another reason always is.
func TestTrialsThatHarmANode(t *testing.T) {
	worker := &trial.Worker{Name: "own"}
	obeying := fixtures.Single(1, victim.Run{Term: victim.ExitNow})
	filling := fixtures.Single(1, victim.Run{Term: victim.ExitNow, FillDir: fixtures.DataDir, FillBytes: 1 << 20})
	small := &trial.Worker{Name: "small", NodeFSMiB: 100}
	taint, own := []trial.Fault{trial.Taint()}, "configures or restarts"
	for name, c := range map[string]struct {
		trial trial.Trial
		allow []Harm
		says  string
	}{
		"harmless":           {trial: trial.Trial{Pod: obeying}},
		"a taint":            {trial.Trial{Pod: obeying, Worker: worker, Faults: taint}, nil, "--allow=taints"},
		"an allowed taint":   {trial.Trial{Pod: obeying, Worker: worker, Faults: taint}, []Harm{Taints}, ""},
		"a fill":             {trial.Trial{Pod: filling, Worker: worker}, []Harm{Taints}, "--allow=fills"},
		"an allowed fill":    {trial.Trial{Pod: filling, Worker: worker}, []Harm{Fills}, ""},
		"a fill of a nodefs": {trial.Trial{Pod: filling, Worker: small}, Harms(), own},
		"an unknown purpose": {trial.Trial{Pod: obeying, Worker: worker}, Harms(), own},
		"a Service":          {trial.Trial{Pod: obeying, Worker: worker, Service: &corev1.ServiceSpec{}}, Harms(), "kube-proxy"},
	} {
		matches := ContainSubstring(c.says)
		if c.says == "" {
			matches = BeEmpty()
		}
		NewWithT(t).Expect((&Cluster{Allow: c.allow}).Unsupported(c.trial)).To(matches, name)
	}
}

// A node's owner keeps ten places, and ended pods take none.
func TestRoomOfANode(t *testing.T) {
	s := &server{nodes: []corev1.Node{node("a")}}
	for range 70 {
		s.pods = append(s.pods, corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning}})
	}
	s.pods = append(s.pods, corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodSucceeded}})
	found, err := s.find(t, Options{})
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Nodes[0].Pods).To(Equal(110 - 70 - 10))
}

// Nodes of one boot are containers of one host.
func TestNodesShareTheCoresOfTheirHost(t *testing.T) {
	one, two, small := node("a"), node("b"), node("c")
	for i, n := range []*corev1.Node{&one, &two, &small} {
		n.Status.NodeInfo.BootID = []string{"x", "x", "y"}[i]
		n.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse([]string{"2", "4", "500m"}[i])}
	}
	s := &server{nodes: []corev1.Node{one, two, small}}
	found, err := s.find(t, Options{Nodes: []string{"a", "b", "c"}})
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(Cores(found.Nodes)).To(Equal(4.5))
}

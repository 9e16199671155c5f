package live

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/harness/predict/replicas"
)

// api answers requests by path. A path without an answer is not found.
type api map[string]any

// denied is the answer to a request that is refused with this status.
func denied(code int32, reason metav1.StatusReason) metav1.Status {
	return metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure",
		Code: code, Reason: reason}
}

func forbidden() metav1.Status { return denied(http.StatusForbidden, metav1.StatusReasonForbidden) }

// ServeHTTP dates its answers a minute late.
func (a api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, known := a[r.URL.Path]
	if !known {
		answer = denied(http.StatusNotFound, metav1.StatusReasonNotFound)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat))
	if s, is := answer.(metav1.Status); is {
		w.WriteHeader(int(s.Code))
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// access writes a kubeconfig with the contexts "shop", whose namespace is shop, and "bare".
func access(t *testing.T, server string) Access {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	NewWithT(t).Expect(os.WriteFile(file, []byte(fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: shop,
clusters: [{name: c, cluster: {server: %q}}], users: [{name: u, user: {token: secret}}],
contexts: [{name: shop, context: {cluster: c, user: u, namespace: shop}},
  {name: bare, context: {cluster: c, user: u}}]}`,
		server)), 0o600)).To(Succeed())
	return Access{Access: kubeconfig.Access{Kubeconfig: file}}
}

func serve(t *testing.T, a api) Access {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return access(t, server.URL)
}

func read(t *testing.T, a Access, names ...string) (next.Cluster, error) {
	t.Helper()
	var all []Name
	for _, name := range names {
		n, is := Parse(name)
		NewWithT(t).Expect(is).To(BeTrue(), name)
		all = append(all, n)
	}
	return Read(t.Context(), a, all)
}

func podOf(name, node string, owner metav1.Object, kind string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"}, Spec: corev1.PodSpec{
		NodeName: node, Containers: []corev1.Container{{Name: "app", Image: "app"}},
	}}
	if owner != nil {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "x/v1", Kind: kind, Name: owner.GetName(),
			UID: owner.GetUID(), Controller: new(true)}}
	}
	return p
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID("uid-of-" + name)}
}

func node(version string) *corev1.Node {
	return &corev1.Node{
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoExecute}}},
		Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: version},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}},
	}
}

// cluster has a workload of every kind.
func cluster() api {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: selector.MatchLabels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "app"}}}}
	web := &appsv1.Deployment{ObjectMeta: named("web"), Spec: appsv1.DeploymentSpec{
		Selector: selector, Template: template}}
	db := &appsv1.StatefulSet{ObjectMeta: named("db"), Spec: appsv1.StatefulSetSpec{
		Selector: selector, Template: template}}
	log := &appsv1.DaemonSet{ObjectMeta: named("log"), Spec: appsv1.DaemonSetSpec{
		Selector: selector, Template: template}}
	set := &appsv1.ReplicaSet{ObjectMeta: named("web-7d9"), Spec: appsv1.ReplicaSetSpec{
		Selector: selector, Template: template}}
	old := &corev1.ReplicationController{ObjectMeta: named("old"), Spec: corev1.ReplicationControllerSpec{
		Selector: selector.MatchLabels, Template: template.DeepCopy()}}
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	job := &batchv1.Job{ObjectMeta: named("backup-1"), Spec: batchv1.JobSpec{Selector: selector, Template: template}}
	cron := &batchv1.CronJob{ObjectMeta: named("backup"), Spec: batchv1.CronJobSpec{Schedule: "@daily"}}
	cron.Spec.JobTemplate.Spec.Template = template
	job.OwnerReferences = podOf("", "", cron, "CronJob").OwnerReferences
	stray := podOf("stray", "", nil, "")
	pods := corev1.PodList{Items: []corev1.Pod{
		podOf("web-7d9-b", "node-b", set, "ReplicaSet"), podOf("web-7d9-a", "node-a", set, "ReplicaSet"), stray,
		podOf("db-0", "node-gone", db, "StatefulSet"), podOf("log-x", "node-a", log, "DaemonSet"),
		podOf("old-x", "node-a", old, "ReplicationController"), podOf("backup-1-x", "node-a", job, "Job"),
	}}
	return api{
		"/version": map[string]string{"gitVersion": "v1.37.2"},
		"/apis/apps/v1/namespaces/shop/deployments/web":      web,
		"/apis/apps/v1/namespaces/shop/statefulsets/db":      db,
		"/apis/apps/v1/namespaces/shop/daemonsets/log":       log,
		"/apis/apps/v1/namespaces/shop/replicasets/web-7d9":  set,
		"/api/v1/namespaces/shop/replicationcontrollers/old": old,
		"/apis/batch/v1/namespaces/shop/jobs/backup-1":       job,
		"/apis/batch/v1/namespaces/shop/jobs":                batchv1.JobList{Items: []batchv1.Job{*job}},
		"/apis/batch/v1/namespaces/shop/cronjobs/backup":     cron,
		"/api/v1/namespaces/shop/pods/stray":                 stray,
		"/api/v1/namespaces/shop/pods/backup-1-x":            pods.Items[6],
		"/api/v1/namespaces/shop/pods":                       pods,
		"/api/v1/namespaces/shop/services": corev1.ServiceList{Items: []corev1.Service{{
			ObjectMeta: named("front"),
			Spec: corev1.ServiceSpec{
				Selector: selector.MatchLabels, ClusterIP: "10.0.0.1", Ports: []corev1.ServicePort{{Port: 80}},
			},
		}}},
		"/apis/policy/v1/namespaces/shop/poddisruptionbudgets": policyv1.PodDisruptionBudgetList{
			Items: []policyv1.PodDisruptionBudget{{ObjectMeta: named("all"), Spec: policyv1.PodDisruptionBudgetSpec{
				Selector: selector, MinAvailable: new(intstr.FromString("100%")),
			}}},
		},
		"/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers": autoscalingv2.HorizontalPodAutoscalerList{
			Items: []autoscalingv2.HorizontalPodAutoscaler{{ObjectMeta: named("db"),
				Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: new(int32(2)), MaxReplicas: 5,
					ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{
						APIVersion: "apps/v1", Kind: "StatefulSet", Name: "db",
					}}}},
		},
		"/api/v1/nodes/node-a":                                node("v1.36.3+k3s1"),
		"/api/v1/nodes/node-b":                                node("v1.35.0-eks-3025e55"),
		"/api/v1/nodes/node-a/proxy/configz":                  map[string]any{"kubeletconfig": map[string]any{}},
		"/apis/apps/v1/namespaces/default/deployments/only":   denied(401, metav1.StatusReasonUnauthorized),
		"/apis/apps/v1/namespaces/default/deployments/secret": forbidden(),
	}
}

func TestEveryKind(t *testing.T) {
	a := serve(t, cluster())
	for name, pods := range map[string][]string{
		"deployment/web": {"web-7d9-a", "web-7d9-b"}, "sts/db": {"db-0"}, "ds/log": {"log-x"},
		"rs/web-7d9": {"web-7d9-a", "web-7d9-b"}, "rc/old": {"old-x"}, "job/backup-1": {"backup-1-x"},
		"cj/backup": {"backup-1-x"}, "po/stray": {"stray"}, "pods/backup-1-x": {"backup-1-x"},
	} {
		g := NewWithT(t)
		c, err := read(t, a, name)
		g.Expect(err).NotTo(HaveOccurred(), name)
		var got []string
		for _, p := range c.Workloads[0].Pods {
			got = append(got, p.Name)
		}
		g.Expect(got).To(Equal(pods), name)
		g.Expect(c.Workloads[0].Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(BeEquivalentTo(30)), "the default")
		if pods[0] == "backup-1-x" {
			g.Expect(c.Workloads[0].Jobs).To(HaveExactElements(HaveField("Name", "backup-1")))
		}
	}
}

// The namespace's budgets, Services and autoscalers bear on the workload, as if they stood in its manifest.
func TestAround(t *testing.T) {
	g := NewWithT(t)
	c, err := read(t, serve(t, cluster()), "deploy/web", "sts/db")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Workloads[0].Budgets).To(HaveExactElements(HaveField("Name", "all")))
	g.Expect(c.Workloads[0].Services).To(HaveExactElements(HaveField("Name", "front")))
	g.Expect(c.Workloads[0].Pods).NotTo(BeEmpty())
	g.Expect(c.Workloads[1].Workload.Pods).To(HaveValue(Equal(replicas.Range{Least: 2, Most: 5})))

	a := cluster()
	a["/apis/policy/v1/namespaces/shop/poddisruptionbudgets"] = forbidden()
	c, err = read(t, serve(t, a), "deploy/web")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Workloads[0].Budgets).To(BeEmpty())
	g.Expect(c.Unread).To(ContainElement(And(HavePrefix("Not read, so drains count as allowed by them"),
		ContainSubstring("lacks the right to list poddisruptionbudgets.policy"))))
}

func TestNodes(t *testing.T) {
	g := NewWithT(t)
	c, err := read(t, serve(t, cluster()), "deploy/web", "sts/db")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Nodes).To(HaveLen(3))
	a := c.Nodes["node-a"]
	g.Expect(a.Version).To(Equal("v1.36.3"))
	g.Expect(a.Configz).To(ContainSubstring("kubeletconfig"))
	g.Expect(a.Ready.Status).To(Equal(corev1.ConditionUnknown))
	g.Expect(a.Taints).To(HaveLen(1))
	g.Expect(c.Nodes["node-b"]).To(And(HaveField("Version", "v1.35.0"), HaveField("Configz", BeNil())))
	g.Expect(c.Nodes["node-gone"]).To(Equal(next.Node{Gone: true}))
	g.Expect(c.Now).To(BeTemporally("~", time.Now().Add(-time.Minute), 3*time.Second), "by the API server's clock")
	g.Expect(c.Unread).To(ConsistOf(
		MatchRegexp(`^This machine's clock is (59s|1m0s|1m1s) ahead of the API server's: times are by the`),
		"Not read: the configuration of the kubelet of node node-b: it does not answer. It counts as configured like "+
			"its "+
			"release.",
	))
}

// What a user may not read is named with the right, and assumed.
func TestMissingRights(t *testing.T) {
	g := NewWithT(t)
	rights := cluster()
	for _, path := range []string{
		"/api/v1/nodes/node-a", "/api/v1/nodes/node-b", "/api/v1/nodes/node-a/proxy/configz",
		"/api/v1/nodes/node-b/proxy/configz", "/apis/batch/v1/namespaces/shop/jobs",
		"/apis/batch/v1/namespaces/shop/jobs/backup-1",
	} {
		rights[path] = forbidden()
	}
	c, err := read(t, serve(t, rights), "deploy/web", "cj/backup", "pod/backup-1-x")
	g.Expect(err).NotTo(HaveOccurred())
	lacks := func(verb, right, in string) string {
		where := ""
		if in != "" {
			where, in = " in namespace "+in, " -n "+in
		}
		return fmt.Sprintf("the user of context shop lacks the right to %s %s%s: `kubectl auth can-i %[1]s "+
			"%[2]s%[4]s` "+
			"checks it.", verb, right, where, in)
	}
	g.Expect(c.Unread).To(ContainElements(
		"Not read: the nodes: "+lacks("get", "nodes", "")+" Their kubelets count as v1.37.2, as the API server, and "+
			"as "+
			"ready.",
		"Not read: the configuration of the kubelets: "+lacks("get", "nodes/proxy", "")+" They count as configured "+
			"like "+
			"their release.",
		"Not read: the Jobs and pods of cronjob/backup: "+lacks("list", "jobs.batch", "shop"),
		"Not read: Job backup-1 of pod backup-1-x: "+lacks("get", "jobs.batch", "shop"),
		"No pod of CronJob backup has a node: its kubelets count as v1.37.2, as the API server, with the release's "+
			"configuration.",
	))
	rights["/api/v1/namespaces/shop/pods"] = forbidden()
	a := serve(t, rights)
	a.Configured = true
	c, err = read(t, a, "deploy/web")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Unread).To(ContainElement("Not read: the pods of deployment/web: " + lacks("list", "pods", "shop")))
	g.Expect(c.Unread).NotTo(ContainElement(ContainSubstring("configuration of the kubelets")))
}

func TestErrors(t *testing.T) {
	a := serve(t, cluster())
	closed := httptest.NewServer(nil)
	closed.Close()
	with := func(change func(*Access)) Access {
		b := a
		change(&b)
		return b
	}
	inDefault := with(func(a *Access) { a.Context = "bare" })
	nowhere := Access{Access: kubeconfig.Access{Kubeconfig: "/none"}}
	for name, c := range map[string]struct {
		access Access
		object string
		says   string
	}{
		"no such object": {a, "deploy/none", "there is no deployment none in namespace shop of context shop: " +
			"`kubectl get deployments.apps -n shop` lists them, and -n names another namespace"},
		"the context's namespace": {inDefault, "deploy/web", "there is no deployment web in namespace default of " +
			"context bare: `kubectl get deployments.apps --context=bare -n default` lists them"},
		"another namespace": {with(func(a *Access) { a.Namespace = "test" }), "sts/db", "in namespace test of"},
		"expired": {inDefault, "deploy/only", "the API server refuses the credentials of context bare: they may have " +
			"expired; log in again"},
		"forbidden": {inDefault, "deploy/secret", "the user of context bare lacks the right to get deployments.apps " +
			"in namespace default: `kubectl auth can-i get deployments.apps -n default` checks it"},
		"no such context": {with(func(a *Access) { a.Context = "x" }), "deploy/web",
			"the kubeconfig has no context \"x\": `kubectl config get-contexts` lists them"},
		"no such kubeconfig": {nowhere, "deploy/web", "read the kubeconfig: stat /none"},
		"no server":          {access(t, closed.URL), "deploy/web", "of context shop cannot be asked: dial tcp"},
	} {
		_, err := read(t, c.access, c.object)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.says)), name)
	}
	g := NewWithT(t)
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	_, err := read(t, Access{}, "deploy/web")
	g.Expect(err).To(MatchError(HavePrefix("there is no kubeconfig: name one with --kubeconfig or KUBECONFIG")))
}

// A server that takes connections and never answers is left after a few seconds.
func TestASilentServer(t *testing.T) {
	g := NewWithT(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	began := time.Now()
	_, err = read(t, access(t, "http://"+listener.Addr().String()), "deploy/web")
	g.Expect(time.Since(began)).To(BeNumerically("~", answersWithin, 2*time.Second))
	g.Expect(err).To(MatchError(HaveSuffix("of context shop does not answer within 5s: is it reachable from here?")))
	shop := kubeconfig.Target{Context: "shop", Config: &rest.Config{}}
	wrong := (&Server{target: shop}).Explain(&url.Error{Err: os.ErrClosed}, "get", "pods", "")
	g.Expect(wrong).To(MatchError(os.ErrClosed))
}

func TestParse(t *testing.T) {
	g := NewWithT(t)
	for text, want := range map[string]string{
		"deployment/web": "deployment/web", "deploy/web": "deployment/web", "Deployments/web": "deployment/web",
		"deployments.apps/web": "deployment/web", "deployment.v1.apps/web": "deployment/web", "po/a": "pod/a",
		"cronjobs.batch/a": "cronjob/a", "Widget/web": "widget/web", "deployment.batch/web": "deployment.batch/web",
		"statefulsets.apps.kruise.io/a": "statefulsets.apps.kruise.io/a", "deploy.yaml/web": "deploy.yaml/web",
		"pods.v1/a": "pods.v1/a", "web": "", "web.yaml": "", "deploy/": "", "/web": "", "deploy/a/b": "",
		"../web": "", "~/web": "", "charts/Web": "", "deploy/*.yaml": "", "deploy/*": "", "deploy/web.yaml": "",
		"widget/web.yaml": "", "deploy/web.v2": "deployment/web.v2",
	} {
		n, is := Parse(text)
		g.Expect(is).To(Equal(want != ""), text)
		if is {
			g.Expect(n.String()).To(Equal(want))
		}
	}
}

func TestANamespaceThatIsAPathIsNotAskedFor(t *testing.T) {
	g := NewWithT(t)
	a := serve(t, api{"/api/v1/pods/web": denied(http.StatusTeapot, "Asked")})
	for _, namespace := range []string{"a/b", "..", "a%2fb"} {
		a.Namespace = namespace
		_, err := read(t, a, "pod/web")
		g.Expect(err).To(MatchError(ContainSubstring("invalid namespace %q", namespace)))
	}
}

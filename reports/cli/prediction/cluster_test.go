package prediction

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/cli/shell"
)

// apiServer serves these answers by path, and returns the kubeconfig of a client whose context is "kind-shop" and whose
// namespace is shop.
func apiServer(t *testing.T, answers map[string]any) (kubeconfig string) {
	t.Helper()
	g := NewWithT(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			t.Errorf("podclock only reads, but sent %s %s", r.Method, r.URL)
		}
		if !known {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure",
				Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		}
		if s, is := answer.(metav1.Status); is && known {
			w.WriteHeader(int(s.Code))
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	g.Expect(os.WriteFile(kubeconfig, []byte(fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: kind-shop,
clusters: [{name: shop, cluster: {server: %q}}],
users: [{name: dev, user: {token: secret}}],
contexts: [{name: kind-shop, context: {cluster: shop, user: dev, namespace: shop}}]}`, server.URL)), 0o600)).
		To(Succeed())
	return kubeconfig
}

// at is a time in the past, as the API has it.
func at(ago time.Duration) metav1.Time {
	return metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second))
}

// webPod is a pod of the Deployment web.
func webPod(name, node string, status corev1.PodStatus) corev1.Pod {
	status.StartTime = new(at(5 * time.Minute))
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-7d9", UID: "1", Controller: new(true)},
		}},
		Spec: corev1.PodSpec{
			NodeName: node, RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(30)),
			Containers: []corev1.Container{{Name: "app", Image: "app"}},
		},
		Status: status,
	}
}

func nodeOf(name, kubelet string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: kubelet},
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
	}}
}

// shop is a cluster with a Deployment of three pods on two nodes.
func shop() map[string]any {
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}
	web.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	web.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: web.Spec.Selector.MatchLabels}}
	ready := corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: at(time.Minute)},
	}, ContainerStatuses: []corev1.ContainerStatus{{Name: "app", Ready: true,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(time.Minute)}}}}}
	crashing := corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "app", RestartCount: 4,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff",
			Message: "back-off 1m20s restarting failed container=app pod=web-7d9-b_shop(1)"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, StartedAt: at(31 * time.Second), FinishedAt: at(30 * time.Second)}},
	}}}
	terminating := webPod("web-7d9-c", "node-b", ready)
	terminating.DeletionTimestamp, terminating.DeletionGracePeriodSeconds = new(at(-20*time.Second)), new(int64(30))
	pods := []corev1.Pod{webPod("web-7d9-a", "node-a", ready), webPod("web-7d9-b", "node-a", crashing), terminating}
	web.Spec.Template.Spec = *pods[0].Spec.DeepCopy()
	web.Spec.Template.Spec.NodeName = ""
	return map[string]any{
		"/version": map[string]string{"gitVersion": "v1.37.2"},
		"/apis/apps/v1/namespaces/shop/deployments/web":                 web,
		"/api/v1/namespaces/shop/pods":                                  corev1.PodList{Items: pods},
		"/api/v1/namespaces/shop/pods/web-7d9-b":                        &pods[1],
		"/api/v1/namespaces/shop/pods/web-7d9-c":                        &pods[2],
		"/api/v1/namespaces/shop/services":                              map[string]any{"items": []any{}},
		"/apis/policy/v1/namespaces/shop/poddisruptionbudgets":          map[string]any{"items": []any{}},
		"/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers": map[string]any{"items": []any{}},
		"/api/v1/nodes/node-a":                                          nodeOf("node-a", "v1.36.3"),
		"/api/v1/nodes/node-b":                                          nodeOf("node-b", "v1.34.4-gke.1047000"),
		"/api/v1/nodes/node-a/proxy/configz": map[string]any{
			"kubeletconfig": map[string]any{"syncFrequency": "1m0s", "shutdownGracePeriod": "0s"},
		},
		"/api/v1/nodes/node-b/proxy/configz": metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Code: http.StatusForbidden,
			Status: "Failure", Reason: metav1.StatusReasonForbidden,
		},
	}
}

func TestPredictACluster(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	config := "--kubeconfig=" + apiServer(t, shop())
	got := call(t.Context(), "predict", "deployment/web", "-n", "shop", config)
	t.Log(got.out)
	g.Expect(got.code).To(Equal(shell.Succeeded), got.log)
	g.Expect(strings.Join(strings.Fields(got.out), " ")).To(And(
		HavePrefix("context kind-shop: 1 workload, 1 container, by the rules of each pod's kubelet"),
		ContainSubstring("lacks the right to get nodes/proxy: `kubectl auth can-i get nodes/proxy` checks it. They "+
			"count "+
			"as configured like their release."),
		ContainSubstring("Deployment shop/web (kubelet v1.36.3 on node-a)"),
		ContainSubstring("web-7d9-b is in CrashLoopBackOff; container app is restarted after its back-off of 80 s: "+
			"in "),
		ContainSubstring("1 ready pod: nothing is due"),
		ContainSubstring("Deployment shop/web (kubelet v1.34.4 on node-b)"),
		ContainSubstring("web-7d9-c is being deleted, with a grace period of 30 s since"),
		ContainSubstring("SIGKILL to app, if a process still runs: in "),
	))

	var d v1alpha1.Prediction
	got = call(t.Context(), "predict", "deploy/web", "pod/web-7d9-b", config, "-o", "json")
	g.Expect(json.Unmarshal([]byte(got.out), &d)).To(Succeed(), got.log)
	g.Expect(d.Workloads).To(HaveLen(3), "the Deployment on two nodes, and a pod: %s", got.log)
	pod := d.Workloads[2]
	g.Expect(pod.Nodes).To(Equal([]string{"node-a"}))
	g.Expect(pod.Kubelet.Version).To(Equal("v1.36.3"))
	now, err := time.Parse(time.RFC3339, d.At)
	g.Expect(err).NotTo(HaveOccurred())
	earliest, err := time.Parse(time.RFC3339, pod.Pods[0].Events[0].Earliest)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(earliest.Sub(now)).To(BeNumerically("~", 50*time.Second, 3*time.Second))

	got = call(t.Context(), "predict", "pod/web-7d9-c", config)
	g.Expect(got.out).To(And(ContainSubstring("web-7d9-c is being deleted"), Not(ContainSubstring("Not covered"))))
	g.Expect(call(t.Context(), "predict", "deploy/web", config, "-o", "html").out).To(MatchRegexp(
		`<dt>Now</dt><dd>web-7d9-b is in CrashLoopBackOff; container app is restarted after its back-off of 80 s: in `))

	got = call(t.Context(), "predict", "deploy/web", config, "--kubernetes=v1.35.4", "--kubelet-config=k.yaml")
	g.Expect(got.log).To(ContainSubstring("--kubelet-config=k.yaml: open k.yaml"))
	kubelet := "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
	g.Expect(os.WriteFile("k.yaml", []byte(kubelet), 0o600)).To(Succeed())
	got = call(t.Context(), "predict", "deploy/web", config, "--kubernetes=v1.35.4", "--kubelet-config=k.yaml")
	g.Expect(got.out).To(And(ContainSubstring("(kubelet v1.35.4 on node-a, node-b)"), Not(ContainSubstring("Not "+
		"read"))))
}

// An argument is an object unless a file has its name.
func TestFilesComeBeforeObjects(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	config := "--kubeconfig=" + apiServer(t, shop())
	t.Setenv("KUBECONFIG", "none")
	g.Expect(os.MkdirAll("deployment", 0o700)).To(Succeed())
	g.Expect(os.WriteFile("deployment/web", []byte(hung), 0o600)).To(Succeed())
	g.Expect(call(t.Context(), "predict", "deployment/web").out).To(ContainSubstring("Pod web (document 2"))
	g.Expect(call(t.Context(), "predict", "deployments.apps/web", config).out).To(ContainSubstring("shop/web (kubelet"))
	for args, says := range map[string]string{
		"deployment/web -n shop": "--namespace is for objects of a cluster, such as deployment/web: TYPE is " +
			"pod, ",
		"deploy/web deployment/web":    "deployment/web is an object of a cluster and deployment/web a manifest",
		"-f deployment/web sts/db":     "statefulset/db is an object of a cluster and deployment/web a manifest",
		"widget/web":                   "there is no file widget/web; as an object of a cluster: there is no kube",
		"widget/web -f deployment/web": "read the manifest: open widget/web",
		"deployment/web.yaml":          "read the manifest: open deployment/web.yaml",
		"sts/db " + config: "there is no statefulset db in namespace shop of context kind-shop: `kubectl " +
			"get ",
		"deploy/web deploy/web":        "deployment/web is named twice",
		"deploy/web --context=nowhere": `the kubeconfig has no context "nowhere"`,
	} {
		if strings.Contains(args, "deploy/web ") {
			args += " " + config
		}
		got := call(t.Context(), append([]string{"predict"}, strings.Fields(args)...)...)
		g.Expect(got.code).To(Equal(shell.Failed), args)
		g.Expect(got.log).To(ContainSubstring(says), args)
	}
}

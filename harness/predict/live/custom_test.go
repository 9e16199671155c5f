package live

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/predict/manifest"
)

// resource is an entry of the API server's discovery.
func resource(plural, kind string, short ...string) metav1.APIResource {
	return metav1.APIResource{Name: plural, Kind: kind, ShortNames: short, Namespaced: true, Verbs: []string{"get"}}
}

// custom is a custom resource of the namespace shop.
func custom(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
	o.SetName(name)
	o.SetNamespace("shop")
	o.SetUID(named(name).UID)
	return o
}

// templateOf is a pod template as an API server returns it. Its newest field is from a later Kubernetes.
func templateOf(container string) map[string]any {
	return map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "web"}}, "spec": map[string]any{
		"terminationGracePeriodSeconds": 40, "isFromTheFuture": true,
		"containers": []any{map[string]any{"name": container, "image": "app"}},
	}}
}

// withCustom adds custom resources to the cluster.
func withCustom() api {
	a := cluster()
	delete(a, "/api/v1/namespaces/shop/pods")
	group := func(name, version string) metav1.APIGroup {
		v := metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version}
		return metav1.APIGroup{Name: name, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v}
	}
	a["/api"] = metav1.APIVersions{Versions: []string{"v1"}}
	a["/apis"] = metav1.APIGroupList{Groups: []metav1.APIGroup{group("apps", "v1"), group("argoproj.io", "v1alpha1"),
		group("apps.kruise.io", "v1beta1"), group("example.com", "v1")}}
	has := func(version string, all ...metav1.APIResource) {
		a["/apis/"+version] = metav1.APIResourceList{GroupVersion: version, APIResources: all}
	}
	nodes, gadgets := resource("nodes", "Node", "no"), resource("gadgets", "Gadget")
	nodes.Namespaced, gadgets.Namespaced = false, false
	a["/api/v1"] = metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{nodes}}
	has("apps/v1", resource("replicasets", "ReplicaSet", "rs"), resource("statefulsets", "StatefulSet", "sts"))
	has("argoproj.io/v1alpha1", resource("rollouts", "Rollout", "ro"))
	has("apps.kruise.io/v1beta1", resource("statefulsets", "StatefulSet", "sts", "asts"))
	has("example.com/v1", resource("widgets", "Widget", "wd"), gadgets)

	selector := map[string]any{"matchLabels": map[string]any{"app": "web"}}
	web := custom("argoproj.io/v1alpha1", "Rollout", "web",
		map[string]any{"selector": selector, "template": templateOf("app")})
	moved := custom("argoproj.io/v1alpha1", "Rollout", "moved", map[string]any{"workloadRef": nil})
	db := custom("apps.kruise.io/v1beta1", "StatefulSet", "db",
		map[string]any{"selector": selector, "template": templateOf("app")})
	widget := custom("example.com/v1", "Widget", "w", map[string]any{
		"selector": "none", "groups": []any{map[string]any{"template": templateOf("head")},
			map[string]any{"template": templateOf("worker")}},
	})
	a["/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/web"] = web
	a["/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/moved"] = moved
	a["/apis/apps.kruise.io/v1beta1/namespaces/shop/statefulsets/db"] = db
	a["/apis/example.com/v1/namespaces/shop/widgets/w"] = widget

	// The Widget makes a ReplicaSet by a StatefulSet of OpenKruise, to have one more step.
	between := custom("apps.kruise.io/v1beta1", "StatefulSet", "between", nil)
	between.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Widget", Name: "w",
		UID: widget.GetUID(), Controller: new(true)}})
	a["/apis/apps.kruise.io/v1beta1/namespaces/shop/statefulsets/between"] = between
	made := func(name, apiVersion, kind string, owner metav1.Object) *appsv1.ReplicaSet {
		set := &appsv1.ReplicaSet{ObjectMeta: named(name)}
		set.APIVersion, set.Kind = "apps/v1", "ReplicaSet"
		set.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: owner.GetName(),
			UID: owner.GetUID(), Controller: new(true)}}
		a["/apis/apps/v1/namespaces/shop/replicasets/"+name] = set
		return set
	}
	of := func(name, apiVersion, kind, container string, owner metav1.Object) corev1.Pod {
		p := podOf(name, "node-a", owner, kind)
		p.OwnerReferences[0].APIVersion, p.Spec.Containers[0].Name = apiVersion, container
		return p
	}
	set := made("web-5c", "argoproj.io/v1alpha1", "Rollout", web)
	other := made("web-5d", "argoproj.io/v1alpha1", "Rollout", &metav1.ObjectMeta{Name: "gone", UID: "gone"})
	widgets := made("w-5c", "apps.kruise.io/v1beta1", "StatefulSet", between)
	a["/api/v1/namespaces/shop/pods"] = corev1.PodList{Items: []corev1.Pod{
		of("web-5c-b", "apps/v1", "ReplicaSet", "app", set), of("web-5c-a", "apps/v1", "ReplicaSet", "app", set),
		of("web-5d-a", "apps/v1", "ReplicaSet", "app", other),
		of("db-0", "apps.kruise.io/v1beta1", "StatefulSet", "app", db),
		of("w-worker", "apps/v1", "ReplicaSet", "worker", widgets),
		of("w-head", "apps/v1", "ReplicaSet", "head", widgets),
		of("static", "v1", "Node", "app", &metav1.ObjectMeta{Name: "node-a", UID: "node"}),
		of("orphan", "apps/v1", "ReplicaSet", "app", &metav1.ObjectMeta{Name: "none", UID: "none"}),
		of("unknown", "gone.example.com/v1", "Gone", "app", &metav1.ObjectMeta{Name: "none", UID: "gone-too"}),
		podOf("stray", "", nil, ""),
	}}
	return a
}

func TestCustomResources(t *testing.T) {
	groups, err := manifest.ParseTemplate("example.com/Widget=.spec.groups[*].template")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	a := serve(t, withCustom())
	for name, want := range map[string][][]string{
		"rollout/web": {{"web-5c-a", "web-5c-b"}}, "ro/web": {{"web-5c-a", "web-5c-b"}},
		"Rollouts.argoproj.io/web":          {{"web-5c-a", "web-5c-b"}},
		"rollouts.v1alpha1.argoproj.io/web": {{"web-5c-a", "web-5c-b"}},
		"asts/db":                           {{"db-0"}}, "statefulset.apps.kruise.io/db": {{"db-0"}},
		"widget/w": {{"w-head"}, {"w-worker"}},
	} {
		g := NewWithT(t)
		n, is := Parse(name)
		g.Expect(is).To(BeTrue(), name)
		g.Expect(n.Custom()).To(BeTrue(), name)
		c, err := Read(t.Context(), a, []Name{n}, groups)
		g.Expect(err).NotTo(HaveOccurred(), name)
		var got [][]string
		for _, w := range c.Workloads {
			var pods []string
			for _, p := range w.Pods {
				pods = append(pods, p.Name)
			}
			got = append(got, pods)
			g.Expect(w.Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(BeEquivalentTo(40)), name)
			g.Expect(w.Line).To(BeZero())
		}
		g.Expect(got).To(Equal(want), name)
		g.Expect(c.Nodes["node-a"].Version).To(Equal("v1.36.3"))
		g.Expect(c.Unread).NotTo(ContainElement(ContainSubstring("whose some pods")), name)
	}
}

func TestErrorsOfCustomResources(t *testing.T) {
	rights := withCustom()
	rights["/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/secret"] = forbidden()
	rights["/apis/apps/v1/namespaces/shop/replicasets/web-5c"] = forbidden()
	a := serve(t, rights)
	for name, says := range map[string]string{
		"thing/web": "there is no file thing/web; as an object of a cluster: the API server of context shop has no " +
			"such TYPE: `kubectl api-resources` lists them",
		"rollout/none": "there is no rollout none in namespace shop of context shop: `kubectl get " +
			"rollouts.argoproj.io -n shop` lists them, and -n names another namespace",
		"ro/secret": "the user of context shop lacks the right to get rollouts.argoproj.io in namespace shop: " +
			"`kubectl auth can-i get rollouts.argoproj.io -n shop` checks it",
		"ro/moved": "rollout.argoproj.io/moved has no pod template that podclock knows: name its path, such as " +
			"--template-path=example.com/Widget=.spec.template, or predict the object that makes its pods",
		"wd/w": "widget.example.com/w has no pod template that podclock knows: name its path, such as " +
			"--template-path=example.com/Widget=.spec.template, or predict the object that makes its pods",
		"no/a": "there is no file no/a; as an object of a cluster: nodes are in no namespace: podclock reads objects " +
			"of a namespace",
		"gadget/g": "there is no file gadget/g; as an object of a cluster: gadgets.example.com are in no namespace: " +
			"podclock reads objects of a namespace",
	} {
		_, err := read(t, a, name)
		NewWithT(t).Expect(err).To(MatchError(says), name)
	}
	g := NewWithT(t)
	_, err := read(t, a, "rollout/web", "ro/web")
	g.Expect(err).To(MatchError("rollout.argoproj.io/web is named twice: name it once"))
	_, err = read(t, Access{Access: kubeconfig.Access{Kubeconfig: "/none"}}, "rollout/web")
	g.Expect(err).To(MatchError(HavePrefix("there is no file rollout/web; as an object of a cluster: read the kube")))
	c, err := read(t, a, "rollout/web")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Workloads[0].Pods).To(BeEmpty())
	g.Expect(c.Unread).To(ContainElement("Not read: whose some pods are, and perhaps some of " +
		"rollout.argoproj.io/web: the user of context shop lacks the right to get replicasets.apps in " +
		"namespace shop: `kubectl auth can-i get replicasets.apps -n shop` checks it."))
}

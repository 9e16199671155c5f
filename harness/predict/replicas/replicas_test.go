package replicas

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Surges are rounded up, what is unavailable down. If both are 0 then, one pod may be unavailable.
func TestAtOnce(t *testing.T) {
	for _, c := range []struct {
		surge, unavailable string
		pods, want         int
	}{
		{"25%", "25%", 1, 1}, {"25%", "25%", 3, 1}, {"25%", "25%", 4, 2}, {"25%", "25%", 10, 5}, {"0", "25%", 3, 1},
		{"1", "0", 3, 1}, {"100%", "0", 3, 3}, {"200%", "100%", 3, 3}, {"2", "3", 10, 5},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			d := &manifest.Controller{MaxSurge: intstr.Parse(c.surge), MaxUnavailable: intstr.Parse(c.unavailable)}
			NewWithT(t).Expect(AtOnce(d, c.pods, formula.Kubelet{Version: "v1.37.2"})).To(Equal(c.want))
		})
	}
	s := &manifest.Controller{Ordered: true, MaxUnavailable: intstr.Parse("40%")}
	g := NewWithT(t)
	g.Expect(AtOnce(s, 9, formula.Kubelet{Version: "v1.37.2"})).To(Equal(3))
	g.Expect(AtOnce(s, 2, formula.Kubelet{Version: "v1.37.2"})).To(Equal(1), "at least one")
	g.Expect(AtOnce(s, 9, formula.Kubelet{Version: "v1.36.5"})).To(Equal(1), "the field is ignored")
}

// workload is an object whose pods have the label app with its name.
func workload(kind, name, replicas string) string {
	version, spec := "apps/v1", "  selector: {matchLabels: {app: "+name+"}}\n"
	switch kind {
	case "Job":
		version, spec = "batch/v1", ""
	case "Pod":
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {app: " + name + "}}\nspec:\n" +
			"  containers: [{name: app, image: i}]\n"
	}
	if replicas != "" {
		spec += "  replicas: " + replicas + "\n"
	}
	return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec:\n" + spec +
		"  template:\n    metadata: {labels: {app: " + name + "}}\n    spec:\n      restartPolicy: " +
		map[bool]string{true: "Never", false: "Always"}[kind == "Job"] + "\n      containers: [{name: app, image: i}]\n"
}

// budget selects the pods with some values of the label app.
func budget(name, limit string, apps ...string) string {
	return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + name + "}\nspec: {" + limit +
		", selector: {matchExpressions: [{key: app, operator: In, values: [" + strings.Join(apps, ", ") + "]}]}}\n"
}

func read(t *testing.T, text string) manifest.Manifest {
	t.Helper()
	m, err := manifest.Read(strings.NewReader(text), "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return m
}

func TestBudgets(t *testing.T) {
	scaled := "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n" +
		"spec: {minReplicas: 1, maxReplicas: 4, scaleTargetRef: {kind: Deployment, name: a}}\n"
	deployment := func(replicas, limit string) string {
		return workload("Deployment", "a", replicas) + budget("b", limit, "a")
	}
	withJob := func(limit string) string {
		return workload("Deployment", "a", "3") + workload("Job", "j", "") + budget("b", limit, "a", "j")
	}
	pod, one := workload("Pod", "a", ""), workload("Deployment", "a", "1")
	const onlyOne = "minAvailable 1, and there is only 1 pod"
	for name, c := range map[string]struct {
		text   string
		allows *Range
		blocks string
	}{
		"a number":      {deployment("3", "minAvailable: 1"), &Range{2, 2}, ""},
		"all":           {deployment("3", "minAvailable: 3"), &Range{}, "minAvailable 3, and there are only 3 pods"},
		"more than all": {deployment("1", "minAvailable: 2"), &Range{}, "minAvailable 2, and there is only 1 pod"},
		"the default":   {deployment("", "minAvailable: 1"), &Range{}, onlyOne + " by default"},
		"a share, up": {
			deployment("3", "minAvailable: 67%"), &Range{}, "minAvailable 67% of 3 pods, rounded up, is 3",
		},
		"a share":           {deployment("3", "minAvailable: 66%"), &Range{1, 1}, ""},
		"unavailable, up":   {deployment("3", "maxUnavailable: 34%"), &Range{2, 2}, ""},
		"none unavailable":  {deployment("3", "maxUnavailable: 0"), nil, "maxUnavailable 0"},
		"none of a default": {deployment("", "maxUnavailable: 0%"), nil, "maxUnavailable 0%"},
		"a Job beside all": {
			withJob("minAvailable: 100%"), nil,
			"minAvailable 100% is a share of replicas, and Job j has none: it allows no eviction while pods of Job j " +
				"exist",
		},
		"no limit": {
			deployment("3", "unhealthyPodEvictionPolicy: AlwaysAllow"), nil,
			"it has neither minAvailable nor maxUnavailable",
		},
		"autoscaled": {deployment("", "minAvailable: 1") + scaled, &Range{0, 3}, ""},
		"no pods":    {deployment("0", "minAvailable: 1"), nil, ""},
		"two workloads": {
			one + workload("Deployment", "b", "1") + budget("b", "minAvailable: 1", "a", "b"), &Range{1, 1}, "",
		},
		"a workload, twice": {one + deployment("1", "minAvailable: 1"), &Range{}, onlyOne},
		"a bare pod": {
			pod + budget("b", "maxUnavailable: 1", "a"), nil,
			"maxUnavailable 1 is a share of a controller's replicas, and no controller makes the pod",
		},
		"a bare pod, number": {pod + budget("b", "minAvailable: 0", "a"), &Range{1, 1}, ""},
		"a Job beside it": {
			withJob("maxUnavailable: 1"), nil,
			"maxUnavailable 1 is a share of replicas, and Job j has none: it allows no eviction while pods of Job j " +
				"exist",
		},
		"a Job beside a number": {withJob("minAvailable: 1"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g, found := NewWithT(t), Budgets(read(t, c.text))[0]
			g.Expect(found).To(HaveLen(1))
			g.Expect(found[0].Allows).To(Equal(c.allows))
			g.Expect(found[0].Blocks).To(Equal(c.blocks))
			g.Expect(found[0].Fix != "").To(Equal(c.blocks != ""), found[0].Fix)
		})
	}
}

// An overlay repeats a budget of its base: it does not count twice.
func TestBudgetsOfOneName(t *testing.T) {
	const base, overlay = "minAvailable: 3", "minAvailable: 1"
	m := read(t, workload("Deployment", "a", "3")+budget("b", base, "a")+budget("b", overlay, "a"))
	found := Budgets(m)[0]
	NewWithT(t).Expect(found).To(HaveLen(1))
	NewWithT(t).Expect(found[0].Blocks).To(BeEmpty())
}

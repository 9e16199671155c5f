package manifest

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// made is an object of apps/v1 with further fields of its spec.
func made(kind, spec string) string {
	return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: a, namespace: shop}\nspec:\n" + spec +
		"  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n" +
		"      containers: [{name: app, image: i}]\n"
}

func TestControllersHaveDefaults(t *testing.T) {
	one, none, quarter := intstr.FromInt32(1), intstr.FromInt32(0), intstr.FromString("25%")
	for name, c := range map[string]struct {
		text string
		want *Controller
	}{
		"a Deployment": {made("Deployment", ""), &Controller{
			Replicas: 1, Strategy: RollingUpdate, MaxSurge: quarter, MaxUnavailable: quarter,
			ProgressDeadlineSeconds: new(int32(600)), strategyField: "strategy",
		}},
		"a Deployment without a deadline": {
			made("Deployment", "  replicas: 0\n  paused: true\n  progressDeadlineSeconds: 2147483647\n"+
				"  strategy: {rollingUpdate: {maxSurge: 1}}\n"),
			&Controller{
				Given: true, Paused: true, Strategy: RollingUpdate, MaxSurge: one, MaxUnavailable: quarter,
				strategyField: "strategy", rolling: true,
			},
		},
		"a StatefulSet": {made("StatefulSet", "  minReadySeconds: 3\n"), &Controller{
			Replicas: 1, Ordered: true, Strategy: RollingUpdate, MaxUnavailable: one, MinReadySeconds: 3,
			strategyField: "updateStrategy",
		}},
		"a DaemonSet": {made("DaemonSet", ""), &Controller{
			PerNode: true, Strategy: RollingUpdate, MaxSurge: none, MaxUnavailable: one,
			strategyField: "updateStrategy",
		}},
		"a ReplicaSet": {made("ReplicaSet", "  replicas: 2\n"), &Controller{Replicas: 2, Given: true}},
		"a Pod": {
			"{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: i}]}}", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := read(c.text, "")
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			NewWithT(t).Expect(m.Objects[0].Controller).To(Equal(c.want))
		})
	}
}

// The API server refuses each of these fields.
func TestControllersAreValidated(t *testing.T) {
	budget := func(spec string) string {
		return "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {" + spec + "}}"
	}
	const rolling, updating = "spec.strategy.rollingUpdate", "spec.updateStrategy.rollingUpdate"
	const operator = "spec.selector.matchExpressions[0].operator"
	const none = "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}\n"
	for _, c := range []struct{ field, text string }{
		{"spec.replicas", made("Deployment", "  replicas: -1\n")},
		{"spec.progressDeadlineSeconds", made("Deployment", "  minReadySeconds: 600\n")},
		{"spec.strategy.type", made("Deployment", "  strategy: {type: OnDelete}\n")},
		{rolling + ".maxUnavailable", made("Deployment", none)},
		{rolling + ".maxUnavailable", made("Deployment", "  strategy: {rollingUpdate: {maxUnavailable: 101%}}\n")},
		{rolling + ".maxSurge", made("Deployment", "  strategy: {rollingUpdate: {maxSurge: 1.5}}\n")},
		{rolling, made("Deployment", "  strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}\n")},
		{updating + ".partition", made("StatefulSet", "  updateStrategy: {rollingUpdate: {partition: -1}}\n")},
		{updating + ".maxUnavailable", made("StatefulSet", "  updateStrategy: {rollingUpdate: {maxUnavailable: 0}}\n")},
		{updating + ".maxSurge", made("DaemonSet", "  updateStrategy: {rollingUpdate: {maxSurge: 1}}\n")},
		{"spec", budget("minAvailable: 1, maxUnavailable: 1")},
		{"spec.maxUnavailable", budget("maxUnavailable: 101%")},
		{"spec.maxUnavailible", budget("maxUnavailible: 1")},
		{"spec.unhealthyPodEvictionPolicy", budget("unhealthyPodEvictionPolicy: Always")},
		{operator, budget("selector: {matchExpressions: [{key: a, operator: Is}]}")},
	} {
		t.Run(c.field, func(t *testing.T) {
			NewWithT(t).Expect(problems(t, c.text)).To(ContainElement(HaveField("Field", c.field)), c.text)
		})
	}
	_, err := read(made("Deployment", "  strategy: {rollingUpdate: {maxSurge: 150%}}\n"), "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), "a surge has no limit")
}

func TestBudgetsSelect(t *testing.T) {
	for selector, selects := range map[string]bool{
		"{matchLabels: {a: b}}": true, "{}": true, "null": false, "{matchLabels: {a: c}}": false,
		"{matchExpressions: [{key: a, operator: Exists}]}": true,
	} {
		t.Run(selector, func(t *testing.T) {
			g := NewWithT(t)
			budget := func(namespace string) string {
				return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a, namespace: " +
					namespace + "}\nspec: {maxUnavailable: 1, selector: " + selector + "}\n"
			}
			m, err := read(made("Deployment", "")+budget("shop")+budget("bank"), "a.yaml")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(m.Skipped).To(BeEmpty())
			g.Expect(m.Budgets).To(HaveLen(2))
			g.Expect(m.Budgets[0].Selects("shop", m.Objects[0].Pod.Labels)).To(Equal(selects))
			g.Expect(m.Budgets[1].Selects("shop", m.Objects[0].Pod.Labels)).To(BeFalse(), "it is in another namespace")
		})
	}
}

// Autoscalers of every version are read, and are skipped otherwise.
func TestAutoscalers(t *testing.T) {
	g := NewWithT(t)
	m, err := read("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\n"+
		"spec: {maxReplicas: 5, scaleTargetRef: {kind: Deployment, name: a}}\n---\n"+made("Deployment", ""), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Autoscalers).To(Equal([]Autoscaler{
		{Namespace: "shop", Name: "h", Kind: "Deployment", Target: "a", Min: 1, Max: 5},
	}))
	g.Expect(m.Autoscalers[0].Scales("shop", "Deployment", "a")).To(BeTrue())
	g.Expect(m.Skipped).To(Equal([]Skipped{{Kind: "HorizontalPodAutoscaler", Count: 1}}))
}

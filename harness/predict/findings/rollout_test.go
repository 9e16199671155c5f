package findings

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestFindingsOfRollouts(t *testing.T) {
	const startup = "startupProbe: {httpGet: {port: 80}, failureThreshold: 30}"
	const port = "startupProbe: {httpGet: {port: http}}"
	const stuck = "error rollout-stuck 4 spec.podManagementPolicy: a new pod is never ready, because the " +
		"startupProbe of container app never succeeds: the rollout stops at it, and goes on only if it is deleted, " +
		"even after a correction"
	const unknown = "error port-unknown"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a start within the deadline":  {object("Deployment", "", startup), nil},
		"a start without any deadline": {object("Deployment", "progressDeadlineSeconds: 2147483647", startup), nil},
		"a start of a StatefulSet":     {object("StatefulSet", "", startup), nil},
		"a start that may be too long": {object("Deployment", "progressDeadlineSeconds: 289", startup), []string{
			"warning start-exceeds-progress-deadline 5 spec.progressDeadlineSeconds: the startup probe of container " +
				"app allows it 303.7 s to start, but the Deployment counts as failed 289 s after its last progress",
		}},
		"starts one after another": {
			object("Deployment", "progressDeadlineSeconds: 400", startup) + "      initContainers:\n" +
				"      - {name: proxy, image: p, restartPolicy: Always, " + startup + "}\n", []string{
				"warning start-exceeds-progress-deadline 5 spec.progressDeadlineSeconds: the startup probes of " +
					"containers proxy, app allow them 607.4 s to start, one after another, but the Deployment counts " +
					"as failed 400 s after its last progress",
			}},
		"a start that is too long": {
			object("Deployment", "progressDeadlineSeconds: 60",
				"readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 61}"), []string{
				"error start-exceeds-progress-deadline 5 spec.progressDeadlineSeconds: container app is not ready " +
					"before its readiness probe's delay of 61 s, but the Deployment counts as failed 60 s after its " +
					"last progress",
			}},
		"in order":         {object("StatefulSet", "replicas: 3", port), []string{stuck, unknown}},
		"in parallel":      {object("StatefulSet", "podManagementPolicy: Parallel", port), []string{unknown}},
		"not in a rollout": {object("StatefulSet", "updateStrategy: {type: OnDelete}", port), []string{unknown}},
		"a budget of all": {object("Deployment", "replicas: 2", "") + "---\n" + budget("minAvailable: 100%"), []string{
			"warning budget-blocks-eviction 8 spec.template.metadata.labels: PodDisruptionBudget minavailable never " +
				"allows an eviction of the pods: minAvailable 100%",
		}},
		"a budget of all by default": {object("Deployment", "", "") + "---\n" + budget("minAvailable: 1"), []string{
			"note budget-blocks-eviction 7 spec.template.metadata.labels: PodDisruptionBudget minavailable never " +
				"allows an eviction of the pods: minAvailable 1, and there is only 1 pod by default",
		}},
		"none of a default": {object("Deployment", "", "") + "---\n" + budget("maxUnavailable: 0"), []string{
			"warning budget-blocks-eviction 7 spec.template.metadata.labels: PodDisruptionBudget maxunavailable " +
				"never allows an eviction of the pods: maxUnavailable 0",
		}},
		"a DaemonSet is not evicted": {object("DaemonSet", "", "") + "---\n" + budget("maxUnavailable: 0"), nil},
		"two budgets": {
			object("Deployment", "replicas: 3", "") + "---\n" + budget("minAvailable: 1") + "---\n" +
				budget("maxUnavailable: 1"), []string{
				"error two-budgets 8 spec.template.metadata.labels: PodDisruptionBudget maxunavailable and " +
					"PodDisruptionBudget minavailable select the pods: the API server refuses to evict them, with " +
					"error 500",
			}},
		"a bare pod": {
			"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {app: web}\nspec:\n" +
				indent(example("", ""), 2) + "---\n" + budget("maxUnavailable: 1"), []string{
				"warning budget-blocks-eviction 5 metadata.labels: PodDisruptionBudget maxunavailable never allows " +
					"an eviction of the pods: maxUnavailable 1 is a share of a controller's replicas, and no " +
					"controller makes the pod",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			g, got := NewWithT(t), foundIn(t, c.text, newest)
			g.Expect(got).To(HaveLen(len(c.want)))
			for i := range c.want {
				g.Expect(got[i]).To(HavePrefix(c.want[i]))
			}
		})
	}
}

package sentences

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/manifest"
)

// Each row is a controller, what else is in the manifest, and one sentence.
func TestSentencesOfControllers(t *testing.T) {
	const ordered = "1 at a time, the highest ordinal first"
	const autoscaled = "\n---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, " +
		"spec: {minReplicas: 2, maxReplicas: 4, scaleTargetRef: {kind: Deployment, name: a}}}"
	budget := func(name, limit string) string {
		return "\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " + name + "}, spec: {" +
			limit + ", selector: {matchLabels: {a: b}}}}"
	}
	for name, c := range map[string]struct{ kind, spec, others, label, says string }{
		"one pod": {"Deployment", "", "", "Rollout", "1 pod: 0 to 2 s, plus the time to schedule and start a pod"},
		"three pods": {
			"Deployment", "replicas: 3,", "", "Rollout",
			"3 pods, 1 at a time: 0 to 6 s, plus 3 times the time to schedule and start a pod",
		},
		"a batch": {
			"Deployment", "replicas: 3, strategy: {rollingUpdate: {maxSurge: 100%}},", "", "Rollout",
			"3 pods, all at once: 0 to 2 s, plus the time to schedule and start a pod",
		},
		"recreated": {
			"Deployment", "replicas: 3, strategy: {type: Recreate},", "", "Rollout",
			"new pods start when all old ones are gone: 0 to 38.6 s, plus the time to schedule and start a pod",
		},
		"paused": {"Deployment", "paused: true,", "", "Rollout", "never, because the Deployment is paused"},
		"autoscaled": {
			"Deployment", "", autoscaled, "Rollout",
			"maxSurge 25% and maxUnavailable 25% of the replicas at a time: 0 to 2 s each time, plus the time to " +
				"schedule and start a pod",
		},
		"ordered": {
			"StatefulSet", "replicas: 2,", "", "Rollout",
			"2 pods, " + ordered + ": 0 to 77.1 s, plus 2 times the time to schedule and start a pod",
		},
		"by hand": {
			"DaemonSet", "updateStrategy: {type: OnDelete},", "", "Rollout",
			"never, because each pod is replaced only when it is deleted (OnDelete)",
		},
		"a node": {
			"DaemonSet", "", "", "Rollout",
			"1 node at a time: 0 to 38.6 s each time, plus the time to schedule and start a pod",
		},
		"nodes": {
			"DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 10%}},", "", "Rollout",
			"10% of the nodes at a time: 0 to 38.6 s each time, plus the time to schedule and start a pod",
		},
		"to none":     {"Deployment", "replicas: 3,", "", "Scale-down", "all pods at once, gone 0 to 36.6 s later"},
		"one to none": {"StatefulSet", "", "", "Scale-down", "the pod is gone 0 to 36.6 s later"},
		"to none, in order": {
			"StatefulSet", "replicas: 2,", "", "Scale-down", "to no pods, " + ordered + ": 0 to 73.1 s",
		},
		"blocked": {
			"Deployment", "replicas: 2,", budget("b", "minAvailable: 2"), "Drain",
			"never, because PodDisruptionBudget b blocks it: minAvailable 2, and there are only 2 pods",
		},
		"two budgets": {
			"Deployment", "replicas: 2,", budget("b", "minAvailable: 1") + budget("c", "minAvailable: 1"), "Drain",
			"never, because PodDisruptionBudgets b and c both select the pods, so that the API server refuses an " +
				"eviction",
		},
		"blocked, without replicas": {
			"Job", "", budget("b", "maxUnavailable: 1"), "Drain",
			"never, because PodDisruptionBudget b blocks it: maxUnavailable 1 is a share of replicas, and Job a has " +
				"none: it allows no eviction while pods of Job a exist",
		},
		"limited": {
			"Deployment", "replicas: 3,", budget("b", "maxUnavailable: 1"), "Drain",
			"as a delete; PodDisruptionBudget b allows 1 of 3 pods at a time, each time when new ones are ready: all " +
				"are gone after 0 to 50.6 s, plus 2 times the time to schedule and start a pod",
		},
		"not limited": {
			"Deployment", "replicas: 3,", budget("b", "maxUnavailable: 3"), "Drain",
			"as a delete; PodDisruptionBudget b allows all at once",
		},
		"limited, autoscaled": {
			"Deployment", "", autoscaled + budget("b", "minAvailable: 1"), "Drain",
			"as a delete; PodDisruptionBudget b allows 1 to 3 pods at a time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			text := "{apiVersion: apps/v1, kind: " + c.kind + ", metadata: {name: a}, spec: {" + c.spec +
				" selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: " +
				"[{name: app, image: i}]}}}}" + c.others
			if c.kind == "Job" {
				text = strings.NewReplacer("apps/v1", "batch/v1", "selector: {matchLabels: {a: b}}, template",
					"template", "spec: {containers", "spec: {restartPolicy: Never, containers").Replace(text)
			}
			m, err := manifest.Read(strings.NewReader(text), name)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(All(first(m))).To(ContainElement(Sentence{c.label, c.says}))
		})
	}
}

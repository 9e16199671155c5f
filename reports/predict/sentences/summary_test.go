package sentences

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// first predicts the first workload of a manifest.
func first(m manifest.Manifest) predict.Prediction {
	return predict.All(predict.Workloads(m), formula.Kubelet{Version: formula.NewestKnown}, predict.Options{})[0]
}

// Each row is a manifest's pod, and what one of all its sentences has.
func TestAll(t *testing.T) {
	const app, probed = "containers: [{name: app, image: i}]",
		"{name: %, image: i, livenessProbe: {httpGet: {port: 80}}, readinessProbe: {httpGet: {port: 80}}}"
	const hung = "restarted 19.8 to 65.3 s after it stops answering its liveness probe, and if it never answers " +
		"again, its first 3 restarts come at once, later ones after 0 to 333 s"
	several := func(names ...string) string {
		for i, name := range names {
			names[i] = strings.Replace(probed, "%", name, 1)
		}
		return "containers: [" + strings.Join(names, ", ") + "]"
	}
	for name, c := range map[string]struct{ kind, spec, label, says string }{
		"a pod's delete": {"Pod", app, "Delete", "SIGTERM within 2.6 s; SIGKILL after 30 to 32.6 s, if the process"},
		"a hook": {
			"Pod", "containers: [{name: app, image: i, lifecycle: {preStop: {sleep: {seconds: 5}}}}]", "Delete",
			"SIGTERM after 5 to 7.6 s, when the preStop hook or its time is over",
		},
		"a critical pod": {
			"Pod", "priorityClassName: system-node-critical, " + app, "Eviction", "never, because the pod is critical",
		},
		"an ordinary pod":   {"Pod", app, "Eviction", "SIGTERM within 12.6 s; SIGKILL after 1.9 to 14.8 s"},
		"no liveness probe": {"Pod", app, "Hung", "no restart without a liveness probe"},
		"one that hangs":    {"Pod", several("app"), "Hung", hung},
		"two that hang": {
			"Pod", several("app", "log"), "Hung",
			hung + "; if all hang at once, they are killed one after another, and restarted after 19.8 to 99.4 s",
		},
		"two that hang in a pod that is never restarted": {
			"Pod", "restartPolicy: Never, " + several("app", "log"), "Hung",
			"; those that hang together may be killed one after another",
		},
		"one of two": {
			"Pod", strings.Replace(several("app"), "]", ", {name: log, image: i}]", 1), "Hung",
			"app: " + hung + "; log: no restart without a liveness probe",
		},
		"never restarted, hung": {"Pod", "restartPolicy: Never, " + several("app"), "Hung", "stopped 19.8 to"},
		"a sidecar of a pod that is never restarted": {
			"Pod", "restartPolicy: Never, " + several("app") +
				", initContainers: [{restartPolicy: Always, " +
				strings.Replace(probed, "{name: %", "name: log", 1) + "]",
			"Hung", "log: restarted",
		},
		"a hook that holds the start": {
			"Pod", "containers: [{name: app, image: i, readinessProbe: {httpGet: {port: 80}}, " +
				"lifecycle: {postStart: {exec: {command: [sleep, '30']}}}}]", "Ready",
			"30 to 45.7 s after its start; out of its Services 19.8 to 33.6 s",
		},
		"a hook that holds the other container's start": {
			"Pod", "containers: [{name: app, image: i, startupProbe: {httpGet: {port: 80}}}, " +
				"{name: log, image: i, lifecycle: {postStart: {exec: {command: [sh, -c, sleep 30; warm-up]}}}}]",
			"Ready", "killed 50 to 68.5 s after its start if its startup probe never succeeds, and its first 5 " +
				"restarts come at once, later ones after 0 to 333 s; log: as soon as its postStart hook is done, " +
				"without a readiness probe; later if the postStart hook takes longer than 30 s",
		},
		"lives that leave no back-off": {
			"Pod", "containers: [{name: app, image: i, livenessProbe: {httpGet: {port: 80}, periodSeconds: 180}}]",
			"Hung", "restarted 360 to 575 s after it stops answering its liveness probe, and if it never answers " +
				"again, each restart comes at once",
		},
		"a disk": {"Pod", app, "Eviction", "when a disk runs low, the kubelet first deletes dead containers"},
		"a hook of one of two": {
			"Pod", "containers: [{name: app, image: i}, " +
				"{name: log, image: i, lifecycle: {preStop: {sleep: {seconds: 5}}}}]",
			"Delete", "app: SIGTERM within 2.6 s; SIGKILL after 30 to 32.6 s, if the process still runs; log: SIGTERM",
		},
		"a startup probe that never succeeds": {
			"Pod", "containers: [{name: app, image: i, startupProbe: {httpGet: {port: 80}}}]", "Ready",
			"killed 20 to 33.7 s after its start if its startup probe never succeeds, and its first 3 " +
				"restarts come at once, later ones after 0 to 333 s",
		},
		"a startup probe of a pod that is never restarted": {
			"Pod", "restartPolicy: Never, containers: [{name: app, image: i, startupProbe: {httpGet: {port: 80}}}]",
			"Ready", "after its start if its startup probe never succeeds",
		},
		"an exit code that restarts all": {
			"Pod", app + ", initContainers: [{name: watcher, image: i, restartPolicy: Always, restartPolicyRules: " +
				"[{action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}]}]", "Crash loop",
			"each end of container watcher with exit code 88 restarts all containers, without a back-off: those that " +
				"run get SIGTERM without their hooks, and SIGKILL 2 s later",
		},
		"a startup probe alone": {
			"Pod", "containers: [{name: app, image: i, startupProbe: {httpGet: {port: 80}}}]", "Ready",
			"as soon as its startup probe succeeds",
		},
		"an emptyDir's drain": {
			"Deployment", "volumes: [{name: v, emptyDir: {}}], " + app, "Drain", "--delete-emptydir-data",
		},
		"two policies": {
			"Pod", "containers: [{name: app, image: i}, {name: log, image: i, restartPolicy: Never}]", "Crash loop",
			"log: never restarted",
		},
		"never restarted, crashed": {"Pod", "restartPolicy: Never, " + app, "Crash loop", "never restarted"},
		"a crash loop": {
			"Pod", app, "Crash loop", "restarted after 0, 10, 20, 40, 80, 160, then every 300 s, each at most 33 s",
		},
		"a readiness probe": {"Pod", several("app"), "Ready", "after its start; out of its Services 19.8 to"},
		"an impossible probe": {
			"Pod", "containers: [{name: app, image: i, readinessProbe: {httpGet: {port: http}}}]", "Ready",
			"never, because its readinessProbe never succeeds",
		},
		"no readiness probe":   {"Pod", app, "Ready", "as soon as it runs, without a readiness probe"},
		"a bare pod's drain":   {"Pod", app, "Drain", "needs --force"},
		"a DaemonSet's drain":  {"DaemonSet", app, "Drain", "needs --ignore-daemonsets"},
		"a Deployment's drain": {"Deployment", app, "Drain", "as soon as every PodDisruptionBudget allows it"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			text := "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {" + c.spec + "}}"
			if c.kind != "Pod" {
				text = "{apiVersion: apps/v1, kind: " + c.kind + ", metadata: {name: a}, spec: {selector: " +
					"{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {" + c.spec + "}}}}"
			}
			m, err := manifest.Read(strings.NewReader(text), name)
			g.Expect(err).NotTo(HaveOccurred())
			all := All(first(m))
			g.Expect(all).To(HaveLen(map[string]int{"Pod": 8, "DaemonSet": 9, "Deployment": 10}[c.kind]))
			says := HaveField("Description", ContainSubstring(c.says))
			g.Expect(all).To(ContainElement(And(HaveField("Label", c.label), says)))
		})
	}
}

// A Job of one restart has no "each".
func TestCrashLoopOfOneRestart(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader("{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: "+
		"{backoffLimit: 1, template: {spec: {restartPolicy: OnFailure, containers: [{name: app, image: i}]}}}}"), "")
	g.Expect(err).NotTo(HaveOccurred())
	all := All(first(m))
	g.Expect(all).To(ContainElement(HaveField("Description", HavePrefix("restarted after 0 s, at most 3.3 s later"))))
}

package sentences

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Each row is a workload's kind, its pod, what else is in the manifest, and one short answer.
func TestShort(t *testing.T) {
	const app = "containers: [{name: app, image: i}]"
	probed := func(name, more string) string {
		return "{name: " + name + ", image: i, livenessProbe: {tcpSocket: {port: 80}}" + more + "}"
	}
	hook := func(seconds string) string { return ", lifecycle: {preStop: {sleep: {seconds: " + seconds + "}}}" }
	containers := func(all ...string) string { return "containers: [" + strings.Join(all, ", ") + "]" }
	const sidecar = ", initContainers: [{name: proxy, image: i, restartPolicy: Always}]"
	const ready = ", readinessProbe: {tcpSocket: {port: 80}}"
	const startup = ", startupProbe: {tcpSocket: {port: 80}, failureThreshold: 30}"
	const budget = "\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %}, spec: {" +
		"LIMIT, selector: {matchLabels: {a: b}}}}"
	limited := func(name, limit string) string {
		return strings.NewReplacer("%", name, "LIMIT", limit).Replace(budget)
	}
	for name, c := range map[string]struct{ kind, spec, others, label, says string }{
		"a delete": {"Pod", app, "", "Delete", "SIGTERM within 3 s, SIGKILL after 30 to 33 s if alive"},
		"a deadline": {
			"Pod", "activeDeadlineSeconds: 20, " + app, "", "Ready",
			"as soon as it runs, without a readiness probe; the deadline ends it after 20 to 23 s",
		},
		"a deadline before the container is ready": {
			"Pod", "activeDeadlineSeconds: 10, " +
				containers(probed("app", ", readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 60}")),
			"", "Ready", "never; the deadline ends it after 10 to 13 s",
		},
		"a deadline before the liveness probe kills": {
			"Pod", "activeDeadlineSeconds: 10, " + containers(probed("app", "")), "", "Hung",
			"no restart: the deadline ends the pod first",
		},
		"a liveness probe without a port": {
			"Pod", "containers: [{name: app, image: i, livenessProbe: {tcpSocket: {port: web}}}]", "", "Hung",
			"no restart by its liveness probe",
		},
		"a hook": {
			"Pod", containers(probed("app", hook("20"))), "", "Delete",
			"SIGTERM after 20 to 23 s, SIGKILL after 30 to 33 s if alive",
		},
		"two main containers": {
			"Pod", containers(probed("app", hook("20")), probed("log", hook("5"))), "", "Delete",
			"SIGTERM after 5 to 23 s, SIGKILL after 30 to 33 s if alive",
		},
		"a sidecar": {
			"Pod", app + sidecar, "", "Delete",
			"SIGTERM within 3 s, SIGKILL after 30 to 33 s if alive; sidecars are dead by 36 s",
		},
		"a long grace": {
			"Pod", "terminationGracePeriodSeconds: 3600, " + app, "", "Delete",
			"SIGTERM within 3 s, SIGKILL after 60 to 60.1 min if alive",
		},
		"no liveness probe": {"Pod", app, "", "Hung", "no restart without a liveness probe"},
		"one that hangs":    {"Pod", containers(probed("app", "")), "", "Hung", "restarted after 19 to 66 s"},
		"two that hang, alone or together": {
			"Pod", containers(probed("app", ""), probed("log", "")), "", "Hung", "restarted after 19 to 100 s",
		},
		"two that hang, one of them slowly": {
			"Pod", containers(probed("app", ""), "{name: log, image: i, livenessProbe: {tcpSocket: {port: 80}, "+
				"periodSeconds: 30, failureThreshold: 5}}"), "", "Hung",
			"app: restarted after 19 to 100 s; log: restarted after 119 to 220 s",
		},
		"two that hang and are never restarted": {
			"Pod", "restartPolicy: Never, " + containers(probed("app", ""), probed("log", "")), "", "Hung",
			"stopped after 19 to 33 s, or later if several hang",
		},
		"two, and one is restarted": {
			"Pod", "restartPolicy: Never, " + containers(probed("app", "")) +
				", initContainers: [" + probed("proxy", ", restartPolicy: Always") + "]", "", "Hung",
			"app: stopped after 19 to 33 s; proxy: restarted after 19 to 66 s, or later if several hang",
		},
		"one of two": {
			"Pod", containers(probed("app", ""), "{name: log, image: i}"), "", "Hung",
			"app: restarted after 19 to 66 s; log: no restart",
		},
		"a startup probe": {
			"Pod", containers(probed("app", startup)), "", "Hung",
			"restarted after 19 to 66 s; if it never starts, after 290 to 337 s",
		},
		"a startup probe alone": {
			"Pod", "restartPolicy: Never, containers: [{name: app, image: i" + startup + "}]", "", "Hung",
			"no restart without a liveness probe; if it never starts, stopped after 290 to 304 s",
		},
		"no readiness probe": {"Pod", app, "", "Ready", "as soon as it runs, without a readiness probe"},
		"a readiness probe": {
			"Pod", containers(probed("app", ready)), "", "Ready",
			"within 14 s of its start; not ready 19 to 34 s after it hangs",
		},
		"a delayed one": {
			"Pod", containers(probed("app", strings.Replace(ready, "{tcp", "{initialDelaySeconds: 60, tcp", 1))), "",
			"Ready", "58 to 73 s after its start; not ready 19 to 34 s after it hangs",
		},
		"the slowest of two": {
			"Pod", containers(probed("app", ready), "{name: log, image: i"+startup+"}"), "", "Ready",
			"within 304 s of its start; not ready 19 to 34 s after it hangs",
		},
		"a port that is not": {
			"Pod", "containers: [{name: app, image: i, readinessProbe: {httpGet: {port: http}}}]", "", "Ready",
			"never, because its readinessProbe never succeeds",
		},
		"a crash loop": {
			"Pod", app, "", "Crash loop", "restarted after 0, 10, 20, 40 … 300 s, each at most 33 s later",
		},
		"a restart rule": {
			"Pod", app + ", initContainers: [{name: watcher, image: i, restartPolicy: Always, restartPolicyRules: " +
				"[{action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}]}]", "", "Crash loop",
			"restarted after 0, 10, 20, 40 … 300 s, each at most 33 s later; each end of container watcher " +
				"with exit code 88 restarts all containers",
		},
		"a rule that restarts": {
			"Pod", "restartPolicy: Never, containers: [{name: app, image: i, restartPolicy: Never, " +
				"restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]}]", "", "Crash loop",
			"restarted only if a restart rule matches the exit code: after 0, 10, 20, 40 … 300 s, " +
				"each at most 33 s later",
		},
		"a slow start of one": {
			"Pod", "containers: [{name: app, image: i" + startup + "}, {name: log, image: i}]", "", "Hung",
			"no restart without a liveness probe; if app never starts, restarted after 290 to 337 s",
		},
		"an eviction": {
			"Pod", app, "", "Eviction", "SIGTERM 0 to 13 s, SIGKILL 1 to 15 s after memory runs low",
		},
		"a sidecar's eviction": {
			"Pod", app + sidecar, "", "Eviction", "SIGTERM 0 to 15 s, SIGKILL 1 to 17 s after memory runs low",
		},
		"a critical pod": {
			"Pod", "priorityClassName: system-node-critical, " + app, "", "Eviction",
			"never, because the pod is critical",
		},
		"a bare pod": {
			"Pod", "volumes: [{name: v, emptyDir: {}}], " + app, "", "Drain",
			"as a delete, when budgets allow; needs --force and --delete-emptydir-data",
		},
		"of all nodes": {
			"DaemonSet", app, "", "Drain", "kubectl drain leaves the pod alone, and needs --ignore-daemonsets",
		},
		"no budget": {"Deployment", app, "", "Drain", "as a delete, when budgets allow"},
		"a budget": {
			"Deployment", app, limited("b", "maxUnavailable: 1"), "Drain",
			"1 of 3 pods at a time, all gone after 0 to 51 s, plus 2 pod starts",
		},
		"a wide budget": {
			"Deployment", app, limited("b", "maxUnavailable: 3"), "Drain", "as a delete, all at once",
		},
		"a tight budget": {
			"Deployment", app, limited("b", "minAvailable: 3"), "Drain", "never: PodDisruptionBudget b blocks it",
		},
		"two budgets": {
			"Deployment", app, limited("b", "maxUnavailable: 1") + limited("c", "maxUnavailable: 1"), "Drain",
			"never: several PodDisruptionBudgets select the pods",
		},
		"a budget of pods that are never ready": {
			"Deployment", "containers: [{name: app, image: i, readinessProbe: {httpGet: {port: http}}}]",
			limited("b", "maxUnavailable: 1"), "Drain", "never, because new pods are never ready",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			text := "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {" + c.spec + "}}"
			if c.kind != "Pod" {
				text = "{apiVersion: apps/v1, kind: " + c.kind + ", metadata: {name: a}, spec: {replicas: 3, " +
					"selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {" + c.spec + "}}}}"
			}
			if c.kind == "DaemonSet" {
				text = strings.Replace(text, "replicas: 3, ", "", 1)
			}
			m, err := manifest.Read(strings.NewReader(text+c.others), name)
			g.Expect(err).NotTo(HaveOccurred())
			all := Short(first(m))
			g.Expect(all).To(HaveLen(6))
			g.Expect(all).To(ContainElement(Sentence{c.label, c.says}))
		})
	}
}

// The answers of a usual Deployment fit lines of 80 columns, and the labels take 14.
func TestShortAnswersFitALine(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      terminationGracePeriodSeconds: 45
      volumes: [{name: tmp, emptyDir: {}}]
      containers:
      - name: app
        image: i
        lifecycle: {preStop: {sleep: {seconds: 20}}}
        startupProbe: {httpGet: {port: 80}, periodSeconds: 5, failureThreshold: 30}
        readinessProbe: {httpGet: {port: 80}}
        livenessProbe: {httpGet: {port: 80}, initialDelaySeconds: 5}
`), "")
	g.Expect(err).NotTo(HaveOccurred())
	all := Short(first(m))
	g.Expect(all).To(HaveLen(6))
	for _, s := range all {
		g.Expect(utf8.RuneCountInString(s.Description)).To(BeNumerically("<=", 66), s.Description)
	}
}

// A Job's pod needs no Service, so its readiness is left out unless it has a probe.
func TestShortAnswersOfAJob(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader("{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: "+
		"{template: {spec: {restartPolicy: Never, containers: [{name: app, image: i}]}}}}"), "")
	g.Expect(err).NotTo(HaveOccurred())
	var labels []string
	for _, s := range Short(first(m)) {
		labels = append(labels, s.Label)
	}
	g.Expect(labels).To(Equal([]string{"Job", "Delete", "Hung", "Crash loop", "Eviction", "Drain"}))
}

// Flags about the process and the node change the short answers, too.
func TestShortAnswersWithSettings(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: "+
		"{containers: [{name: app, image: i}]}}"), "")
	g.Expect(err).NotTo(HaveOccurred())
	short := func(o predict.Options, k formula.Kubelet) []Sentence {
		k.Version = formula.NewestKnown
		return Short(predict.All(predict.Workloads(m), k, o)[0])
	}
	g.Expect(short(predict.Options{ExitsAfter: new(time.Second)}, formula.Kubelet{})).To(ContainElements(
		Sentence{"Delete", "SIGTERM within 3 s; the process exits in time"},
		Sentence{"Eviction", "SIGTERM 0 to 13 s after memory runs low; the process exits in time"}))
	g.Expect(short(predict.Options{}, formula.Kubelet{EvictionMaxPodGracePeriod: 20})).To(ContainElement(
		Sentence{"Eviction", "SIGTERM 0 to 13 s, SIGKILL 1 to 15 s after memory runs low; " +
			"at a soft threshold, SIGTERM within 13 s, SIGKILL after 19 to 33 s if alive"}))
}

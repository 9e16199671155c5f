package findings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/replicas"
	"github.com/podclock/podclock/harness/rules/formula"
)

// foundIn returns the findings in a manifest by a kubelet's rules, as "level rule line field: says".
func foundIn(t *testing.T, text string, k formula.Kubelet) []string {
	t.Helper()
	m, err := manifest.Read(strings.NewReader(text), "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var all []string
	for i := range m.Objects {
		for _, f := range Of(workload(m, i, k)) {
			NewWithT(t).Expect(f.DocumentedAt).To(HavePrefix("https://"))
			all = append(all, fmt.Sprintf("%s %s %d %s: %s", f.Level, f.Rule, f.Line, f.Field, f.Description))
		}
	}
	return all
}

func workload(m manifest.Manifest, i int, k formula.Kubelet) Workload {
	o := m.Objects[i]
	return Workload{Object: o, Pod: effective.Of(k, o.Pod), Kubelet: k, Budgets: replicas.Budgets(m)[i],
		Services: m.ServicesOf(o)}
}

// podOf is a manifest of a pod with further fields of its spec and its container.
func podOf(spec, container string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  terminationGracePeriodSeconds: 30\n" + indented(
		spec,
		2,
	) +
		"  containers:\n  - name: app\n    image: app:1\n" + indented(
		container,
		4,
	)
}

func indented(text string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", by) + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

var newest = formula.Kubelet{Version: formula.NewestKnown}

func TestFindings(t *testing.T) {
	sleep := func(seconds int) string { return fmt.Sprintf("lifecycle: {preStop: {sleep: {seconds: %d}}}", seconds) }
	exec := func(command string) string { return "lifecycle: {preStop: {exec: {command: " + command + "}}}" }
	grace := func(n int, text string) string {
		return strings.Replace(text, "terminationGracePeriodSeconds: 30",
			fmt.Sprintf("terminationGracePeriodSeconds: %d", n), 1)
	}
	liveness := "livenessProbe:\n  httpGet: {port: 80}\n"
	for name, c := range map[string]struct {
		text    string
		kubelet formula.Kubelet
		want    []string
	}{
		"a sleep of all the grace": {podOf("", sleep(30)), newest, []string{
			"note grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold gives " +
				"the pod 1 s, not 30 s, and stops the preStop hook of container app, which takes 30 s",
			"warning hook-equals-grace 9 spec.containers[0].lifecycle.preStop.sleep: the hook takes 30 s, all of the " +
				"grace period of 30 s: SIGTERM comes at its end, and SIGKILL 2 s later",
		}},
		"a port that the container lacks": {podOf("", "ports: [{containerPort: 80, name: web}]\n"+
			"livenessProbe:\n  httpGet: {port: http}\n"+"readinessProbe:\n  tcpSocket: {port: web}\n"), newest,
			[]string{
				"error port-unknown 11 spec.containers[0].livenessProbe.httpGet.port: the container declares " +
					`no port named "http", so each probe is an error, which does not count: it never kills the ` +
					"container",
			}},
		"hooks of a port that the container lacks": {podOf("", "lifecycle:\n"+
			"  postStart: {httpGet: {port: http}}\n  preStop: {httpGet: {port: http}}\n"), newest, []string{
			"error port-unknown 10 spec.containers[0].lifecycle.postStart.httpGet.port: the container declares no " +
				`port named "http", so the hook fails at once: the container is killed after every start`,
			"error port-unknown 11 spec.containers[0].lifecycle.preStop.httpGet.port: the container declares no " +
				`port named "http", so the hook fails at once: SIGTERM comes without any delay`,
		}},
		"a startup probe of a port that the container lacks": {podOf("", liveness+
			"startupProbe:\n  httpGet: {port: http}\n"), newest, []string{
			"error port-unknown 12 spec.containers[0].startupProbe.httpGet.port: the container declares no " +
				`port named "http", so each probe is an error, which does not count: the container never counts as ` +
				"started: the pod is never ready, and the container's other probes never come",
		}},
		"a sleep of half a second": {podOf("", exec(`[sleep, "0.5"]`)), newest, nil},
		"a sleep that leaves two seconds, by whole seconds": {podOf("", exec(`[sleep, "28.5"]`)), newest, []string{
			"note grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold gives " +
				"the pod 1 s, not 30 s, and stops the preStop hook of container app, which takes 28.5 s",
		}},
		"a sleep that leaves a second": {podOf("", sleep(29)), newest, []string{
			"note grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold gives " +
				"the pod 1 s, not 30 s, and stops the preStop hook of container app, which takes 29 s",
			"warning hook-leaves-the-least 9 spec.containers[0].lifecycle.preStop.sleep: the hook takes 29 s and " +
				"leaves 1 s of the grace period of 30 s: the process gets the kubelet's minimum, 2 s from SIGTERM " +
				"to SIGKILL",
		}},
		"a sleep that leaves enough, and a kubelet that would not evict so soon": {podOf("", sleep(28)),
			formula.Kubelet{Version: "v1.23.1"}, []string{
				"warning kubelet-lacks-it 9 spec.containers[0].lifecycle.preStop.sleep: the preStop hook fails at " +
					"once, without a sleep: kubelet v1.23.1 lacks this change of v1.30.0: preStop has a sleep " +
					"action " +
					"(KEP-3960)",
			}},
		"a command that outlasts the grace": {podOf("", exec(`[sh, -c, "sleep 20 && sleep 25; nginx -s quit"]`)),
			newest, []string{
				"note grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold " +
					"gives " +
					"the pod 1 s, not 30 s, and stops the preStop hook of container app, which takes 45 s",
				"error hook-outlasts-grace 9 spec.containers[0].lifecycle.preStop.exec: the hook takes at least 45 " +
					"s, " +
					"more than the grace period of 30 s: the kubelet stops it after 30 s, sends SIGTERM, and " +
					"SIGKILL 2 " +
					"s later",
			}},
		"a command of unknown duration": {podOf("", exec("[/bin/drain]")), newest, []string{
			"note hook-may-outlast-grace 9 spec.containers[0].lifecycle.preStop.exec: the hook's duration is not " +
				"known: its time is taken from the grace period of 30 s, and the kubelet stops it after 30 s; " +
				"SIGKILL then comes 2 s after SIGTERM",
		}},
		"hooks that open connections": {podOf("", "lifecycle: {preStop: {tcpSocket: {port: 80}}, postStart: "+
			"{tcpSocket: {port: 80}}}"), newest, []string{
			"error hook-without-handler 9 spec.containers[0].lifecycle.preStop.tcpSocket: a preStop hook of " +
				"tcpSocket fails at once: SIGTERM comes without any delay",
			"error hook-without-handler 9 spec.containers[0].lifecycle.postStart.tcpSocket: a postStart hook of " +
				"tcpSocket fails at once: the container is killed after every start",
		}},
		"a stop signal": {podOf("", "lifecycle: {stopSignal: SIGINT, preStop: {sleep: {seconds: 1}}}"), newest, []string{
			"warning stop-signal-dropped 9 spec.containers[0].lifecycle.stopSignal: the API server drops the field: " +
				"the process gets the STOPSIGNAL of its image, or SIGTERM",
		}},
		"no grace": {grace(0, podOf("", "")), newest, []string{
			"note grace-zero 5 spec.terminationGracePeriodSeconds: a delete of a pod with a grace period of 0 " +
				"removes its object at once, while its processes have 2 s from SIGTERM to SIGKILL",
		}},
		"no grace, and a hook": {grace(0, podOf("", exec("[drain]"))), newest, []string{
			"note grace-zero 5 spec.terminationGracePeriodSeconds: a delete of a pod with a grace period of 0 " +
				"removes its object at once, while its processes have 2 s from SIGTERM to SIGKILL; the preStop " +
				"hook of container app is stopped after 1 s",
			"note hook-may-outlast-grace 9 spec.containers[0].lifecycle.preStop.exec: the hook's duration is not " +
				"known: its time is taken from the grace period of 1 s, and the kubelet stops it after 1 s; " +
				"SIGKILL then comes 2 s after SIGTERM",
		}},
		"no grace, and a hook that takes longer": {grace(0, podOf("", exec(`[sleep, "2"]`))), newest, []string{
			"error grace-zero 5 spec.terminationGracePeriodSeconds: a delete of a pod with a grace period of 0 " +
				"removes its object at once, while its processes have 2 s from SIGTERM to SIGKILL; the preStop " +
				"hook of container app is stopped after 1 s",
			"error hook-outlasts-grace 9 spec.containers[0].lifecycle.preStop.exec: the hook takes 2 s, more than " +
				"the grace period of 1 s: the kubelet stops it after 1 s, sends SIGTERM, and SIGKILL 2 s later",
		}},
		"a delay shorter than the probe's period": {podOf("", "startupProbe: {httpGet: {port: 80}}\n"+liveness+
			"  initialDelaySeconds: 5\n"), newest, nil},
		"a hook beside which an old kubelet counts the grace period": {podOf("", exec("[drain]")),
			formula.Kubelet{Version: "v1.23.1"}, []string{
				"note hook-may-outlast-grace 9 spec.containers[0].lifecycle.preStop.exec: the hook's duration is not " +
					"known: it has the grace period of 30 s, and the kubelet stops it after 30 s; SIGKILL then comes " +
					"30 s after SIGTERM",
			}},
		"no grace, and a hook, on an old kubelet": {grace(0, podOf("", exec("[drain]"))),
			formula.Kubelet{Version: "v1.23.1"}, []string{
				"error grace-zero 5 spec.terminationGracePeriodSeconds: a delete of a pod with a grace period of 0 " +
					"removes its object at once, while its processes have 1 s from SIGTERM to SIGKILL; the preStop " +
					"hook of container app is not run",
			}},
		"a second's grace, and a hook": {grace(1, podOf("", exec("[drain]"))), newest, []string{
			"note grace-one 5 spec.terminationGracePeriodSeconds: a grace period of 1 s leaves 2 s from SIGTERM " +
				"to SIGKILL; the preStop hook of container app is stopped after 1 s",
			"note hook-may-outlast-grace 9 spec.containers[0].lifecycle.preStop.exec: the hook's duration is not " +
				"known: its time is taken from the grace period of 1 s, and the kubelet stops it after 1 s; " +
				"SIGKILL then comes 2 s after SIGTERM",
		}},
		"a second's grace on an old kubelet": {grace(1, podOf("", "")), formula.Kubelet{Version: "v1.23.1"}, []string{
			"note grace-one 5 spec.terminationGracePeriodSeconds: a grace period of 1 s leaves 1 s from SIGTERM " +
				"to SIGKILL",
		}},
		"a long grace": {grace(600, podOf("", "")), newest, []string{
			"note grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold gives " +
				"the pod 1 s, not 600 s",
		}},
		"a grace above the node's maximum": {podOf("", ""), formula.Kubelet{Version: formula.NewestKnown,
			EvictionMaxPodGracePeriod: 20}, []string{
			"warning grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold " +
				"gives the pod 1 s, not 30 s; one by a soft threshold gives it 20 s (evictionMaxPodGracePeriod)",
		}},
		"a grace that an old kubelet gives to the evicted": {grace(600, podOf("", "")),
			formula.Kubelet{Version: "v1.23.1"}, nil},
		"a probe's longer grace": {podOf("", liveness+"  terminationGracePeriodSeconds: 60\n"), newest, []string{
			"warning probe-grace-longer 11 spec.containers[0].livenessProbe.terminationGracePeriodSeconds: a " +
				"container that fails its liveness probe has 60 s until SIGKILL, 30 s more than the pod's grace " +
				"period of 30 s",
		}},
		"a probe's shorter grace": {podOf("", liveness+"  terminationGracePeriodSeconds: 5\n"), newest, nil},
		"a probe's shorter grace, and a hook": {podOf("",
			sleep(10)+"\n"+liveness+"  terminationGracePeriodSeconds: 5\n"), newest, []string{
			"note grace-above-eviction 5 spec.terminationGracePeriodSeconds: an eviction by a hard threshold gives " +
				"the pod 1 s, not 30 s, and stops the preStop hook of container app, which takes 10 s",
			"warning probe-grace-cuts-hook 12 spec.containers[0].livenessProbe.terminationGracePeriodSeconds: a " +
				"failing liveness probe gives the container 5 s, and stops its preStop hook, which takes 10 s: " +
				"SIGKILL comes 2 s after SIGTERM",
		}},
		"a probe's grace that never counts": {podOf("restartPolicy: Never",
			liveness+"  terminationGracePeriodSeconds: 5\n"), newest, []string{
			"warning probe-grace-never-counts 12 spec.containers[0].livenessProbe.terminationGracePeriodSeconds: a " +
				"failing liveness probe ends the pod, which is never restarted: it gets the pod's grace period of " +
				"30 s, not the probe's of 5 s",
		}},
		"a timeout above the period": {podOf("", liveness+"  periodSeconds: 5\n  timeoutSeconds: 8\n"), newest,
			[]string{
				"note probe-timeout-exceeds-period 12 spec.containers[0].livenessProbe.timeoutSeconds: a liveness " +
					"probe without an answer takes 8 s, so the next one waits for it instead of coming after 5 s: 3 " +
					"failures take 24 s, not 18 s",
			}},
		"a timeout above the period of a single failure": {podOf("", liveness+"  initialDelaySeconds: 10\n  "+
			"timeoutSeconds: 12\n  failureThreshold: 1\n"), newest, []string{
			"note probe-timeout-exceeds-period 12 spec.containers[0].livenessProbe.timeoutSeconds: a liveness " +
				"probe without an answer takes 12 s, so the next one waits for it instead of coming after 10 s",
			"note one-failure-kills 13 spec.containers[0].livenessProbe.failureThreshold: one answer that takes " +
				"longer than 12 s kills the container",
		}},
		"a long grace of a pod that is never evicted": {grace(600, podOf("priorityClassName: system-node-critical",
			"")),
			newest, nil},
		"a timeout that is the period": {podOf("", liveness+"  periodSeconds: 5\n  timeoutSeconds: 5\n"),
			newest, nil},
		"one failure, from the first moment on": {podOf("", liveness+"  failureThreshold: 1\n"), newest, []string{
			"note one-failure-kills 11 spec.containers[0].livenessProbe.failureThreshold: one answer that takes " +
				"longer than 1 s kills the container",
			"warning killed-while-starting 9 spec.containers[0].livenessProbe: the first probe may come as soon as " +
				"the container runs, and one failure is enough: a container that does not answer at once is killed " +
				"within 13.7 s of its start",
		}},
		"liveness before readiness": {podOf("", liveness+"readinessProbe: {httpGet: {port: 80}, "+
			"initialDelaySeconds: 60}\n"), newest, []string{
			"error killed-while-starting 9 spec.containers[0].livenessProbe: the readiness probe waits 60 s for " +
				"the container to start, but the liveness probe kills it 20 s to 33.7 s after its start if it does " +
				"not answer before",
		}},
		"liveness before readiness, after the deadline": {podOf("activeDeadlineSeconds: 10", liveness+
			"readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 60}\n"), newest, nil},
		"liveness perhaps before readiness": {podOf("", liveness+"readinessProbe: {httpGet: {port: 80}, "+
			"initialDelaySeconds: 30}\n"), newest, []string{
			"warning killed-while-starting 9 spec.containers[0].livenessProbe: the readiness probe waits 30 s for " +
				"the container to start, but the liveness probe kills it 20 s to 33.7 s after its start if it does " +
				"not answer before",
		}},
		"a startup probe that gives up early": {podOf("", "startupProbe: {httpGet: {port: 80}, periodSeconds: 2, "+
			"failureThreshold: 5}\n"+liveness+"  initialDelaySeconds: 60\n"), newest, []string{
			"warning startup-gives-up-early 9 spec.containers[0].startupProbe: the startup probe kills a container " +
				"8 s to 13.7 s after its start if it does not answer before, but the liveness probe would wait 60 " +
				"s for it",
			"note delay-counts-from-start 12 spec.containers[0].livenessProbe.initialDelaySeconds: the liveness " +
				"probe's delay of 60 s counts from the container's start, not from the startup probe's success: a " +
				"start that takes as long leaves nothing of it",
		}},
		"killed while it is ready": {podOf("", "livenessProbe: {httpGet: {port: 80}, periodSeconds: 2, "+
			"failureThreshold: 2}\nreadinessProbe: {httpGet: {port: 80}, periodSeconds: 10, failureThreshold: 6}\n"),
			newest, []string{
				"warning restarted-before-unready 9 spec.containers[0].livenessProbe: a container that fails both " +
					"probes is killed within 6.75 s, but stays ready for at least 49.75 s: it is killed while it " +
					"gets " +
					"requests",
			}},
		"successes that are no time": {podOf("", "readinessProbe: {httpGet: {port: 80}, successThreshold: 4}\n"),
			newest, []string{
				"note success-threshold-is-no-time 9 spec.containers[0].readinessProbe.successThreshold: 4 " +
					"successes, " +
					"10 s apart, look like 30 s in which the container must answer well, but it may be ready after 0 s",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(foundIn(t, c.text, c.kubelet)).To(Equal(c.want))
		})
	}
}

// A known duration of hooks is that of commands and requests, not of sleeps.
func TestFindingsKnowWhatHooksTake(t *testing.T) {
	hooks := map[string]string{
		"a command": "lifecycle: {preStop: {exec: {command: [drain]}}}",
		"a sleep":   "lifecycle: {preStop: {sleep: {seconds: 3}}}",
	}
	for takes, last := range map[time.Duration]string{
		5 * time.Second: "grace-above-eviction", 30 * time.Second: "hook-equals-grace",
		40 * time.Second: "hook-outlasts-grace",
	} {
		want := map[string]string{"a command": last, "a sleep": "grace-above-eviction"}
		for name, hook := range hooks {
			m, err := manifest.Read(strings.NewReader(podOf("", hook)), "")
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			rule := ""
			for _, f := range Of(Workload{
				Object: m.Objects[0], Pod: effective.Of(newest, m.Objects[0].Pod), Kubelet: newest, HookTakes: &takes,
			}) {
				rule = f.Rule
			}
			NewWithT(t).Expect(rule).To(Equal(want[name]), "%s, %v", name, takes)
		}
	}
}

func TestFindingsOfStatefulSets(t *testing.T) {
	NewWithT(
		t,
	).Expect(foundIn(t, "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  template:\n    "+
		"spec:\n      terminationGracePeriodSeconds: 0\n"+
		"      containers: [{name: db, image: db}]\n", newest)).
		To(ContainElement(
			"error grace-zero-of-statefulset 7 spec.template.spec.terminationGracePeriodSeconds: with a grace " +
				"period of 0 a pod's object is removed, and its successor created, up to 2 s before its processes end",
		))
}

// Usual manifests have no findings but notes.
func TestSaneManifestsFindNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/sane/*")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(len(files)).To(BeNumerically(">=", 5))
	for _, file := range files {
		for _, version := range []string{"v1.34.4", formula.NewestKnown} {
			text, err := os.ReadFile(file)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			for _, f := range foundIn(t, string(text), formula.Kubelet{Version: version}) {
				NewWithT(t).Expect(f).To(HavePrefix("note "), "%s by %s", file, version)
			}
		}
	}
}

func TestRules(t *testing.T) {
	g := NewWithT(t)
	var source []byte
	for _, file := range []string{"findings_test.go", "nodes_test.go", "rollout_test.go", "traffic_test.go"} {
		text, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		source = append(source, text...)
	}
	seen := map[string]bool{}
	for _, r := range Rules() {
		g.Expect(r.ID).To(MatchRegexp(`^[a-z]+(-[a-z]+)+$`))
		g.Expect(seen).NotTo(HaveKey(r.ID))
		seen[r.ID] = true
		g.Expect(r.Description).To(HaveSuffix("."), r.ID)
		g.Expect(r.Level.rank()).To(BeNumerically(">=", 0), r.ID)
		g.Expect((r.pod == nil) != (r.container == nil)).To(BeTrue(), "%s looks at a pod or at a container", r.ID)
		g.Expect(string(source)).To(ContainSubstring(" "+r.ID+" "), "%s has no test", r.ID)
	}
}

func TestLevels(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Error.AtLeast(Warning)).To(BeTrue())
	g.Expect(Note.AtLeast(Warning)).To(BeFalse())
}

// Each rule says what to do, and finds something in its example.
func TestExamples(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(r.Fix).NotTo(BeEmpty())
			k, kind := newest, "Pod"
			if r.ID == "kubelet-lacks-it" {
				k.Version = "v1.23.1"
			}
			if r.ID == "grace-zero-of-statefulset" {
				kind = "StatefulSet"
			}
			text := r.Example
			if !strings.HasPrefix(text, "apiVersion:") {
				text = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n" + indented(r.Example, 2)
			}
			m, err := manifest.Read(strings.NewReader(text), r.ID)
			g.Expect(err).NotTo(HaveOccurred())
			w := limitedNodes(workload(m, 0, k))
			w.Kind = kind
			g.Expect(Of(w)).To(ContainElement(HaveField("Rule", r.ID)))
		})
	}
}

// Where a fix has numbers, a manifest that obeys it has no such finding.
func TestFixes(t *testing.T) {
	const liveness = "livenessProbe: {httpGet: {port: 80}, periodSeconds: 5"
	const startup = "startupProbe: {httpGet: {port: 80}, failureThreshold: 30}"
	sleep := func(seconds int) string { return fmt.Sprintf("lifecycle: {preStop: {sleep: {seconds: %d}}}", seconds) }
	for rule, c := range map[string]struct{ text, fix, from, to string }{
		"hook-equals-grace": {
			podOf("", sleep(30)), "set terminationGracePeriodSeconds to 32 or more",
			"terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 32",
		},
		"hook-outlasts-grace": {
			podOf("", `lifecycle: {preStop: {exec: {command: [sleep, "40"]}}}`),
			"set terminationGracePeriodSeconds to 42 or more",
			"terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 42",
		},
		"hook-leaves-the-least": {
			podOf("", sleep(29)), "set terminationGracePeriodSeconds to 31 or more",
			"terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 31",
		},
		"probe-grace-cuts-hook": {
			podOf("", sleep(10)+"\n"+liveness+", terminationGracePeriodSeconds: 8}"), "set it to 12 or more",
			"terminationGracePeriodSeconds: 8", "terminationGracePeriodSeconds: 12",
		},
		"probe-timeout-exceeds-period": {
			podOf("", liveness+", timeoutSeconds: 8}"), "set timeoutSeconds to 5 or less",
			"timeoutSeconds: 8", "timeoutSeconds: 5",
		},
		"restarted-before-unready": {
			podOf("", liveness+", failureThreshold: 2}\nreadinessProbe: {httpGet: {port: 80}, failureThreshold: 5}"),
			"set livenessProbe.failureThreshold to 12 or more", "failureThreshold: 2", "failureThreshold: 12",
		},
		"startup-gives-up-early": {
			podOf("", "startupProbe: {httpGet: {port: 80}, periodSeconds: 5}\n"+liveness+", initialDelaySeconds: 60}"),
			"set startupProbe.failureThreshold to 12 or more", "startupProbe: {",
			"startupProbe: {failureThreshold: 12, ",
		},
		"start-exceeds-progress-deadline": {
			object("Deployment", "progressDeadlineSeconds: 60", startup),
			"set progressDeadlineSeconds to 304 or more, and add the time to schedule and start a pod",
			"progressDeadlineSeconds: 60", "progressDeadlineSeconds: 304",
		},
		"budget-blocks-eviction": {
			object("Deployment", "replicas: 2", "") + "---\n" + budget("minAvailable: 2"),
			"in PodDisruptionBudget minavailable: set maxUnavailable to 1 or more instead of minAvailable",
			"minAvailable: 2", "maxUnavailable: 1",
		},
	} {
		t.Run(rule, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(fixesOf(t, c.text)).To(HaveKeyWithValue(rule, c.fix))
			g.Expect(c.text).To(ContainSubstring(c.from))
			g.Expect(fixesOf(t, strings.Replace(c.text, c.from, c.to, 1))).NotTo(HaveKey(rule))
		})
	}
}

// fixesOf returns the fixes of the findings in a manifest by their rules.
func fixesOf(t *testing.T, text string) map[string]string {
	m, err := manifest.Read(strings.NewReader(text), "")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	fixes := map[string]string{}
	for _, f := range Of(workload(m, 0, newest)) {
		fixes[f.Rule] = f.Fix
	}
	return fixes
}

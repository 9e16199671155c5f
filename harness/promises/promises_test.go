package promises

import (
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

var newest = formula.Kubelet{Version: formula.NewestKnown}

// shop has sidecars, init containers, hooks of all kinds that hang or not, probes, a Job with a deadline, and rules.
const shop = "testdata/shop.yaml"

func read(t *testing.T, text string) []predict.Workload {
	t.Helper()
	m, err := manifest.Read(strings.NewReader(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	return predict.Workloads(m)
}

func file(t *testing.T, name string) []predict.Workload {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(text))
}

func of(t *testing.T, workloads []predict.Workload) ([]trial.Trial, run.Promises) {
	t.Helper()
	trials, promises, err := Of(workloads, newest)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return trials, promises
}

func ids(all []trial.Trial) (names []string) {
	for _, t := range all {
		names = append(names, t.ID)
	}
	return names
}

// pod returns a Pod of one container with these lines of YAML below the container, and these below the spec.
func pod(container, spec string) string {
	indent := func(text, by string) (all string) {
		for line := range strings.SplitSeq(text, "\n") {
			if line != "" {
				all += by + line + "\n"
			}
		}
		return all
	}
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec:\n" + indent(spec, "  ") +
		"  containers:\n  - name: app\n    image: app\n" + indent(container, "    ")
}

// Every trial is valid, and is the same one after its run was saved.
func TestSavedTrialsAreTheSame(t *testing.T) {
	g := NewWithT(t)
	trials, promises := of(t, file(t, shop))
	again, err := Load(promises)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ids(again)).To(Equal(ids(trials)))
	sorted := slices.Sorted(slices.Values(ids(trials)))
	g.Expect(slices.Compact(slices.Clone(sorted))).To(Equal(sorted), "no two have one ID")
	for i, tr := range trials {
		g.Expect(tr.Check()).To(Succeed())
		g.Expect(again[i].Setup()).To(Equal(tr.Setup()), tr.ID)
		g.Expect(again[i].Lasts).To(Equal(tr.Lasts), tr.ID)
		in := formula.Input{Kubelet: newest}
		for j, c := range tr.Claims {
			w := c.Formula.Implemented(in)
			g.Expect(w.Earliest).To(BeNumerically("<=", w.Latest), "%s: %s", tr.ID, c.ID())
			g.Expect(again[i].Claims[j].Formula.Implemented(in)).To(Equal(w), "%s: %s", tr.ID, c.ID())
		}
	}
}

// What a run saves of a workload has the same predictions as the workload, to the nanosecond.
func TestReducedWorkloadsHaveTheSamePredictions(t *testing.T) {
	workloads := file(t, shop)
	for _, name := range []string{"hooks.yaml", "rules.yaml"} {
		workloads = append(workloads, file(t, "testdata/"+name)...)
	}
	for _, w := range workloads {
		less := w
		less.Object = reduced(w.Object)
		both := predict.All([]predict.Workload{w, less}, newest, predict.Options{})
		g := NewWithT(t)
		for i, c := range both[0].Containers {
			other := both[1].Containers[i]
			g.Expect(other.Name).To(Equal(c.Name))
			g.Expect(other.Timelines).To(HaveLen(len(c.Timelines)), c.Name)
			for j, l := range c.Timelines {
				g.Expect(other.Timelines[j].ID).To(Equal(l.ID))
				for n, s := range l.Steps {
					g.Expect(other.Timelines[j].Steps[n].At).To(Equal(s.At), "%s %s %s", c.Name, l.ID, s.ID)
				}
				for n, v := range l.Values {
					g.Expect(other.Timelines[j].Values[n].Implemented).To(Equal(v.Implemented), "%s %s", l.ID, v.ID)
				}
			}
		}
	}
}

// A run can be published. It has nothing of a manifest that its authors may keep to themselves.
func TestRunsSaveNoSecrets(t *testing.T) {
	_, promises := of(t, read(t, pod(`
env: [{name: TOKEN, value: hush-1}]
command: [serve, --password=hush-2]
args: [--key=hush-3]
livenessProbe: {exec: {command: [ask, -phush-4]}}
readinessProbe: {httpGet: {port: 80, path: /hush-5, httpHeaders: [{name: Authorization, value: hush-6}]}}
lifecycle:
  preStop: {exec: {command: [sh, -c, "sleep 5; tell hush-7"]}}
  postStart: {exec: {command: [tell, hush-8]}}`,
		"serviceAccountName: hush-9\nimagePullSecrets: [{name: hush-10}]")))
	NewWithT(t).Expect(string(promises.Workloads)).NotTo(ContainSubstring("hush"))
}

// Each answer of a prediction has a trial that names its container or its pod, or a reason why it has none.
func TestEveryAnswerIsPlayedOrNot(t *testing.T) {
	for _, w := range file(t, shop) {
		g := NewWithT(t)
		trials, promises := of(t, []predict.Workload{w})
		prediction := predict.All([]predict.Workload{w}, newest, predict.Options{})[0]
		for _, group := range groups(prediction) {
			name := strings.TrimSpace(string(group.cause) + " " + group.variant)
			unplayed := slices.ContainsFunc(promises.Unplayed, func(u run.Unplayed) bool {
				return u.Answer == name && u.Why != ""
			})
			for _, c := range prediction.Containers {
				for _, l := range group.of(c) {
					played := slices.ContainsFunc(trials, func(tr trial.Trial) bool {
						return slices.ContainsFunc(tr.Claims, func(claim trial.Claim) bool {
							of := []string{claim.Measure.From.Container, claim.Measure.Container()}
							return (slices.Contains(of, c.Name) || of[1] == "") &&
								strings.HasPrefix(claim.Formula.Description, l.Begins)
						})
					})
					g.Expect(played || unplayed).To(BeTrue(), "%s of %s", l.ID, c.Name)
				}
			}
		}
	}
}

// What can't be played says why.
func TestUnplayed(t *testing.T) {
	hour := "initialDelaySeconds: 20000, periodSeconds: 10"
	for name, c := range map[string]struct{ manifest, answer, why string }{
		"on Windows": {pod("", "os: {name: windows}"), "", "the pod runs on Windows"},
		"a postStart hook by TCP": {pod("lifecycle: {postStart: {tcpSocket: {port: 80}}}", ""), "",
			"the postStart hook of container app is a tcpSocket, which always fails"},
		"a postStart hook of no port": {pod("lifecycle: {postStart: {httpGet: {port: web}}}", ""), "",
			"the postStart hook of container app has a port that it does not declare"},
		"a sidecar that never starts": {pod("", `
initContainers:
- name: proxy
  image: proxy
  restartPolicy: Always
  startupProbe: {httpGet: {port: web}}`), "", "the startup probe of sidecar proxy has a port that it does not declare"},
		"Knative": {"apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: one}\nspec:\n  template:\n" +
			"    spec:\n      containers: [{image: app}]", "", "Knative's queue-proxy"},
		"too long": {pod("livenessProbe: {tcpSocket: {port: 80}, "+hour+"}", ""), "liveness-shortest-app",
			"it takes more than the 3h0m0s of any trial"},
		"past its deadline": {pod("", "activeDeadlineSeconds: 20\nrestartPolicy: OnFailure"), "crash-app",
			"activeDeadlineSeconds may end it before"},
		"memory runs low": {pod("", ""), "hard eviction", "neither the volumes nor the load"},
		"preemption":      {pod("", ""), "preemption", "it happens to a node"},
		"a lost node":     {pod("", ""), "lost node", "the node would have to be lost"},
		"a new image":     {pod("", ""), "spec change", "the trials change no image"},
		"a postStart hook by HTTP": {pod("lifecycle: {postStart: {httpGet: {port: 80}}}", ""), "postStart",
			"only as an exec one"},
		"a taint": {pod("", "tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 9}]"), "taint a",
			"it happens to a node"},
		"a limit of ephemeral data": {pod("resources: {limits: {ephemeral-storage: 1Gi}}", ""),
			"storage limit of a container's layer", "neither the volumes"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, promises := of(t, read(t, c.manifest))
			g.Expect(promises.Unplayed).To(ContainElement(And(
				HaveField("Answer", c.answer), HaveField("Why", ContainSubstring(c.why)),
			)))
		})
	}
}

// An API server whose gate ContainerStopSignals is off drops the field, so no manifest that is read has one.
func TestStopSignalsThatNoVictimMarks(t *testing.T) {
	g := NewWithT(t)
	spec := read(t, pod("", ""))[0].Pod.Spec
	for signal, want := range map[corev1.Signal]string{
		corev1.SIGINT: "", corev1.SIGHUP: "the stop signal SIGHUP of container app",
	} {
		spec.Containers[0].Lifecycle = &corev1.Lifecycle{StopSignal: &signal}
		g.Expect(unstaged(&spec)).To(HaveSuffix(want))
	}
}

func TestWorkloadsOfOneNameHaveTrialsOfTheirOwn(t *testing.T) {
	g := NewWithT(t)
	workloads := append(read(t, pod("", "")), read(t, pod("", ""))...)
	trials, _ := of(t, workloads)
	g.Expect(ids(trials)).To(ContainElements("pod-one/delete-longest", "pod-one-2/delete-longest"))
}

// Of a rule's exit codes, the first rule that matches counts.
func TestCodeFor(t *testing.T) {
	g := NewWithT(t)
	ruled := read(t, pod(`
restartPolicy: Never
restartPolicyRules:
- {action: Restart, exitCodes: {operator: In, values: [1, 2]}}
- {action: RestartAllContainers, exitCodes: {operator: NotIn, values: [3]}}`, "restartPolicy: Never"))
	c := &ruled[0].Pod.Spec.Containers[0]
	for action, want := range map[string]int{"Restart": 1, "RestartAllContainers": 4, "": 3} {
		code, found := codeFor(c, corev1.ContainerRestartRuleAction(action))
		g.Expect(found).To(BeTrue(), action)
		g.Expect(code).To(Equal(want), action)
	}
}

// Another kubelet than the one that decided the answers has its own windows.
func TestWindowsAreThoseOfTheKubelet(t *testing.T) {
	g := NewWithT(t)
	trials, _ := of(t, read(t, pod("", "")))
	i := slices.IndexFunc(trials, func(t trial.Trial) bool { return t.ID == "pod-one/crash-app" })
	claim := trials[i].Claims[len(trials[i].Claims)-2]
	window := func(k formula.Kubelet) formula.Window { return claim.Formula.Implemented(formula.Input{Kubelet: k}) }
	quick := newest
	quick.MaxContainerRestartPeriod = 2_000_000_000
	quick.Gates = map[string]bool{formula.NodeRestartPeriod.Gate: true}
	g.Expect(window(quick).Latest).To(BeNumerically("<", window(newest).Earliest))
	g.Expect(impossible.Contains(0) || impossible.Contains(1)).To(BeFalse(), "what is not predicted never conforms")
}

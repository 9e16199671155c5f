package forecast

import (
	"io"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/preset"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// onKubelet predicts a manifest's text with the groups of a shutdown and with presets.
func onKubelet(t *testing.T, text string, groups []formula.PriorityGroup, presets ...string) Forecast {
	t.Helper()
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader(text), "")
	g.Expect(err).NotTo(HaveOccurred())
	var o predict.Options
	for _, name := range presets {
		p, err := preset.Parse(name, effective.Longest)
		g.Expect(err).NotTo(HaveOccurred())
		o.Presets = append(o.Presets, p)
	}
	return Of("", m, formula.Kubelet{Version: formula.NewestKnown, ShutdownGroups: groups}, o)
}

func sentence(all []sentences.Sentence, label string) string {
	for _, s := range all {
		if s.Label == label {
			return s.Description
		}
	}
	return ""
}

const (
	podTemplate = "template: {metadata: {labels: {a: b}}, spec: {%containers: [{name: app, image: i}]}}"
	deployment  = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: " +
		"{a: b}}, " + podTemplate + "}\n"
	jobText = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web}\nspec: {%" +
		"template: {spec: {restartPolicy: Never, containers: [{name: app, image: i}]}}}\n"
	podText = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: i}]}\n"
)

func with(text, more string) string { return strings.Replace(text, "%", more, 1) }

// What replaces the pod of a lost node depends on what made it.
func TestLostNodeSays(t *testing.T) {
	const ready = "out of its Services 39.6 to 62 s after the node stops answering; "
	const deleted = "deleted after 340 to 371 s"
	const gone = ", but replaced only when the node answers again or is removed, or somebody force-deletes the pod"
	const atDelete, whenGone, never = "at-delete", "when-gone", "never"
	const forever = "never deleted, because it tolerates the taint node.kubernetes.io/unreachable for ever"
	owned := strings.Replace(podText, "{name: web}", "{name: web, ownerReferences: [{apiVersion: apps/v1, kind: "+
		"ReplicaSet, name: web, uid: u, controller: true}]}", 1)
	kruise := strings.NewReplacer("apps/v1", "apps.kruise.io/v1alpha1", "Deployment", "CloneSet")
	for name, c := range map[string]struct{ text, says, replacement string }{
		"a Deployment": {with(deployment, ""), deleted + ", and replaced at once", atDelete},
		"a StatefulSet": {
			strings.Replace(with(deployment, ""), "Deployment", "StatefulSet", 1), deleted + gone, whenGone,
		},
		"a DaemonSet": {strings.Replace(with(deployment, ""), "Deployment", "DaemonSet", 1), forever, never},
		"a Job":       {with(jobText, ""), deleted + ", and replaced at once", atDelete},
		"a Job that waits for the failure": {
			with(jobText, "podReplacementPolicy: Failed, "), deleted + gone, whenGone,
		},
		"a pod":              {podText, deleted + ", and nothing makes it again", never},
		"a ReplicaSet's pod": {owned, deleted + ", and replaced at once", atDelete},
		"an unknown owner":   {kruise.Replace(with(deployment, "")), deleted, ""},
		"a short toleration": {
			with(deployment, "tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, "+
				"tolerationSeconds: 30, effect: NoExecute}], "), "deleted after 69.6 to 101 s, and replaced", atDelete,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			f := onKubelet(t, c.text, nil)
			g.Expect(sentence(sentences.All(f.Predictions[0]), "Lost node")).To(HavePrefix(ready + c.says))
			if c.says == deleted {
				g.Expect(sentence(sentences.All(f.Predictions[0]), "Lost node")).To(HaveSuffix(deleted))
			}
			d := Document(f, false).Workloads[0].LostNode
			g.Expect(d.Replacement).To(Equal(c.replacement))
			g.Expect(d.DeletedSecondsMin == nil).To(Equal(c.says == forever))
			g.Expect(sentence(sentences.Short(f.Predictions[0]), "Lost node")).To(BeEmpty(), "it is for --all")
		})
	}
}

// A shutdown is a short answer if it is configured, else one sentence of --all.
func TestShutdownSays(t *testing.T) {
	g := NewWithT(t)
	off := onKubelet(t, podText, nil).Predictions[0]
	g.Expect(sentence(sentences.Short(off), "Shutdown")).To(BeEmpty())
	g.Expect(sentence(sentences.All(off), "Shutdown")).To(ContainSubstring("shutdownGracePeriod is 0 s, so graceful " +
		"shutdown is off"))
	on := onKubelet(t, podText, formula.PriorityGroupsOf(30*time.Second, 10*time.Second))
	const says = "from the announcement: SIGTERM within 2.1 s; SIGKILL after 19.9 to 22.3 s, if the process still " +
		"runs; the node waits 20 s for it; it has then failed (Terminated), and this node does not start it again"
	g.Expect(sentence(sentences.All(on.Predictions[0]), "Shutdown")).To(Equal(says))
	g.Expect(sentence(sentences.Short(on.Predictions[0]), "Shutdown")).
		To(Equal("SIGTERM 0 to 3 s, SIGKILL 19 to 23 s after the announcement"))
	g.Expect(sentences.Short(on.Predictions[0])).To(HaveLen(7))
	d := Document(on, false)
	g.Expect(d.Kubelet.ShutdownGroups).
		To(Equal([]v1alpha1.ShutdownGroup{{GraceSeconds: 20}, {Priority: 2_000_000_000, GraceSeconds: 10}}))
	g.Expect(d.Workloads[0].Containers[0].Causes).To(ContainElement(And(HaveField("Cause", "node shutdown"),
		HaveField("GraceSeconds", 20.0), HaveField("RestartSecondsMin", BeNil()))))
	fit(t, v1alpha1.Schema, d)

	class := onKubelet(t, with(deployment, "priorityClassName: important, "),
		[]formula.PriorityGroup{{Seconds: 5}, {Priority: 1000, Seconds: 40}})
	for _, answers := range [][]sentences.Sentence{
		sentences.Short(class.Predictions[0]), sentences.All(class.Predictions[0]),
	} {
		g.Expect(sentence(answers, "Shutdown")).To(HaveSuffix("; if the priority class important has the value 0"))
	}
}

func TestLimitsSay(t *testing.T) {
	g := NewWithT(t)
	const grace = "the grace period of 30 s "
	for presets, says := range map[string]string{
		"":                            "",
		"aws-spot":                    grace + "fits into the 120 s of aws-spot",
		"aws-spot cluster-autoscaler": grace + "fits into the 120 s of aws-spot and the 600 s of cluster-autoscaler",
		"gke-spot":                    "",
		"azure-spot":                  grace + "is too long for the 30 s of azure-spot",
		"azure-spot karpenter=5m": grace + "fits into the 300 s of karpenter; it is too long for the 30 s of " +
			"azure-spot",
	} {
		f := onKubelet(t, podText, nil, strings.Fields(presets)...)
		g.Expect(sentence(sentences.Short(f.Predictions[0]), "Limits")).To(Equal(says))
		g.Expect(Document(f, false).Limits).To(HaveLen(len(strings.Fields(presets))))
		if strings.HasPrefix(presets, "azure-spot") {
			g.Expect(f.findings()).To(ContainElement(HaveField("Rule", "limit-cuts-grace")))
			l := Document(f, false).Limits[0]
			g.Expect(l.LimitSeconds).To(Equal(30.0))
			g.Expect(l.DocumentedAt).To(HavePrefix("https://learn.microsoft.com/"))
		}
	}
}

// Pods that are not predicted have no such sentence.
func TestNodesOfPodsThatAreNotCovered(t *testing.T) {
	g := NewWithT(t)
	f := onKubelet(t, strings.Replace(podText, "kind: Pod", "kind: Pod\nstatus: {phase: Failed}", 1),
		formula.PriorityGroupsOf(time.Minute, 0), "aws-spot")
	g.Expect(append(sentences.All(f.Predictions[0]), sentences.Short(f.Predictions[0])...)).To(BeEmpty())
	g.Expect(Document(f, true).Workloads[0].LostNode).To(BeNil())
	g.Expect(Text(io.Discard, f, TextOptions{All: true})).To(Succeed())
}

// The page has the sentences about the settings that the user gives.
func TestNodesOnThePage(t *testing.T) {
	page := string(written(t, onKubelet(t, podText, formula.PriorityGroupsOf(time.Minute, 0), "aws-spot"), HTML))
	NewWithT(t).Expect(page).To(And(ContainSubstring("<dt>Shutdown</dt><dd>from the announcement: "),
		ContainSubstring("<dt>Limits</dt><dd>the grace period of 30 s fits into the 120 s of aws-spot</dd>")))
}

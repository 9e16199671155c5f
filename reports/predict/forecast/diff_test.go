package forecast

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// shop has a Deployment with a hook of its whole grace period, which is a finding, and a pod.
const shop = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: app, lifecycle: {preStop: {sleep: {seconds: 30}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: job}
spec:
  containers: [{name: app, image: app}]
`

func forecastOf(t *testing.T, text string) Forecast {
	t.Helper()
	m, err := manifest.Read(strings.NewReader(text), "shop.yaml")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return Of("shop.yaml", m, formula.Kubelet{Version: formula.NewestKnown}, predict.Options{})
}

func TestDiff(t *testing.T) {
	g := NewWithT(t)
	before := forecastOf(t, shop)
	same := DiffOf(before, forecastOf(t, "# a comment moves all lines\n"+shop))
	g.Expect(same.changes).To(BeEmpty())
	g.Expect(same.same).To(Equal(2))
	g.Expect(same.Finds(findings.Note)).To(BeFalse(), "what both have is not new")
	g.Expect(same.counts()).To(Equal("2 workloads, nothing changed"))

	const containers = "      containers:"
	longer := strings.Replace(shop, containers, "      terminationGracePeriodSeconds: 45\n"+containers, 1)
	d := DiffOf(before, forecastOf(t, strings.NewReplacer("{name: job}", "{name: other}",
		"[{name: app, image: app}]", "[{name: app, image: app, lifecycle: {preStop: {sleep: {seconds: 30}}}}]").
		Replace(longer)))
	g.Expect(d.counts()).To(Equal("3 workloads, 1 changed, 1 added, 1 removed"))
	web, other, job := d.changes[0], d.changes[1], d.changes[2]
	g.Expect([]string{web.workload(), web.kind}).To(Equal([]string{"Deployment shop/web", changed}))
	g.Expect(web.answers).To(ContainElement(And(HaveField("Question", "Delete"),
		HaveField("Before", ContainSubstring("32")), HaveField("After", ContainSubstring("45")))))
	g.Expect(web.answers).NotTo(ContainElement(HaveField("Question", "Ready")), "it is the same")
	g.Expect(web.gone).To(ContainElement(HaveField("Rule", "hook-equals-grace")))
	g.Expect(web.new).To(BeEmpty(), "grace-above-eviction has other numbers")
	g.Expect(d.Finds(findings.Note)).To(BeTrue())
	g.Expect(d.Finds(findings.Error)).To(BeFalse())
	g.Expect([]string{other.workload(), other.kind}).To(Equal([]string{"Pod other", added}))
	g.Expect(other.answers).To(HaveEach(HaveField("Before", BeEmpty())))
	g.Expect(other.shown).To(HaveLen(6), "the short answers")
	g.Expect(len(other.answers)).To(BeNumerically(">", 6))
	g.Expect(job.kind).To(Equal(removed))
	g.Expect(job.answers).To(BeEmpty())

	var text, markdown bytes.Buffer
	g.Expect(DiffText(&text, d, TextOptions{})).To(Succeed())
	g.Expect(DiffMarkdown(&markdown, d)).To(Succeed())
	for line := range strings.Lines(text.String()) {
		g.Expect(utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))).To(BeNumerically("<=", 80), line)
	}
	for _, says := range []string{
		"Pod other: added", "  Delete      - SIGTERM after 30 to 33 s, SIGKILL after 32 to 35 s if alive\n",
		"              + SIGTERM", "  new warning: ",
	} {
		g.Expect(text.String()).To(ContainSubstring(says))
	}
	for _, says := range []string{"#### `Pod job`: removed", "| **Delete** | SIGTERM", "- **new warning**: "} {
		g.Expect(markdown.String()).To(ContainSubstring(says))
	}
}

// A finding is old if its rule and field are, also beside a new container or with another number.
func TestDiffKnowsOldFindings(t *testing.T) {
	g := NewWithT(t)
	before := forecastOf(t, shop)
	const app = "      - {name: app"
	for name, text := range map[string]string{
		"a container before it": strings.Replace(shop, app, "      - {name: first, image: app}\n"+app, 1),
		"another number": strings.NewReplacer("seconds: 30", "seconds: 31",
			"      containers:", "      terminationGracePeriodSeconds: 31\n      containers:").Replace(shop),
	} {
		d := DiffOf(before, forecastOf(t, text))
		g.Expect(d.changes).To(HaveLen(1), name)
		old := HaveField("Rule", "hook-equals-grace")
		g.Expect(d.changes[0].after.Findings).To(ContainElement(old), name)
		g.Expect(d.changes[0].new).NotTo(ContainElement(old), name)
		g.Expect(d.changes[0].gone).NotTo(ContainElement(old), name)
	}
	note, warning := []findings.Finding{{Level: findings.Note}}, []findings.Finding{{Level: findings.Warning}}
	g.Expect(lacking(warning, note)).To(HaveLen(1))
	g.Expect(lacking(note, warning)).To(BeEmpty())
}

// An answer without a short form is shown if it changes, such as that about a lost node. So is a change that the
// rounded times of a short answer hide.
func TestDiffOfOtherAnswers(t *testing.T) {
	const containers = "      containers:"
	hook := strings.Replace(shop, "sleep: {seconds: 30}", "exec: {command: [sleep, '2.1']}", 1)
	for name, c := range map[string]struct{ before, after, question, was, is string }{
		"a toleration": {
			shop, strings.Replace(shop, containers, "      tolerations: [{key: node.kubernetes.io/unreachable, "+
				"effect: NoExecute, operator: Exists, tolerationSeconds: 60}]\n"+containers, 1),
			"Lost node", "deleted after 340 to 371 s", "deleted after 99.6 to 131 s",
		},
		"a rollout": {
			shop, strings.Replace(shop, "spec:\n  selector", "spec:\n  paused: true\n  selector", 1),
			"Rollout", "1 pod: ", "never, because the Deployment is paused",
		},
		"a tenth of a second": {
			hook, strings.Replace(hook, "2.1", "2.2", 1),
			"Delete", "SIGTERM after 2.1 to 5.3 s", "SIGTERM after 2.2 to 5.4 s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			d := DiffOf(forecastOf(t, c.before), forecastOf(t, c.after))
			g.Expect(d.changes).To(HaveLen(1))
			g.Expect(d.changes[0].shown).To(ContainElement(And(HaveField("Question", c.question),
				HaveField("Before", ContainSubstring(c.was)), HaveField("After", ContainSubstring(c.is)))))
			g.Expect(d.changes[0].answers).To(Equal(d.changes[0].shown))
		})
	}
}

// Two workloads of one name are compared in their order.
func TestDiffOfWorkloadsWithOneName(t *testing.T) {
	g := NewWithT(t)
	twice := forecastOf(t, shop+"---\n"+shop)
	g.Expect(DiffOf(twice, twice).same).To(Equal(4))
	g.Expect(DiffOf(forecastOf(t, shop), twice).counts()).To(Equal("4 workloads, 2 added"))
}

// A long path, workload or release is no reason for a long line.
func TestTitlesAreWrapped(t *testing.T) {
	g := NewWithT(t)
	f := forecastOf(t, strings.Replace(shop, "name: web", "name: a-"+strings.Repeat("long-", 11)+"name", 1))
	f.Manifest = strings.Repeat("folder/", 9) + "and file.yaml"
	var text bytes.Buffer
	g.Expect(Text(&text, f, TextOptions{Columns: 70})).To(Succeed())
	for line := range strings.Lines(text.String()) {
		g.Expect(utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))).To(BeNumerically("<=", 70), line)
	}
}

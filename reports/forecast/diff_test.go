package forecast

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/manifest"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
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
	d := DiffOf(before, forecastOf(t, strings.Replace(longer, "{name: job}", "{name: other}", 1)))
	g.Expect(d.counts()).To(Equal("3 workloads, 1 changed, 1 added, 1 removed"))
	web, other, job := d.changes[0], d.changes[1], d.changes[2]
	g.Expect([]string{web.workload(), web.kind}).To(Equal([]string{"Deployment shop/web", changed}))
	g.Expect(web.answers).To(ContainElement(And(HaveField("Question", "Delete"),
		HaveField("Before", ContainSubstring("32")), HaveField("After", ContainSubstring("45")))))
	g.Expect(web.answers).NotTo(ContainElement(HaveField("Question", "Ready")), "it is the same")
	g.Expect(web.gone).To(ContainElement(HaveField("Rule", "hook-equals-grace")))
	g.Expect(web.new).To(ContainElement(HaveField("Rule", "grace-above-eviction")))
	g.Expect(d.Finds(findings.Note)).To(BeTrue())
	g.Expect(d.Finds(findings.Error)).To(BeFalse())
	g.Expect([]string{other.workload(), other.kind}).To(Equal([]string{"Pod other", added}))
	g.Expect(other.answers).To(HaveEach(HaveField("Before", BeEmpty())))
	g.Expect(job.kind).To(Equal(removed))
	g.Expect(job.answers).To(BeEmpty())

	var text, markdown bytes.Buffer
	g.Expect(DiffText(&text, d, TextOptions{})).To(Succeed())
	g.Expect(DiffMarkdown(&markdown, d)).To(Succeed())
	for line := range strings.Lines(text.String()) {
		g.Expect(len(strings.TrimSuffix(line, "\n"))).To(BeNumerically("<=", 80), line)
	}
	for _, says := range []string{
		"Pod other: added", "  Delete      - SIGTERM", "              + SIGTERM", "  new note: ",
	} {
		g.Expect(text.String()).To(ContainSubstring(says))
	}
	for _, says := range []string{"#### `Pod job`: removed", "| **Delete** | SIGTERM", "- **new note**: "} {
		g.Expect(markdown.String()).To(ContainSubstring(says))
	}
}

// Two workloads of one name are compared in their order.
func TestDiffOfWorkloadsWithOneName(t *testing.T) {
	g := NewWithT(t)
	twice := forecastOf(t, shop+"---\n"+shop)
	g.Expect(DiffOf(twice, twice).same).To(Equal(4))
	g.Expect(DiffOf(forecastOf(t, shop), twice).counts()).To(Equal("4 workloads, 2 added"))
}

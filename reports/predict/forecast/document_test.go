package forecast

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// fit expects that a document fits a JSON schema.
func fit(t *testing.T, schema string, document any) {
	t.Helper()
	g := NewWithT(t)
	parsed, err := validator.UnmarshalJSON(strings.NewReader(schema))
	g.Expect(err).NotTo(HaveOccurred())
	c := validator.NewCompiler()
	g.Expect(c.AddResource("schema.json", parsed)).To(Succeed())
	compiled, err := c.Compile("schema.json")
	g.Expect(err).NotTo(HaveOccurred())
	text, err := json.Marshal(document)
	g.Expect(err).NotTo(HaveOccurred())
	value, err := validator.UnmarshalJSON(bytes.NewReader(text))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(compiled.Validate(value)).To(Succeed(), string(text))
}

func TestDocumentsFitTheirSchemas(t *testing.T) {
	g := NewWithT(t)
	shop, pod := forecast(t, "shop.yaml"), forecast(t, "pod.yaml")
	for _, f := range []Forecast{shop, pod} {
		fit(t, v1alpha1.Schema, Document(f, false))
		fit(t, v1alpha1.Schema, Document(f, true))
	}
	_, err := manifest.Read(strings.NewReader("{apiVersion: v1, kind: Pot}"), "pot.yaml")
	refused := Refused([]error{err, errors.New("no such file")})
	fit(t, v1alpha1.Schema, refused)
	g.Expect(refused.Problems).To(HaveExactElements(
		And(HaveField("File", "pot.yaml"), HaveField("Field", "kind"), HaveField("Line", 1)),
		Equal(v1alpha1.Problem{Message: "no such file"})))
	diff := DiffDocument(DiffOf(shop, pod))
	g.Expect(diff.Changes).To(HaveLen(len(shop.Predictions) + len(pod.Predictions)))
	fit(t, v1alpha1.DiffSchema, diff)
	fit(t, v1alpha1.DiffSchema, RefusedDiff("old.yaml", "new.yaml", []error{err}))
}

// A program reads the numbers that a person reads in the sentences and tables.
func TestDocumentHasTheAnswers(t *testing.T) {
	for _, name := range []string{"shop.yaml", "pod.yaml"} {
		g := NewWithT(t)
		f := forecast(t, name)
		d := Document(f, false)
		g.Expect(d.Formulas).To(BeEmpty())
		for i, p := range f.Predictions {
			w := d.Workloads[i]
			for j, s := range sentences.All(p) {
				g.Expect(w.Answers[len(w.Answers)-len(sentences.All(p))+j]).
					To(Equal(v1alpha1.Answer{Question: s.Label, Answer: s.Description}))
			}
			g.Expect(w.LostNode.UnreadySecondsMax).To(Equal(p.LostNode.Unready.Latest.Seconds()))
			g.Expect(w.LostNode.DeletedSecondsMin).To(HaveValue(Equal(p.LostNode.Deleted.Earliest.Seconds())))
			g.Expect(w.Findings).To(HaveLen(len(p.Findings)))
			for j, c := range p.Containers {
				g.Expect(w.Containers[j].Timelines).To(BeEmpty())
				for n, k := range c.Answers.Kills {
					cause := w.Containers[j].Causes[n]
					g.Expect(cause.Since).To(Equal(k.Begins))
					g.Expect(cause.DeathSecondsMax).To(BeNumerically("~", k.Dead.Latest.Seconds(), 1e-6))
					if k.SIGKILL == nil {
						g.Expect(cause.SIGKILLSecondsMin).To(BeNil())
					} else {
						g.Expect(*cause.SIGKILLSecondsMax).To(BeNumerically("~", k.SIGKILL.Latest.Seconds(), 1e-6))
					}
				}
				for _, r := range c.Answers.Restarts {
					if r.Restarted != nil {
						g.Expect(w.Containers[j].Causes).
							To(ContainElement(HaveField("RestartSecondsMax",
								HaveValue(Equal(seconds(r.Restarted.Latest))))))
					}
				}
			}
		}
	}
}

// The reason of an ignored finding is beside it.
func TestDocumentHasIgnoredFindings(t *testing.T) {
	g := NewWithT(t)
	w := Document(forecastOf(t, strings.Replace(shop, "{name: web, namespace: shop}",
		`{name: web, annotations: {podclock/ignore-hook-equals-grace: "it is a test"}}`, 1)), false).Workloads[0]
	g.Expect(w.IgnoredFindings).To(HaveExactElements(And(
		HaveField("Rule", "hook-equals-grace"), HaveField("Reason", "it is a test"), HaveField("Fix", Not(BeEmpty())))))
	g.Expect(w.Findings).NotTo(ContainElement(HaveField("Rule", "hook-equals-grace")))
}

// All timelines are there on request, with their formulas. A value that is a time would need a unit in its name.
func TestDocumentOfAllTimelines(t *testing.T) {
	g := NewWithT(t)
	f := forecast(t, "shop.yaml")
	d := Document(f, true)
	for i, w := range d.Workloads {
		for j, c := range w.Containers {
			timelines := f.Predictions[i].Containers[j].Timelines
			g.Expect(c.Timelines).To(HaveLen(len(timelines)))
			for n, timeline := range c.Timelines {
				g.Expect(timeline.Steps).To(HaveLen(len(timelines[n].Steps)))
				for _, s := range timeline.Steps {
					described := s.Formula == "" || d.Formulas[s.Formula].Source != ""
					g.Expect(described).To(BeTrue(), "%s %s", timeline.ID, s.ID)
				}
				for _, v := range timeline.Values {
					g.Expect(v.Unit).NotTo(Equal(string(formula.Nanoseconds)))
				}
			}
		}
	}
}

// full has every kind of cause of a container.
const full = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  activeDeadlineSeconds: 4000
  tolerations:
  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  containers:
  - name: app
    image: app
    lifecycle: {preStop: {sleep: {seconds: 20}}}
    startupProbe: {httpGet: {port: 8080}, failureThreshold: 30}
    livenessProbe: {httpGet: {port: 8080}, periodSeconds: 5}
    readinessProbe: {httpGet: {port: 8080}, periodSeconds: 5}
`

// The promise of docs/predictions.md: at most 5 kB for each container. With sentences and findings, whole manifests
// take no more than that on average.
func TestDocumentsAreSmall(t *testing.T) {
	g := NewWithT(t)
	size := func(value any) int {
		text, err := json.Marshal(value)
		g.Expect(err).NotTo(HaveOccurred())
		return len(text)
	}
	w := Document(forecastOf(t, full), false).Workloads[0]
	g.Expect(len(w.Containers[0].Causes)).To(BeNumerically(">", 10))
	g.Expect(size(w.Containers[0])).To(BeNumerically("<=", 5000))
	for _, f := range []Forecast{forecast(t, "shop.yaml"), forecast(t, "pod.yaml"), forecastOf(t, many(100, 20))} {
		containers := 0
		for _, p := range f.Predictions {
			containers += len(p.Containers)
		}
		g.Expect(size(Document(f, false))/containers).To(BeNumerically("<=", 5000), f.Manifest)
	}
}

// Programs get the numbers of the sentences.
func TestDocumentsOfControllers(t *testing.T) {
	g := NewWithT(t)
	m, err := manifest.Read(strings.NewReader("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: "+
		"{replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: "+
		"[{name: app, image: i}]}}}}"), "")
	g.Expect(err).NotTo(HaveOccurred())
	f := Of("", m, formula.Kubelet{Version: formula.NewestKnown}, predict.Options{})
	w := Document(f, false).Workloads[0].AllPods
	g.Expect(*w.Rollout.SecondsMax).To(BeNumerically("~", 77.1, 0.01))
	g.Expect(w.Rollout.PodStarts).To(Equal(2))
	g.Expect(w.ScaleDown.PodsAtOnce).To(Equal(1))
	g.Expect(w.Drain).To(BeNil())
}

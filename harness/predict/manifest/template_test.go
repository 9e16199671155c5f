package manifest

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// widgets has two custom resources with a pod template each below the fields of a widget, in a list.
const widgets = `apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: web, namespace: shop, annotations: {a: of the widget}}
  spec:
    size: 3
    worker:
      template:
        metadata: {annotations: {b: of the template}}
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 45
          containers: [{name: app, image: app}]
    others:
    - pod: {spec: {containers: [{name: first, image: app}]}}
    - pod: {spec: {containers: [{name: second, image: app}]}}
`

func parsed(t *testing.T, path string) Template {
	t.Helper()
	template, err := ParseTemplate("example.com/Widget=" + path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return template
}

func TestTemplatesOfCustomResources(t *testing.T) {
	g := NewWithT(t)
	m, err := Read(strings.NewReader(widgets), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Skipped).To(Equal([]Skipped{{Kind: "Widget", Count: 1, Unknown: true}}), "no path is given")

	m, err = Read(strings.NewReader(widgets), "", parsed(t, ".spec.worker.template"),
		parsed(t, "spec.others[*].pod"), parsed(t, ".spec.none"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Skipped).To(BeEmpty())
	var containers, places []string
	for _, o := range m.Objects {
		g.Expect([]string{o.APIVersion, o.Kind, o.Namespace, o.Name}).
			To(Equal([]string{"example.com/v1", "Widget", "shop", "web"}))
		containers, places = append(containers, o.Pod.Spec.Containers[0].Name), append(places, o.PodPath)
	}
	g.Expect(containers).To(Equal([]string{"app", "first", "second"}))
	g.Expect(places).To(Equal([]string{"items[0].spec.worker.template.spec", "items[0].spec.others[0].pod.spec",
		"items[0].spec.others[1].pod.spec"}))
	o := m.Objects[0]
	g.Expect(o.Annotations).To(Equal(map[string]string{"a": "of the widget", "b": "of the template"}))
	g.Expect(o.LineOf(o.PodPath + ".terminationGracePeriodSeconds")).To(Equal(14))
	g.Expect(m.Objects[2].LineOf(m.Objects[2].PodPath + ".containers")).To(Equal(18))
}

// A newer API server has fields that no release knew when podclock was built.
func TestServedTemplates(t *testing.T) {
	g := NewWithT(t)
	newer := strings.Replace(widgets, "restartPolicy: Never", "fromTheFuture: true", 1)
	_, err := Read(strings.NewReader(newer), "", parsed(t, ".spec.worker.template"))
	g.Expect(err).To(MatchError(ContainSubstring("fromTheFuture: unknown field")))
	m, err := ReadServed(strings.NewReader(newer), "", parsed(t, ".spec.worker.template"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Objects[0].Pod.Spec.TerminationGracePeriodSeconds).To(HaveValue(BeEquivalentTo(45)))
}

// Errors have the field's path and line in the manifest, whatever its template is read as.
func TestWrongTemplates(t *testing.T) {
	for says, change := range map[string][2]string{
		"15: %s.spec.containers[0].imag: unknown field; did you mean image?": {"name: app, image", "name: app, imag"},
		"15: %s.spec.containers[0].name: Invalid":                            {"name: app,", "name: App,"},
		"14: %s.spec.terminationGracePeriodSeconds: is a string":             {"Seconds: 45", "Seconds: long"},
		"9: %s: there is no pod template here":                               {"template:", "pod:"},
	} {
		says = "line " + fmt.Sprintf(says, "Widget web: items[0].spec.worker.template")
		_, err := Read(strings.NewReader(strings.Replace(widgets, change[0], change[1], 1)), "",
			parsed(t, ".spec.worker.template"))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)))
	}
	for _, wrong := range []string{"", "Widget", "Widget=.spec", "example.com/Widget", "example.com/Widget=", "=.spec",
		"apps/Deployment=.spec.template", "example.com/=.spec"} {
		_, err := ParseTemplate(wrong)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("name a custom resource and")), wrong)
	}
}

package v1alpha1

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	. "github.com/onsi/gomega"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the schema and the golden files instead of comparing with them")

// schemaFile is the JSON schema of the report.
const schemaFile = "timingconformancereport.schema.json"

// generated returns the schema of the declarations. Their comments are its descriptions.
func generated(t *testing.T) []byte {
	t.Helper()
	g := NewWithT(t)
	r := &jsonschema.Reflector{ExpandedStruct: true}
	g.Expect(r.AddGoComments("github.com/podclock/podclock/reports/apis/v1alpha1", ".")).To(Succeed())
	for name, comment := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(comment), " ")
	}
	schema := r.Reflect(TimingConformanceReport{})
	schema.ID = schemaID
	schema.Title = Kind + " of " + APIVersion
	data, err := json.MarshalIndent(schema, "", "  ")
	g.Expect(err).NotTo(HaveOccurred())
	return append(data, '\n')
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	g := NewWithT(t)
	want := generated(t)
	if *update {
		g.Expect(os.WriteFile(schemaFile, want, 0o644)).To(Succeed())
	}
	got, err := os.ReadFile(schemaFile)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: go test ./reports/apis/v1alpha1 -update")
	g.Expect(string(got)).To(Equal(string(want)), "write it with: go test ./reports/apis/v1alpha1 -update")
}

// fits returns a validator's error about a report.
func fits(t *testing.T, text []byte) error {
	t.Helper()
	data, err := yaml.YAMLToJSON(text)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	report, err := validator.UnmarshalJSON(bytes.NewReader(data))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return schema().Validate(report)
}

// TestSchemaDescribesEveryField expects a description of every field.
func TestSchemaDescribesEveryField(t *testing.T) {
	g := NewWithT(t)
	var schema struct {
		Properties map[string]struct{ Description string }
		Defs       map[string]struct {
			Description string
			Properties  map[string]struct{ Description string }
		} `json:"$defs"`
	}
	g.Expect(json.Unmarshal(generated(t), &schema)).To(Succeed())
	g.Expect(schema.Defs).NotTo(BeEmpty())
	for name, d := range schema.Defs {
		g.Expect(d.Description).NotTo(BeEmpty(), name)
		for field, p := range d.Properties {
			g.Expect(p.Description).NotTo(BeEmpty(), name+"."+field)
		}
	}
	for name, p := range schema.Properties {
		g.Expect(p.Description).NotTo(BeEmpty(), name)
	}
}

func TestSchemaTakesTheExampleAndNothingElse(t *testing.T) {
	text, err := Write(example())
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(fits(t, text)).To(Succeed())
	for name, spoil := range map[string][2]string{
		"another version":    {"apiVersion: podclock.dev/v1alpha1", "apiVersion: podclock.dev/v1"},
		"another kind":       {"kind: TimingConformanceReport", "kind: ConformanceReport"},
		"no date":            {`date: "2026-03-02T10:00:25Z"`, "date: yesterday"},
		"no digest":          {"planDigest: sha256:", "planDigest: md5:"},
		"no result":          {"\nresult: failure\n", "\n"},
		"a new result":       {"\nresult: failure\n", "\nresult: fine\n"},
		"an unknown lane":    {"lane: node", "lane: fast"},
		"one field more":     {"kind: TimingConformanceReport", "kind: TimingConformanceReport\nscore: 11"},
		"a negative count":   {"divergent: 1", "divergent: -1"},
		"a count in words":   {"divergent: 1", "divergent: one"},
		"no reason":          {"reason: the run was interrupted", `reason: ""`},
		"a new cause":        {"cause: unselected", "cause: forgotten"},
		"a window in words":  {"latest: 5.5", "latest: late"},
		"an unknown verdict": {"verdict: deviates", "verdict: bad"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(strings.Count(string(text), spoil[0])).To(BeNumerically(">", 0), "the example has %q", spoil[0])
			g.Expect(fits(t, []byte(strings.ReplaceAll(string(text), spoil[0], spoil[1])))).NotTo(Succeed())
		})
	}
}

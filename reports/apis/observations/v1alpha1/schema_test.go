package v1alpha1

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	. "github.com/onsi/gomega"
)

var update = flag.Bool("update", false, "write the schemas instead of comparing with them")

const home = "https://raw.githubusercontent.com/podclock/podclock/main/"

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	const folder = "reports/apis/observations/v1alpha1"
	for file, of := range map[string]struct {
		kind  string
		value any
	}{"podobservation.schema.json": {Kind, Observation{}}} {
		g := NewWithT(t)
		r := &jsonschema.Reflector{ExpandedStruct: true}
		g.Expect(r.AddGoComments("github.com/podclock/podclock/"+folder, ".")).To(Succeed())
		for name, comment := range r.CommentMap {
			r.CommentMap[name] = strings.Join(strings.Fields(comment), " ")
		}
		schema := r.Reflect(of.value)
		schema.ID = jsonschema.ID(home + folder + "/" + file)
		schema.Title = of.kind + " of " + APIVersion
		want, err := json.MarshalIndent(schema, "", " ")
		g.Expect(err).NotTo(HaveOccurred())
		if *update {
			g.Expect(os.WriteFile(file, append(want, '\n'), 0o644)).To(Succeed())
		}
		got, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(got)).To(Equal(string(want)+"\n"), "write it with: go test ./"+folder+" -update")
		g.Expect(described(schema)).To(BeEmpty(), "fields without a comment")
	}
}

// described returns the properties that have no description.
func described(schema *jsonschema.Schema) (bare []string) {
	for name, definition := range schema.Definitions {
		for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
			if p.Value.Description == "" {
				bare = append(bare, name+"."+p.Key)
			}
		}
	}
	return bare
}

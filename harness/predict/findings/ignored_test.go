package findings

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestSplit(t *testing.T) {
	g := NewWithT(t)
	zero, equal, one := Finding{Rule: "grace-zero"}, Finding{Rule: "hook-equals-grace"}, Finding{Rule: "grace-one"}
	active, ignored := Split([]Finding{zero, equal, one}, []string{"grace-one"}, map[string]string{
		Annotation + "grace-zero":        " no connections ",
		Annotation + "hook-equals-grace": " ",
		"grace-one":                      "not the key",
	})
	g.Expect(active).To(Equal([]Finding{equal}), "an annotation needs a reason")
	g.Expect(ignored).To(Equal([]Ignored{
		{zero, "no connections"}, {one, "all findings of this rule are ignored"},
	}))
}

func TestNamed(t *testing.T) {
	g := NewWithT(t)
	for _, id := range IDs() {
		g.Expect(Named([]string{id})).To(HaveExactElements(HaveField("ID", id)))
		g.Expect(len("ignore-"+id)).To(BeNumerically("<=", 63), "an annotation's name is no longer")
	}
	_, err := Named([]string{"grace-zero", "grace-null"})
	g.Expect(err).To(MatchError(`there is no rule "grace-null": podclock rules lists them`))
}

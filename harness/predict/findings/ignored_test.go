package findings

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestSplit(t *testing.T) {
	g := NewWithT(t)
	zero, equal, one := Finding{Rule: "grace-zero"}, Finding{Rule: "hook-equals-grace"}, Finding{Rule: "grace-one"}
	policy := Policy{
		Ignored: map[string]string{"grace-one": "all are quick", "grace-zero": "the workload's reason prevails"},
		Levels:  map[string]Level{"hook-equals-grace": Note},
	}
	active, ignored := policy.Split([]Finding{zero, equal, one}, map[string]string{
		Annotation + "grace-zero":        " no connections ",
		Annotation + "hook-equals-grace": " ",
		"grace-one":                      "not the key",
	})
	equal.Level = Note
	g.Expect(active).To(Equal([]Finding{equal}), "an annotation needs a reason")
	g.Expect(ignored).To(Equal([]Ignored{
		{Finding: zero, Reason: "no connections", InSource: true}, {Finding: one, Reason: "all are quick"},
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

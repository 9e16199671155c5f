package mutationtest

import (
	"encoding/json"
	"testing"

	"github.com/onsi/gomega"
)

// Reports of v0.0.0 call a killed mutant caught.
func TestStatusOfAnOlderReport(t *testing.T) {
	g := gomega.NewWithT(t)
	var m []Mutant
	g.Expect(json.Unmarshal([]byte(`[{"name":"a","verdict":"caught"},{"name":"b","verdict":"killed"},
		{"name":"c","verdict":"survived"}]`), &m)).To(gomega.Succeed())
	g.Expect([]Status{m[0].Verdict, m[1].Verdict, m[2].Verdict}).To(gomega.Equal([]Status{Killed, Killed, Survived}))
}

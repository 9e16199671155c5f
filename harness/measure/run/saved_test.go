package run

import (
	"bytes"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
)

// A saved run is the JSON of the whole, though its outcomes are encoded one by one.
func TestARunIsEncodedAsAWhole(t *testing.T) {
	g := NewWithT(t)
	odd := judged(`"outcomes":[]`)
	for _, outcomes := range [][]Outcome{{}, {odd}, {judged("a/1"), judged("a/2 <&>")}} {
		r := Run{Schema: Schema, ID: `"outcomes":[]`, Outcomes: outcomes, Nodes: []Node{known(2)}}
		figures := map[string]any{"outcomes": []int{}}
		want, err := json.Marshal(struct {
			Run
			Figures any `json:"figures,omitempty"`
		}{r, figures})
		g.Expect(err).NotTo(HaveOccurred())
		var got bytes.Buffer
		g.Expect(r.encode(&got, figures)).To(Succeed())
		g.Expect(got.String()).To(Equal(string(want) + "\n"))
	}
}

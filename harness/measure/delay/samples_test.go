package delay

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
)

func TestSamplesAreSavedAsRows(t *testing.T) {
	g := NewWithT(t)
	all := Samples{{At: 1000, CPUNS: 20, IONS: 3}, {At: 1250, CPUNS: 25, IONS: 3}}
	saved, err := json.Marshal(all)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(saved).To(BeEquivalentTo("[[1000,20,3],[250,5,0]]"))
	first, err := json.Marshal([]Sample(all))
	g.Expect(err).NotTo(HaveOccurred())
	for _, text := range [][]byte{saved, first} {
		var read Samples
		g.Expect(json.Unmarshal(text, &read)).To(Succeed())
		g.Expect(read).To(Equal(all))
	}
}

package suites

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/reach"
	"github.com/podclock/podclock/harness/rules/formula"
)

// leastMapped is the share of the trials that the map must have. One that it lacks says nothing about where a fault is.
const leastMapped = 0.95

// The map that names functions for a deviation has the trials of the catalogue, and no other.
func TestTheSavedMapHasTheTrials(t *testing.T) {
	g := NewWithT(t)
	m := reach.Saved()
	known, can := map[string]bool{}, 0
	for _, one := range Catalogue() {
		if known[one.ID] = true; one.NodeOnly == "" && one.Unsupported(formula.Kubelet{Version: m.Version}) == "" {
			can++
		}
	}
	for _, id := range m.Trials {
		g.Expect(known).To(HaveKey(id), "it is no trial any more: make reach")
	}
	g.Expect(len(m.Trials)).To(BeNumerically(">=", leastMapped*float64(can)), "measure the map again: make reach")
}

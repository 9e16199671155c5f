package probes

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// The grid contains every pair of values, in few trials of at most a minute. It chooses the same trials each
// time, so their IDs are stable.
func TestGrid(t *testing.T) {
	g := gomega.NewWithT(t)
	points := grid()
	g.Expect(len(points)).To(gomega.BeNumerically("~", 16, 4))
	g.Expect(grid()).To(gomega.Equal(points))
	chosen := map[string]bool{}
	for _, p := range points {
		for _, pair := range p.pairs() {
			chosen[pair] = true
		}
		g.Expect(p.lasts()).To(gomega.BeNumerically("<=", time.Minute), p.trial().ID)
	}
	for _, p := range gridCandidates() {
		for _, pair := range p.pairs() {
			g.Expect(chosen).To(gomega.HaveKey(pair))
		}
	}
}

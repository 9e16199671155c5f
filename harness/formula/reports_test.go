package formula

import (
	"math/rand"
	"testing"

	"github.com/onsi/gomega"
)

// A correct kubelet stays below the bound, and one that always collects too early does not.
func TestEarlyCollections(t *testing.T) {
	draw := rand.New(rand.NewSource(1))
	for _, restarts := range []int{1, 3, 20, 200, 2000} {
		w := EarlyCollections(restarts).Implemented(Input{})
		g := gomega.NewWithT(t)
		for range 10_000 {
			n := int64(0)
			for range restarts {
				if draw.Float64() < collectionRace {
					n++
				}
			}
			g.Expect(w.Contains(n)).To(gomega.BeTrue(), "%d of %d restarts: %v", n, restarts, w)
		}
		g.Expect(w.Contains(int64(restarts))).To(gomega.Equal(restarts <= 3), "%d restarts: %v", restarts, w)
	}
}

// The probabilities are those of a binomial distribution: 0.9^2, and 0.9^2 + 2*0.9*0.1.
func TestMostByChance(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(mostByChance(0, 0.1, 1e-6)).To(gomega.Equal(0))
	g.Expect(mostByChance(2, 0.1, 0.191)).To(gomega.Equal(0))
	g.Expect(mostByChance(2, 0.1, 0.189)).To(gomega.Equal(1))
	g.Expect(mostByChance(2, 0.1, 0.009)).To(gomega.Equal(2))
}

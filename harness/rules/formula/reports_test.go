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

// A deleted pod of 1.26 and earlier can lose one end. Nothing else may.
func TestLostEnds(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		deleted bool
		lost    int64
		conform bool
	}{
		"a deleted pod of 1.25":             {"v1.25.16", true, 1, true},
		"of none":                           {"v1.25.16", true, 0, true},
		"two ends of a deleted pod":         {"v1.25.16", true, 2, false},
		"a pod of 1.25 that nobody deletes": {"v1.25.16", false, 1, false},
		"a deleted pod of 1.27":             {"v1.27.16", true, 1, false},
		"a deleted pod of the newest":       {NewestKnown, true, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			in := Input{Kubelet: Kubelet{Version: c.version}}
			if c.deleted {
				in.Deletes = []Delete{{}}
			}
			g.Expect(EndsKnown.Implemented(in).Contains(c.lost)).To(gomega.Equal(c.conform))
			g.Expect(EndsKnown.Documented(in).Contains(c.lost)).To(gomega.Equal(c.lost == 0))
		})
	}
}

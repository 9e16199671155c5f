package series

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view/fixture"
)

func at(value int64, w width) Point {
	return Point{Value: &value, Ends: Ends{-w.more, w.width - w.more}, Less: w.less, More: w.more, Delay: w.delay}
}

type width struct{ width, less, more, delay int64 }

func TestScatter(t *testing.T) {
	const ms = fixture.Ms
	wide := width{width: 350 * ms}
	five := []int64{10 * ms, 12 * ms, 11 * ms, 14 * ms, 20 * ms}
	both := func(up, down int64) scatter { return scatter{up: up * ms, down: down * ms, earlier: 5} }
	unnarrowed := scatter{up: 350 * ms, down: 350 * ms}
	for name, tt := range map[string]struct {
		unit          formula.Unit
		before, after Point
		earlier       []int64
		compared      int
		want          scatter
	}{
		"nothing earlier": {"", at(15*ms, wide), at(16*ms, wide), nil, 1, unnarrowed},
		"too few":         {"", at(15*ms, wide), at(16*ms, wide), five[:4], 1, unnarrowed},
		"a count": {formula.Count, at(3, width{width: 1}), at(4, width{width: 1}), make([]int64, 6), 1,
			scatter{up: 1, down: 1}},
		"one claim of all":               {"", at(15*ms, wide), at(16*ms, wide), five, 1, both(5, 5)},
		"seven, once the range":          {"", at(15*ms, wide), at(16*ms, wide), five, 7, both(15, 15)},
		"the value before is an outlier": {"", at(40*ms, wide), at(16*ms, wide), five, 7, both(30, 60)},
		"at most the window":             {"", at(15*ms, wide), at(16*ms, wide), five, 1e12, both(350, 350)},
		"the observer's error of the one before": {
			"", at(15*ms, width{350 * ms, 20 * ms, 10 * ms, 0}), at(16*ms, wide), five, 7, both(35, 35)},
		"the observer's error of the next one": {
			"", at(15*ms, wide), at(16*ms, width{350 * ms, 0, 3 * ms, 0}), five, 1, both(8, 8)},
		"the node's delay": {"", at(15*ms, wide), at(60*ms, width{350 * ms, 0, 0, 40 * ms}), five, 7, both(55, 55)},
	} {
		t.Run(name, func(t *testing.T) {
			p := pair{before: tt.before, after: tt.after, earlier: tt.earlier}
			p.Unit = cmp.Or(tt.unit, formula.Nanoseconds)
			NewWithT(t).Expect(scatterOf(p, tt.compared)).To(Equal(tt.want))
		})
	}
}

// TestReach computes (k+1) / ((n+1) C(n+k, k)) for the reach k: it must put less than one of all claims there,
// and k-1 must not. Exactly one allows either.
func TestReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, compared := rapid.IntRange(2, 200).Draw(t, "n"), rapid.IntRange(0, 100_000).Draw(t, "compared")
		k := reach(n, compared)
		ofOne := func(k int64) int { // how many claims chance puts there
			put := new(big.Int).Mul(big.NewInt(k+1), big.NewInt(int64(compared)))
			return put.Cmp(new(big.Int).Mul(big.NewInt(int64(n)+1), new(big.Int).Binomial(int64(n)+k, k)))
		}
		if ofOne(k) > 0 {
			t.Fatalf("%d times the range leave more than one of %d", k, compared)
		}
		if k > 0 && ofOne(k-1) < 0 {
			t.Fatalf("%d already is enough", k-1)
		}
	})
}

// TestReachIsThatOfExponentialDelays samples exponential delays and compares their frequency with the formula.
func TestReachIsThatOfExponentialDelays(t *testing.T) {
	const draws = 200_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct{ n, k int }{{6, 0}, {6, 1}, {6, 2}, {12, 1}, {12, 3}} {
		beyond := 0
		for range draws {
			low, high := math.Inf(1), 0.0
			for range tt.n {
				delay := random.ExpFloat64()
				low, high = min(low, delay), max(high, delay)
			}
			if random.ExpFloat64() > high+float64(tt.k)*(high-low) {
				beyond++
			}
		}
		once := float64(
			tt.n+1,
		) * float64(
			new(big.Int).Binomial(int64(tt.n+tt.k), int64(tt.k)).Int64(),
		) / float64(
			tt.k+1,
		)
		expected := draws / once
		NewWithT(
			t,
		).Expect(float64(beyond)).
			To(BeNumerically("~", expected, 4*math.Sqrt(expected)), "%d values, %d times their range", tt.n, tt.k)
		NewWithT(t).Expect(reach(tt.n, int(once)+1)).To(Equal(int64(tt.k + 1)))
	}
}

func TestSignTest(t *testing.T) {
	g := NewWithT(t)
	for _, tt := range []struct {
		above, below int
		want         float64
	}{
		{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {2, 0, 0.5},
		{0, 10, 2.0 / 1024}, {9, 1, 22.0 / 1024}, {20, 0, 2.0 / (1 << 20)}, {500, 500, 1},
	} {
		g.Expect(signTest(tt.above, tt.below)).To(BeNumerically("~", tt.want, 1e-9), "%d to %d", tt.above, tt.below)
	}
}

// pairsMoved returns claims of one formula, each of its own trial, that moved by these amounts.
func pairsMoved(by ...int64) []pair {
	const ms = fixture.Ms
	point := func(value int64) Point {
		return Point{Value: &value, Ends: Ends{4899 * ms, 5249 * ms}, More: ms}
	}
	var all []pair
	for i, d := range by {
		m := Move{Trial: fmt.Sprintf("area/trial-%d", i), Claim: "fault-to-death", Formula: "area/formula",
			Unit: formula.Nanoseconds}
		all = append(all, pairOf(m, point(5000*ms), point(5000*ms+d), nil))
	}
	return all
}

func TestShifts(t *testing.T) {
	g := NewWithT(t)
	var together, apart, hardly []int64
	for i := range int64(12) {
		together = append(together, 30*fixture.Ms+i*fixture.Ms)
		apart = append(apart, (2*(i%2)-1)*(30*fixture.Ms+i*fixture.Ms))
		hardly = append(hardly, fixture.Ms+i*1000)
	}
	together[4] = -fixture.Ms // one moves in the opposite direction
	found := shifts(pairsMoved(together...))
	g.Expect(found).To(HaveLen(1))
	g.Expect(found[0]).
		To(And(HaveField("Later", 11), HaveField("Sooner", 1), HaveField("Width", 350*fixture.Ms),
			HaveField("Median", BeNumerically("~", 35*fixture.Ms, fixture.Ms))))
	g.Expect(found[0].Chance).To(BeNumerically("<", byChance))
	g.Expect(shifts(pairsMoved(apart...))).To(BeEmpty())
	g.Expect(shifts(pairsMoved(hardly...))).To(BeEmpty(), "the observer cannot see it")
	g.Expect(shifts(pairsMoved(together[:5]...))).To(BeEmpty(), "too few for a probability")
	g.Expect(shifts(nil)).To(BeEmpty())

	many := pairsMoved(together...)
	for i := range many {
		many[i].Trial = "area/one"
	}
	g.Expect(shifts(many)).To(BeEmpty(), "twelve claims of one pod count once")

	counts := pairsMoved(together...)
	for i := range counts {
		counts[i].Unit = formula.Count
	}
	g.Expect(shifts(counts)).To(BeEmpty(), "counts do not drift")
}

// TestMovesAreSymmetric swaps before and after. A value must move by the same amount.
func TestMovesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := func(name string) Point {
			measured := rapid.Int64Range(0, 1000).Draw(t, name)
			earliest := rapid.Int64Range(0, 300).Draw(t, name+" earliest")
			width := rapid.Int64Range(0, 400).Draw(t, name+" width")
			return Point{Value: &measured, Ends: Ends{earliest, earliest + width}}
		}
		x, y := value("x"), value("y")
		m := Move{Unit: formula.Nanoseconds}
		there, back := moves([]pair{pairOf(m, x, y, nil)}), moves([]pair{pairOf(m, y, x, nil)})
		if len(there) != len(back) {
			t.Fatalf("%v forwards, %v backwards", there, back)
		}
		if len(there) == 1 && (there[0].Rest() != -back[0].Rest() || there[0].AsPredicted != back[0].AsPredicted) {
			t.Fatalf("%v forwards, %v backwards", there[0], back[0])
		}
	})
}

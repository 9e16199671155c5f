package series

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/reports/fixture"
)

func TestScatter(t *testing.T) {
	at := func(v int64) sample { return sample{value: v * fixture.Ms, width: 350 * fixture.Ms} }
	five := []int64{10 * fixture.Ms, 12 * fixture.Ms, 11 * fixture.Ms, 14 * fixture.Ms, 20 * fixture.Ms}
	for name, tt := range map[string]struct {
		unit          formula.Unit
		before, after sample
		earlier       []int64
		compared      int
		want          scatter
	}{
		"nothing earlier":         {formula.Nanoseconds, at(15), at(16), nil, 1, scatter{up: 350 * fixture.Ms, down: 350 * fixture.Ms}},
		"too few":                 {formula.Nanoseconds, at(15), at(16), five[:4], 1, scatter{up: 350 * fixture.Ms, down: 350 * fixture.Ms}},
		"a count":                 {formula.Count, sample{value: 3, width: 1}, sample{value: 4, width: 1}, []int64{0, 0, 0, 0, 0, 0}, 1, scatter{up: 1, down: 1}},
		"one claim of all":        {formula.Nanoseconds, at(15), at(16), five, 1, scatter{up: 5 * fixture.Ms, down: 5 * fixture.Ms, earlier: 5}},
		"seven, once the range":   {formula.Nanoseconds, at(15), at(16), five, 7, scatter{up: 15 * fixture.Ms, down: 15 * fixture.Ms, earlier: 5}},
		"the one before is wild":  {formula.Nanoseconds, at(40), at(16), five, 7, scatter{up: 30 * fixture.Ms, down: 60 * fixture.Ms, earlier: 5}},
		"never more than allowed": {formula.Nanoseconds, at(15), at(16), five, 1e12, scatter{up: 350 * fixture.Ms, down: 350 * fixture.Ms, earlier: 5}},
		"no finer than it is seen": {
			formula.Nanoseconds, sample{value: 15 * fixture.Ms, width: 350 * fixture.Ms, less: 20 * fixture.Ms, more: 10 * fixture.Ms}, at(16), five, 7, scatter{up: 35 * fixture.Ms, down: 35 * fixture.Ms, earlier: 5}},
		"no finer than the next one is seen": {
			formula.Nanoseconds, at(15), sample{value: 16 * fixture.Ms, width: 350 * fixture.Ms, more: 3 * fixture.Ms}, five, 1, scatter{up: 8 * fixture.Ms, down: 8 * fixture.Ms, earlier: 5}},
		"the node kept it waiting": {
			formula.Nanoseconds, at(15), sample{value: 60 * fixture.Ms, width: 350 * fixture.Ms, waited: 40 * fixture.Ms}, five, 7, scatter{up: 55 * fixture.Ms, down: 55 * fixture.Ms, earlier: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(scatterOf(tt.unit, tt.before, tt.after, tt.earlier, tt.compared)).To(Equal(tt.want))
		})
	}
}

// The reach is the least at which (k+1) / ((n+1) C(n+k, k)) puts less than one of all claims; of exactly
// one it may be either.
func TestReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, compared := rapid.IntRange(2, 200).Draw(t, "n"), rapid.IntRange(0, 100_000).Draw(t, "compared")
		k := reach(n, compared)
		ofOne := func(k int64) int { // how many claims it puts there, compared with one
			put := new(big.Int).Mul(big.NewInt(k+1), big.NewInt(int64(compared)))
			return put.Cmp(new(big.Int).Mul(big.NewInt(int64(n)+1), new(big.Int).Binomial(int64(n)+k, k)))
		}
		if ofOne(k) > 0 {
			t.Fatalf("%d times the range leave more than one of %d", k, compared)
		}
		if k > 0 && ofOne(k-1) < 0 {
			t.Fatalf("%d would have been enough", k-1)
		}
	})
}

// The probability that the reach rests on is that of exponential delays.
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
		{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {2, 0, 0.5}, {0, 10, 2.0 / 1024}, {9, 1, 22.0 / 1024}, {20, 0, 2.0 / (1 << 20)}, {500, 500, 1},
	} {
		g.Expect(signTest(tt.above, tt.below)).To(BeNumerically("~", tt.want, 1e-9), "%d to %d", tt.above, tt.below)
	}
}

// pairedTrials are claims of one formula, each of a trial of its own, that moved by so much.
func pairedTrials(by ...int64) []pairedClaim {
	var all []pairedClaim
	for i, d := range by {
		all = append(
			all,
			pairOf(
				Move{
					Trial:   fmt.Sprintf("area/trial-%d", i),
					Claim:   "cue-to-death",
					Formula: "area/formula",
					Unit:    formula.Nanoseconds,
				},
				sample{
					value:  5000 * fixture.Ms,
					anchor: 4900 * fixture.Ms,
					width:  350 * fixture.Ms,
					more:   fixture.Ms,
				},
				sample{value: 5000*fixture.Ms + d, anchor: 4900 * fixture.Ms, width: 350 * fixture.Ms, more: fixture.Ms},
			),
		)
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
	together[4] = -fixture.Ms // one against
	found := shifts(pairedTrials(together...))
	g.Expect(found).To(HaveLen(1))
	g.Expect(found[0]).
		To(And(HaveField("Later", 11), HaveField("Sooner", 1), HaveField("Width", 350*fixture.Ms), HaveField("Median", BeNumerically("~", 35*fixture.Ms, fixture.Ms))))
	g.Expect(found[0].Chance).To(BeNumerically("<", byChance))
	g.Expect(shifts(pairedTrials(apart...))).To(BeEmpty())
	g.Expect(shifts(pairedTrials(hardly...))).To(BeEmpty(), "the observer can't see it")
	g.Expect(shifts(pairedTrials(together[:5]...))).To(BeEmpty(), "too few to say anything")
	g.Expect(shifts(nil)).To(BeEmpty())

	many := pairedTrials(together...)
	for i := range many {
		many[i].Trial = "area/one"
	}
	g.Expect(shifts(many)).To(BeEmpty(), "twelve claims of one pod have one voice")

	counts := pairedTrials(together...)
	for i := range counts {
		counts[i].Unit = formula.Count
	}
	g.Expect(shifts(counts)).To(BeEmpty(), "counts do not drift")
}

// Which side is called before makes no difference to how far a value moved.
func TestMovesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := func(name string) sample {
			return sample{
				value: rapid.Int64Range(0, 1000).
					Draw(t, name),
				anchor: rapid.Int64Range(0, 300).Draw(t, name+" anchor"),
				width:  rapid.Int64Range(0, 400).Draw(t, name+" width"),
			}
		}
		x, y := value("x"), value("y")
		m := Move{Unit: formula.Nanoseconds}
		there, back := moves([]pairedClaim{pairOf(m, x, y)}), moves([]pairedClaim{pairOf(m, y, x)})
		if len(there) != len(back) {
			t.Fatalf("%v there, %v back", there, back)
		}
		if len(there) == 1 && (there[0].Rest() != -back[0].Rest() || there[0].AsPredicted != back[0].AsPredicted) {
			t.Fatalf("%v there, %v back", there[0], back[0])
		}
	})
}

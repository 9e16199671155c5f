package timeline

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestWorkIsStretchedWhereTheNodeIsBusiest(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	// A second in which half is kept waiting, one in which nine tenths are, and one that is quiet.
	n := Noise{
		Pressure: []Sample{
			{At: at(0)},
			{At: at(1000), CPUNS: ms(500)},
			{At: at(2000), CPUNS: ms(1400)},
			{At: at(3000), CPUNS: ms(1400)},
		},
	}
	for name, c := range map[string]struct{ from, to, work, want int64 }{
		"no work":                        {0, 3000, 0, 0},
		"half of what the busiest holds": {0, 3000, 50, 450},
		"all that the busiest holds":     {0, 3000, 100, 900},
		"and some of the next":           {0, 3000, 200, 1000},
		"all of both":                    {0, 3000, 600, 1400},
		"more than there is":             {0, 3000, 10000, 1400},
		"of the first second alone":      {0, 1000, 100, 100},
		"the quiet second":               {2000, 3000, 500, 0},
		"a part, in which all may lie":   {500, 1000, 100, 500},
		"before it was looked at":        {-1000, 0, 100, 0},
	} {
		gomega.NewWithT(t).
			Expect(n.Stretched(at(c.from), at(c.to), time.Duration(ms(c.work)))).
			To(gomega.Equal(time.Duration(ms(c.want))), name)
	}
}

func TestNothingGoesOnInAStall(t *testing.T) {
	n := Noise{
		Pressure: []Sample{{At: at(0)}, {At: at(4000), CPUNS: int64(2 * time.Second)}},
		Stalls: []Stall{
			{From: at(1000), To: at(1500)},
		},
		Silences: []Silence{{Of: "kubelet", From: at(2000), To: at(2700)}},
	}
	gomega.NewWithT(t).Expect(n.Stretched(at(0), at(4000), 0)).To(gomega.Equal(1200 * time.Millisecond))
	gomega.NewWithT(t).
		Expect(n.Stretched(at(0), at(4000), 100*time.Millisecond)).
		To(gomega.Equal(1300 * time.Millisecond))
	gomega.NewWithT(t).Expect(n.Stretched(at(0), at(4000), time.Minute)).To(gomega.Equal(n.Between(at(0), at(4000))))
}

// What work can have lost is never more than all that was kept waiting, grows with the work, and is all of
// it where the work fills the span.
func TestStretchIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, s := Noise{}, Sample{At: at(0)}
		for range rapid.IntRange(0, 8).Draw(t, "samples") {
			n.Pressure = append(n.Pressure, s)
			step := rapid.Int64Range(1, 1e9).Draw(t, "step")
			s.At += step
			s.CPUNS += rapid.Int64Range(0, step).Draw(t, "cpu")
		}
		n.Pressure = append(n.Pressure, s)
		from := at(0) + rapid.Int64Range(-2e9, 8e9).Draw(t, "from")
		to := from + rapid.Int64Range(0, 8e9).Draw(t, "length")
		work := time.Duration(rapid.Int64Range(0, 8e9).Draw(t, "work"))
		all, got := n.Between(from, to), n.Stretched(from, to, work)
		if got < 0 || got > all {
			t.Fatalf("%v of %v", got, all)
		}
		if more := n.Stretched(from, to, work+time.Second); more < got {
			t.Fatalf("%v for %v, but %v for a second more", got, work, more)
		}
		if whole, kept := n.Stretched(
			at(0),
			s.At,
			time.Duration(s.At-at(0)),
		), n.Between(
			at(0),
			s.At,
		); whole < kept-time.Microsecond {
			t.Fatalf("%v of %v where the work fills the span", whole, kept)
		}
	})
}

func TestOnePieceOfWorkIsDelayedInOnePlace(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	// Half a second without a pause, one with, and a second without, of which the last quarter has a pause
	// of a millisecond.
	n := Noise{
		Pressure: []Sample{
			{At: at(0)},
			{At: at(500), CPUNS: ms(500)},
			{At: at(1500), CPUNS: ms(1000)},
			{At: at(2250), CPUNS: ms(1750)},
			{At: at(2500), CPUNS: ms(1999)},
		},
	}
	for name, c := range map[string]struct{ from, to, work, want int64 }{
		"without a pause":       {0, 2500, 0, 500 + 750 + 249},
		"with a short one":      {0, 2500, 1, 500 + 999},
		"the first half second": {0, 1500, 1, 500 + 500},
		"all of it":             {0, 2500, 501, 1999},
		"nowhere":               {600, 1400, 100, 500},
	} {
		gomega.NewWithT(t).
			Expect(n.Delayed(at(c.from), at(c.to), time.Duration(ms(c.work)))).
			To(gomega.Equal(time.Duration(ms(c.want))), name)
	}
	gomega.NewWithT(t).
		Expect(Noise{Stalls: []Stall{{From: at(100), To: at(300)}}}.Delayed(at(0), at(1000), 0)).
		To(gomega.Equal(200 * time.Millisecond))
}

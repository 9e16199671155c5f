package series

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestQuartiles(t *testing.T) {
	g := NewWithT(t)
	g.Expect(QuartilesOf([]int64{7})).To(Equal(Quartiles[int64]{7, 7, 7, 7, 7}))
	g.Expect(QuartilesOf([]int64{30, 10})).To(Equal(Quartiles[int64]{10, 15, 20, 25, 30}))
	g.Expect(QuartilesOf([]int64{5, 1, 4, 2, 3})).To(Equal(Quartiles[int64]{1, 2, 3, 4, 5}))
	g.Expect(QuartilesOf([]float64{0.1, 0.2, 0.4, 0.8}).Median).To(BeNumerically("~", 0.3, 1e-12))
}

func TestQuartilesSplitValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewWithT(t)
		values := rapid.SliceOfN(rapid.Int64Range(-1e12, 1e12), 1, 60).Draw(t, "values")
		before := slices.Clone(values)
		q := QuartilesOf(values)
		g.Expect(values).To(Equal(before), "the values do not change")
		g.Expect(q.Min).To(Equal(slices.Min(values)))
		g.Expect(q.Max).To(Equal(slices.Max(values)))
		g.Expect(slices.IsSorted([]int64{q.Min, q.Q1, q.Median, q.Q3, q.Max})).To(BeTrue(), "%+v", q)
		for share, at := range map[float64]int64{0.25: q.Q1, 0.5: q.Median, 0.75: q.Q3} {
			var less, more int
			for _, v := range values {
				if v < at {
					less++
				}
				if v > at {
					more++
				}
			}
			// A value lies between its two neighbours in proportion. At most the share lies strictly below it,
			// and at most the rest above. The bounds allow one value more.
			g.Expect(float64(less)).To(BeNumerically("<=", share*float64(len(values)-1)+1), "below %d", at)
			g.Expect(float64(more)).To(BeNumerically("<=", (1-share)*float64(len(values)-1)+1), "above %d", at)
		}
		slices.Reverse(values)
		g.Expect(QuartilesOf(values)).To(Equal(q), "the order does not matter")

		by := rapid.Int64Range(-1e12, 1e12).Draw(t, "by")
		for i := range values {
			values[i] += by
		}
		moved := Quartiles[int64]{q.Min + by, q.Q1 + by, q.Median + by, q.Q3 + by, q.Max + by}
		g.Expect(QuartilesOf(values)).To(Equal(moved), "a constant added to all values is added to each quartile")
	})
}

func TestQuartilesOfPositionsStayBetweenTheirNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-2, 3), 1, 60).Draw(t, "values")
		q := QuartilesOf(values)
		NewWithT(t).Expect(slices.IsSorted([]float64{q.Min, q.Q1, q.Median, q.Q3, q.Max})).To(BeTrue(), "%+v", q)
	})
}

package series

import (
	"math"
	"slices"
)

// Quartiles are the least and the greatest of some values, and the values at a quarter, half and three quarters.
type Quartiles[T int64 | float64] struct {
	Min    T `json:"min"`
	Q1     T `json:"q1"`
	Median T `json:"median"`
	Q3     T `json:"q3"`
	Max    T `json:"max"`
}

// QuartilesOf returns the quartiles of at least one value, in any order.
func QuartilesOf[T int64 | float64](values []T) Quartiles[T] {
	sorted := slices.Sorted(slices.Values(values))
	return Quartiles[T]{
		Min:    sorted[0],
		Q1:     quantile(sorted, 0.25),
		Median: quantile(sorted, 0.5),
		Q3:     quantile(sorted, 0.75),
		Max:    sorted[len(sorted)-1],
	}
}

// quantile interpolates between the two neighbours of a share of sorted values: the seventh definition of Hyndman
// and Fan, which R and NumPy use. It rounds integers down.
func quantile[T int64 | float64](sorted []T, share float64) T {
	at := share * float64(len(sorted)-1)
	below := int(math.Floor(at))
	if below == len(sorted)-1 {
		return sorted[below]
	}
	between := float64(sorted[below+1]-sorted[below]) * (at - float64(below))
	// Rounding can make the sum of nearly equal neighbours a little more than the greater one.
	return min(sorted[below]+T(between), sorted[below+1])
}

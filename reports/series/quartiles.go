package series

import (
	"math"
	"slices"
)

// Quartiles are the least, the greatest, and the values below which a quarter, half and three quarters of
// what was measured lie.
type Quartiles[T int64 | float64] struct {
	Min    T `json:"min"`
	Q1     T `json:"q1"`
	Median T `json:"median"`
	Q3     T `json:"q3"`
	Max    T `json:"max"`
}

// quartiles of at least one value, in any order.
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

// quantile is the value below which that share of sorted values lies, between its two neighbours in
// proportion (the seventh of Hyndman and Fan's definitions, which spreadsheets, R and NumPy take, too). A
// whole number is rounded down.
func quantile[T int64 | float64](sorted []T, share float64) T {
	at := share * float64(len(sorted)-1)
	below := int(math.Floor(at))
	if below == len(sorted)-1 {
		return sorted[below]
	}
	between := float64(sorted[below+1]-sorted[below]) * (at - float64(below))
	// Of neighbours that nearly agree the sum could be a hair more than the greater one.
	return min(sorted[below]+T(between), sorted[below+1])
}

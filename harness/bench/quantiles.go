package bench

import (
	"math"
	"slices"
	"time"
)

// Quantiles is a distribution of durations.
type Quantiles struct {
	Count int           `json:"count"`
	P50   time.Duration `json:"p50NS"`
	P90   time.Duration `json:"p90NS"`
	P99   time.Duration `json:"p99NS"`
	Max   time.Duration `json:"maxNS"`
}

// quantilesOf sorts the values. A quantile is the least value that so many are at most.
func quantilesOf(values []time.Duration) Quantiles {
	q := Quantiles{Count: len(values)}
	if len(values) == 0 {
		return q
	}
	slices.Sort(values)
	at := func(share float64) time.Duration { return values[int(math.Ceil(share*float64(len(values))))-1] }
	q.P50, q.P90, q.P99, q.Max = at(0.5), at(0.9), at(0.99), at(1)
	return q
}

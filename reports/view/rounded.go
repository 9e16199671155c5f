package view

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// Measurements differ between runs. A file in a repository should change only if something changed, so its
// times are rounded.

// exact is the number of decimals of a second for values that are not rounded.
const exact = 3

// places returns the number of decimals for a time: 1 from a second on, 2 from 5 ms on, exact below.
func places(u formula.Unit, v int64) int {
	switch d := time.Duration(v).Abs(); {
	case u != formula.Nanoseconds:
		return 0
	case d >= time.Second:
		return 1
	case d >= 5*time.Millisecond:
		return 2
	}
	return exact
}

// rounded rounds a time to the given decimals of a second. It does not change a count.
func rounded(u formula.Unit, v int64, decimals int) int64 {
	if u != formula.Nanoseconds {
		return v
	}
	step := time.Second
	for range decimals {
		step /= 10
	}
	return int64(time.Duration(v).Round(step))
}

// decimal formats a rounded number without its unit.
func decimal(u formula.Unit, v int64, decimals int) string {
	if u != formula.Nanoseconds {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.*f", decimals, time.Duration(rounded(u, v, decimals)).Seconds())
}

func withUnit(u formula.Unit, number string) string {
	if u == formula.Nanoseconds {
		return number + " s"
	}
	return number
}

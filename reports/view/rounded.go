package view

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// What is measured differs from run to run. A file that is kept in a repository should not, where nothing
// has changed, so its times are rounded.

// exact is how many decimals of a second everything else is written with.
const exact = 3

// places is with how many decimals a time is written: tenths where it has seconds, hundredths where it has
// none, all of it where that would be nothing.
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

// rounded is a time of so many decimals of a second; a count is what it is.
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

// decimal writes a rounded number without its unit.
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

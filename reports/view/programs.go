package view

import (
	"strings"
	"time"
	"unicode"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// This file has what the reports for programs share: JUnit, OpenMetrics and conformance reports.

// KnownVerdict replaces a verdict other than the five by inconclusive.
func KnownVerdict(v trial.Verdict) trial.Verdict { return trial.Worse(v, trial.Conforms) }

// UnitName returns the unit of InBaseUnit's numbers: "s" for times.
func UnitName(u formula.Unit) string {
	if u == formula.Nanoseconds {
		return "s"
	}
	return string(u)
}

// InBaseUnit returns a number in the unit of UnitName: seconds for times. It divides whole numbers, which
// avoids rounding errors in the decimals.
func InBaseUnit(u formula.Unit, v int64) float64 {
	if u == formula.Nanoseconds {
		return float64(v) / float64(time.Second)
	}
	return float64(v)
}

// Printable removes the control characters that XML and annotations cannot hold, such as the colours in a
// tool's output.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

package sentences

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/predict"
)

// Count formats a number of things.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

const inMinutes = 10 * time.Minute

// Span writes a time between two bounds: "20 to 41.7 s", or one number if both are equal.
func Span(s predict.Span) string {
	unit, name := time.Second, " s"
	if s.Latest >= inMinutes {
		unit, name = time.Minute, " min"
	}
	earliest, latest := number(s.Earliest, unit), number(s.Latest, unit)
	if unit == time.Minute && s.Earliest >= time.Second && s.Earliest < time.Minute {
		return number(s.Earliest, time.Second) + " s to " + latest + name
	}
	if earliest == latest {
		return latest + name
	}
	return earliest + " to " + latest + name
}

// outward rounds the bounds of a window outwards: to whole seconds, or to the parts of minutes that Span writes.
func outward(s predict.Span) predict.Span {
	up := func(step time.Duration) time.Duration { return (s.Latest + step - 1).Truncate(step) }
	step := time.Second
	switch latest := up(step); {
	case latest >= 100*time.Minute:
		step = time.Minute
	case latest >= inMinutes:
		step = time.Minute / 10
	}
	from := step
	if s.Earliest < time.Minute {
		from = time.Second
	}
	return predict.Span{Earliest: max(0, s.Earliest.Truncate(from)), Latest: up(step)}
}

func number(d, unit time.Duration) string {
	n := float64(d) / float64(unit)
	n = math.Round(n*10) / 10
	if math.Abs(n) >= 100 {
		n = math.Round(n)
	}
	return strconv.FormatFloat(n+0, 'f', -1, 64) // + 0 makes 0 of -0
}

// listed joins the parts of a sentence that are not empty.
func listed(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// when writes "within 2.6 s", or "after 30 to 32.6 s".
func when(s predict.Span) string {
	if number(s.Earliest, time.Second) == "0" {
		return "within " + Span(predict.Span{Earliest: s.Latest, Latest: s.Latest})
	}
	return "after " + Span(s)
}

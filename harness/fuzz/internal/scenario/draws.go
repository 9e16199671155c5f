package scenario

import (
	"time"

	"github.com/podclock/podclock/harness/fuzz/internal/choice"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// draws is one scenario while it is drawn.
type draws struct {
	from *choice.Source
	tags []string
}

func (d *draws) tag(tag string) { d.tags = append(d.tags, tag) }

// number draws a number from a range. Small numbers are more likely.
func (d *draws) number(what string, from, to int) int {
	return from + d.from.Number(what, max(0, to-from))
}

// evenly draws a number from 0 to n-1. All are equally likely.
func (d *draws) evenly(what string, n int) int { return d.from.Evenly(what, n) }

// oneIn returns true one time in n. It shrinks to false.
func (d *draws) oneIn(n int, what string) bool { return d.evenly(what, n) == n-1 }

// ms draws a duration in whole milliseconds. It avoids the beginning of the range, which would be a whole
// second too often.
func (d *draws) ms(what string, from, to time.Duration) time.Duration {
	const off = 137 * time.Millisecond
	return d.anyMS(what, from+off, to)
}

// ends draws a life that ends by itself and adds it to the trial's length.
func (d *draws) ends(t *trial.Trial, run *victim.Run, from, to time.Duration) {
	lasts := d.ms("life", from, to)
	run.ExitAfter = append(run.ExitAfter, lasts)
	t.Lasts += lasts
}

// anyMS draws a duration in whole milliseconds from the whole range.
func (d *draws) anyMS(what string, from, to time.Duration) time.Duration {
	return from + time.Duration(d.number(what, 0, int((to-from)/time.Millisecond)))*time.Millisecond
}

// one draws one of the values. All are equally likely. The first must be the simplest.
func one[T any](d *draws, what string, values ...T) T { return values[d.evenly(what, len(values))] }

// grace draws terminationGracePeriodSeconds.
func (d *draws) grace() int64 {
	var g int64
	switch d.evenly("kind of grace", 8) {
	default:
		g = int64(d.number("grace", 1, 12))
	case 4, 5:
		g = int64(d.number("grace", 3, 60))
	case 6:
		g = one(d, "grace at the edge", int64(1), 0, 2, -5)
	case 7:
		g = one(d, "large grace", int64(90), 125, 300, 3600)
	}
	switch {
	case g < 0:
		d.tag("grace negative")
	case g == 0:
		d.tag("grace 0")
	case g == 1:
		d.tag("grace 1")
	case g > 60:
		d.tag("grace above 60")
	}
	return g
}

// seen returns the grace period that a kubelet sees: the API server replaces a negative one by one second.
func seen(grace int64) int64 {
	if grace < 0 {
		return 1
	}
	return grace
}

func claim(m trial.Measure, f formula.Formula) trial.Claim {
	return trial.Claim{Measure: m, Formula: f}
}

// between returns the claim that a formula predicts the time between two points.
func between(from, to trial.Point, f formula.Formula) trial.Claim {
	return claim(trial.Between(from, to), f)
}

// restartOf measures the time from a container's last death to the start of this life.
func restartOf(life int) trial.Measure {
	return trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life))
}

func seconds[N int | int32 | int64](n N) time.Duration { return time.Duration(n) * time.Second }

package drawing

import (
	"fmt"
	"time"
)

// scale places times between the two ends of a picture, which are 0 and 1.
type scale struct{ from, span time.Duration }

func (d Drawing) scale() scale { return scale{d.From, max(d.To-d.From, time.Millisecond)} }

func (s scale) at(t time.Duration) float64 { return float64(t-s.from) / float64(s.span) }

// cut returns the part of a span that is inside the picture, and whether there is any.
func (s scale) cut(from, to time.Duration) (left, right float64, inside bool) {
	left, right = s.at(from), s.at(to)
	return min(max(left, 0), 1), min(max(right, 0), 1), left <= 1 && right >= 0
}

func (s scale) holds(t time.Duration) bool { return t >= s.from && t <= s.from+s.span }

var steps = []time.Duration{
	time.Millisecond,
	2 * time.Millisecond,
	5 * time.Millisecond,
	10 * time.Millisecond,
	20 * time.Millisecond,
	50 * time.Millisecond,
	100 * time.Millisecond,
	200 * time.Millisecond,
	500 * time.Millisecond,
	time.Second,
	2 * time.Second,
	5 * time.Second,
	10 * time.Second,
	15 * time.Second,
	30 * time.Second,
	time.Minute,
	2 * time.Minute,
	5 * time.Minute,
	10 * time.Minute,
	15 * time.Minute,
	30 * time.Minute,
	time.Hour,
	2 * time.Hour,
	6 * time.Hour,
	12 * time.Hour,
	24 * time.Hour,
}

// ticks returns the ticks of an axis with at most so many steps, and the step.
func (s scale) ticks(most int) ([]time.Duration, time.Duration) {
	step := steps[len(steps)-1]
	for _, st := range steps {
		if s.span <= time.Duration(most)*st {
			step = st
			break
		}
	}
	for s.span > time.Duration(most)*step {
		step *= 2
	}
	first := s.from / step * step
	if first < s.from {
		first += step
	}
	var ticks []time.Duration
	for t := first; t <= s.from+s.span; t += step {
		ticks = append(ticks, t)
	}
	return ticks, step
}

// between returns the ticks between those of a coarse step, in the same unit, and their step. There can be none.
func (s scale) between(coarse time.Duration, most int) ([]time.Duration, time.Duration) {
	for _, fine := range steps {
		if fine >= coarse || s.span > time.Duration(most)*fine || coarse%fine != 0 || unit(fine) != unit(coarse) {
			continue
		}
		var ticks []time.Duration
		for t := s.from / fine * fine; t <= s.from+s.span; t += fine {
			if t >= s.from && t%coarse != 0 {
				ticks = append(ticks, t)
			}
		}
		return ticks, fine
	}
	return nil, coarse
}

// unit returns the largest unit that a step is a multiple of. A tenth of a second counts as seconds.
func unit(step time.Duration) string {
	switch {
	case step%time.Hour == 0:
		return "h"
	case step%time.Minute == 0:
		return "min"
	case step%(100*time.Millisecond) == 0:
		return "s"
	}
	return "ms"
}

func tickLabel(t, step time.Duration) string {
	units := map[string]time.Duration{"h": time.Hour, "min": time.Minute, "s": time.Second, "ms": time.Millisecond}
	of := units[unit(step)]
	if step%of != 0 {
		return fmt.Sprintf("%.1f s", t.Seconds())
	}
	return fmt.Sprintf("%d %s", t/of, unit(step))
}

// seconds formats a time to the millisecond, without its unit. It rounds first, so it never returns "-0.000".
func seconds(t time.Duration) string { return fmt.Sprintf("%.3f", t.Round(time.Millisecond).Seconds()) }

package timeline

import (
	"slices"
	"time"
)

// FailuresBefore counts the failing probes of a kind in a row that a life inherits from lives that ended by themselves.
func (t *Timeline) FailuresBefore(container string, number int, kind string) int {
	n := 0
	for number--; number >= 1; number-- {
		life := t.Life(container, number)
		if life == nil || life.SIGTERM() != nil {
			break
		}
		n += life.FailedInARow(kind)
		succeeds := func(p Probe) bool { return p.For == kind && !Fails(p.Answer) }
		if slices.ContainsFunc(life.Probes, succeeds) {
			break
		}
	}
	return n
}

// SuccessesBefore counts the successful probes of a kind in a row that a life inherits.
func (t *Timeline) SuccessesBefore(container string, number int, kind string) int {
	n := 0
	for number--; number >= 1; number-- {
		life := t.Life(container, number)
		if life == nil {
			break
		}
		for _, p := range slices.Backward(life.Probes) {
			if p.For != kind {
				continue
			}
			if Fails(p.Answer) {
				return n
			}
			n++
		}
	}
	return n
}

// DueAfterDeath reports whether a probe of a kind was due after a life's end and before a moment: one period after the
// last probe that the life saw. A probe that began up to the way before the end arrives after it.
func (l *Life) DueAfterDeath(kind string, period, way time.Duration, before int64) bool {
	for _, last := range slices.Backward(l.Probes) {
		if last.For == kind {
			due := last.At.At + int64(period)
			return l.Gone != nil && l.Gone.At-int64(way) < due && due < before
		}
	}
	return false
}

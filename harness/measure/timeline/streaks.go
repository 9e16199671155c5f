package timeline

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/victim"
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

// MetDead counts the probes of a kind that may have met a dead container since they last killed one: the kubelet knows
// of an end after a relist, or at the next start. Probes come up to the way after they are due.
func (t *Timeline) MetDead(container string, number int, kind string, period, way, relist time.Duration) (n int) {
	for ; number > 1; number-- {
		life, next := t.Life(container, number-1), t.Life(container, number)
		if life == nil || life.Gone == nil || next == nil || next.Started == nil ||
			life.SIGTERM() != nil && kind != victim.Readiness {
			break
		}
		n += life.DueAfterDeath(kind, period, way, min(next.Started.At, life.Gone.At+int64(relist))+int64(way))
	}
	return n
}

// DueAfterDeath counts the probes of a kind that were due after a life's end and before a moment: whole periods after
// the last probe that the life saw. A probe that began up to the way before the end arrives after it.
func (l *Life) DueAfterDeath(kind string, period, way time.Duration, before int64) (n int) {
	for _, last := range slices.Backward(l.Probes) {
		if last.For != kind || period <= 0 {
			continue
		}
		for due := last.At.At + int64(period); due < before; due += int64(period) {
			if l.Gone.At-int64(way) < due {
				n++
			}
		}
		break
	}
	return n
}

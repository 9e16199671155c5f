package trial

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/victim"
)

// probesOf fills in what was measured of the probes.
func (m Measure) probesOf(c *corev1.Container, tl *timeline.Timeline, in *formula.Input) {
	life, before := tl.Life(c.Name, in.Life), tl.Life(c.Name, in.Life-1)
	if life == nil || life.Started == nil {
		return
	}
	for _, p := range life.Probes {
		if p.For == victim.Startup && !timeline.Fails(p.Answer) {
			in.StartedUp = time.Duration(p.At.At - life.Started.At)
			break
		}
	}
	if before != nil {
		for _, p := range before.Probes {
			if p.For == victim.Startup {
				in.SinceStartup = time.Duration(life.Started.At - p.At.At)
			}
		}
		in.CarriedSuccesses = carriedSuccesses(tl, c.Name, in.Life, in.Probe.Kind)
	}
}

// takes returns how long a failing probe takes: its timeout if one was never answered.
func takes(life *timeline.Life, p formula.Probe, cause formula.Cause) time.Duration {
	kind := cmp.Or(p.Kind, victim.Liveness)
	if p.Kind == "" && cause == formula.ByStartup {
		kind = victim.Startup
	}
	for _, seen := range life.Probes {
		if seen.For == kind && seen.Answer == "H" {
			return time.Duration(p.TimeoutSeconds) * time.Second
		}
	}
	return 0
}

// carried counts the failing probes in a row that a life inherits from lives that ended by themselves.
func carried(tl *timeline.Timeline, container string, number int, kind string) int {
	n := 0
	for number--; number >= 1; number-- {
		life := tl.Life(container, number)
		if life == nil || life.SIGTERM() != nil {
			break
		}
		n += life.FailedInARow(kind)
		succeeds := func(p timeline.Probe) bool { return p.For == kind && !timeline.Fails(p.Answer) }
		if slices.ContainsFunc(life.Probes, succeeds) {
			break
		}
	}
	return n
}

// carriedSuccesses counts the successful probes in a row that a life inherits.
func carriedSuccesses(tl *timeline.Timeline, container string, number int, kind string) int {
	n := 0
	for number--; number >= 1; number-- {
		life := tl.Life(container, number)
		if life == nil {
			break
		}
		for _, p := range slices.Backward(life.Probes) {
			if p.For != kind {
				continue
			}
			if timeline.Fails(p.Answer) {
				return n
			}
			n++
		}
	}
	return n
}

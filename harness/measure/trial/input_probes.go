package trial

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
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
		in.CarriedSuccesses = tl.SuccessesBefore(c.Name, in.Life, in.Probe.Kind)
		in.MetDead = metDead(c.Name, tl, *in, 0)
	}
}

// metDead returns how many probes may have met a dead container, on a node late by so much.
func metDead(container string, tl *timeline.Timeline, in formula.Input, late time.Duration) int {
	kind, period := cmp.Or(in.Probe.Kind, string(in.Kill.Cause)), time.Duration(in.Probe.PeriodSeconds)*time.Second
	return tl.MetDead(container, in.Life, kind, period, formula.HTTPStart+late, formula.PLEGRelist)
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

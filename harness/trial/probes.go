package trial

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/victim"
)

const (
	inARow counted = "in-a-row"
	losses counted = "losses"

	probeAfterRestart event = "probe-after-kubelet-restart"
)

// ProbesInARowUntil counts the probes of a kind that a life saw before a point, back to the last one with
// the other result: successes in a row, or failures.
func ProbesInARowUntil(kind string, life int, until Point) Measure {
	return Measure{counted: inARow, kind: kind, at: Started.Life(life), mark: until}
}

// ProbesSince counts, once a life is over, the probes of a kind that it saw after a point.
func ProbesSince(kind string, since Point) Measure {
	return Measure{counted: probes, kind: kind, at: Gone, mark: since}
}

// Losses counts how often a condition of the pod was shown to be true no more until so long after a point.
func Losses(condition string, after Point, within time.Duration) Measure {
	return Measure{counted: losses, kind: condition, at: after, within: within}
}

// ProbeAfterRestart is the first probe of a kind in a life after the first cue that restarts the kubelet;
// Number chooses a later one.
func ProbeAfterRestart(kind string) Point {
	return Point{event: probeAfterRestart, container: Main, life: 1, kind: kind}
}

// ofRestart finds a probe after the kubelet's first restart.
func (p Point) ofRestart(t *timeline.Timeline, l *timeline.Life) *timeline.Instant {
	restart := firstCue(t, RestartKubelet, TuneKubelet)
	if restart == nil {
		return nil
	}
	return p.among(l.Probes, func(seen timeline.Probe) bool { return seen.For == p.kind && seen.At.At > restart.At })
}

// among is the arrival of the probe that the point's number counts among some of those that a life saw.
func (p Point) among(all []timeline.Probe, is func(timeline.Probe) bool) *timeline.Instant {
	left := p.index()
	for i := range all {
		if !is(all[i]) {
			continue
		}
		if left == 0 {
			return &all[i].At
		}
		left--
	}
	return nil
}

// streak counts the probes of a kind with one and the same result at the end of what a life saw before an
// instant. What the API shows of a probe can be here before its mark is: it counts from when it can have
// been seen.
func streak(l *timeline.Life, kind string, until timeline.Instant) int64 {
	n, failed := int64(0), false
	for _, p := range l.Probes {
		if p.For != kind || p.At.At-p.At.Early >= until.At+until.Late {
			continue
		}
		if fails := timeline.Fails(p.Answer); fails != failed {
			n, failed = 0, fails
		}
		n++
	}
	return n
}

// countProbes is the measures of this file, of a life and with a point besides.
func (m Measure) countProbes(t *timeline.Timeline, life *timeline.Life) (int64, formula.Unit, string) {
	mark := m.mark.In(t)
	if mark == nil {
		return 0, "", m.mark.String()
	}
	if m.counted == inARow {
		return streak(life, m.kind, *mark), formula.Count, ""
	}
	n := int64(0)
	for _, p := range life.Probes {
		if p.For == m.kind && p.At.At > mark.At {
			n++
		}
	}
	return n, formula.Count, ""
}

// lost counts the changes that show a condition gone between two instants.
func lost(t *timeline.Timeline, condition string, from, until int64) int64 {
	n, was := int64(0), false
	for i := range t.API {
		c := &t.API[i]
		if c.Pod != "" {
			continue
		}
		is := slices.Contains(c.Conditions, condition)
		if was && !is && c.At.At > from && c.At.At <= until {
			n++
		}
		was = is
	}
	return n
}

// probeKind is the kind of probe that the measure speaks of, empty where it speaks of none.
func (m Measure) probeKind() string {
	for _, kind := range []string{m.kind, m.To.kind, m.From.kind} {
		kind, _, _ = strings.Cut(kind, "-") // of an answered probe, the answer follows
		switch kind {
		case victim.Liveness, victim.Readiness, victim.Startup:
			return kind
		case string(corev1.PodReady):
			return victim.Readiness
		}
	}
	return ""
}

// probesOf fills in what was measured of the probe that the measure speaks of, and of the startup probe beside it.
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

// carriedSuccesses counts the successful probes in a row that a life inherits from those before it, back to
// the last failure.
func carriedSuccesses(tl *timeline.Timeline, container string, number int, kind string) int {
	n := 0
	for number--; number >= 1; number-- {
		life := tl.Life(container, number)
		if life == nil {
			break
		}
		for i := len(life.Probes) - 1; i >= 0; i-- {
			p := life.Probes[i]
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

package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// Delay explains a late value from a second before its beginning on, and an early value only if the
// beginning was late.
func TestDelayedWork(t *testing.T) {
	stall := func(from, to time.Duration) delay.Record {
		return delay.Record{LateTicks: []delay.Span{{From: zero + int64(from), To: zero + int64(to)}}}
	}
	const half = 500 * time.Millisecond
	for name, c := range map[string]struct {
		after  time.Duration
		delays delay.Record
		want   trial.Verdict
	}{
		"late by as much as the delay": {
			6*time.Second + half, stall(12*time.Second, 12*time.Second+half), trial.Inconclusive,
		},
		"late by a hair more": {6*time.Second + half + 1, stall(12*time.Second, 12*time.Second+half), trial.Deviates},
		"late, delayed before": {
			6*time.Second + half, stall(9*time.Second, 9*time.Second+half), trial.Inconclusive,
		},
		"late, delayed long before": {6*time.Second + half, stall(8*time.Second, 8*time.Second+half), trial.Deviates},
		"late, delayed afterwards":  {6*time.Second + half, stall(17*time.Second, 18*time.Second), trial.Deviates},
		"early, beginning was late": {
			5*time.Second - half, stall(9*time.Second, 9*time.Second+half), trial.Inconclusive,
		},
		"early, a hair more": {
			5*time.Second - half - 1, stall(9*time.Second, 9*time.Second+half), trial.Deviates,
		},
		"early, delayed in between": {5*time.Second - half, stall(12*time.Second, 13*time.Second-1), trial.Deviates},
		"inside, delayed at both ends": {
			5 * time.Second, stall(14*time.Second+half, 15*time.Second+half-1), trial.Conforms,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeOne(dying(narrowPromise), lifeOf(c.after), c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			gomega.NewWithT(t).Expect(f.Diagnosis).To(gomega.BeNil())
		})
	}
}

// A busy node delays work but no timer. The window leaves one second for work.
func TestDelayedWorkIsBounded(t *testing.T) {
	const latest = 6 * time.Second
	for name, c := range map[string]struct {
		busy float64
		late time.Duration
		want trial.Verdict
	}{
		"work that lost as much again": {0.5, 990 * time.Millisecond, trial.Inconclusive},
		"more than it can have lost":   {0.5, 1300 * time.Millisecond, trial.Deviates},
		"a second made four":           {0.75, 2900 * time.Millisecond, trial.Inconclusive},
		"a second made no five":        {0.75, 3500 * time.Millisecond, trial.Deviates},
		"cores that were never free":   {1, 20 * time.Second, trial.Inconclusive},
	} {
		noise, sample := delay.Record{}, delay.Sample{At: zero}
		for range 200 {
			noise.PSI = append(noise.PSI, sample)
			sample.At += int64(250 * time.Millisecond)
			sample.CPUNS += int64(c.busy * float64(250*time.Millisecond))
		}
		f := judgeOne(dying(narrowPromise), lifeOf(latest+c.late), noise)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A busy node can delay the first mark of a process, but not the mark of a signal.
func TestDelayedStart(t *testing.T) {
	busy := busyFor(time.Minute)
	hooked := func(early time.Duration) *timeline.Timeline {
		tl := lifeOf(5*time.Second - early)
		tl.Life(trial.Main, 1).Hooks = []timeline.Hook{{Began: *at(10 * time.Second)}}
		return tl
	}
	fromHook := claiming(trial.Claim{Measure: trial.Between(trial.HookBegan, trial.Gone), Formula: narrowPromise})
	g := gomega.NewWithT(t)
	g.Expect(judgeOne(fromHook, hooked(3*time.Second), busy).Verdict).To(gomega.Equal(trial.Inconclusive))
	g.Expect(judgeOne(fromHook, hooked(3*time.Second), delay.Record{}).Verdict).
		To(gomega.Equal(trial.Deviates), "but not on a quiet node")
	g.Expect(judgeOne(dying(narrowPromise), hooked(3*time.Second), busy).Verdict).
		To(gomega.Equal(trial.Deviates), "nor the time from a signal")

	probed := func(handler string) *timeline.Timeline {
		tl := lifeOf(2 * time.Second)
		tl.Life(trial.Main, 1).Probes = []timeline.Probe{
			{At: *at(10 * time.Second), For: "liveness", Handler: handler, Answer: "F"},
		}
		return tl
	}
	fromProbe := claiming(
		trial.Claim{Measure: trial.Between(trial.LastProbe("liveness"), trial.Gone), Formula: narrowPromise},
	)
	g.Expect(judgeOne(fromProbe, probed("exec"), busy).Verdict).
		To(gomega.Equal(trial.Inconclusive), "a probe over exec is a process")
	g.Expect(judgeOne(fromProbe, probed("http"), busy).Verdict).To(gomega.Equal(trial.Deviates), "a request is none")
}

// Delay explains no count.
func TestDelayExplainsNoCount(t *testing.T) {
	n := busyFor(time.Minute)
	tr := claiming(trial.Claim{Measure: trial.StopSignals(), Formula: counts(2)})
	gomega.NewWithT(t).Expect(judgeOne(tr, lifeOf(5*time.Second), n).Verdict).To(gomega.Equal(trial.Deviates))
}

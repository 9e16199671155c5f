package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

var evictionMistakes = []Mistake{
	KilledSideBySide, NoTransition, RankedOtherwise, SoftGraceIgnored, SoftGraceIgnoredTuned, EvictedAndRestarted,
	FailedWhileDying, LengthenedBySoftMaximum, NegativeMaximumDefers, PodGraceOnEviction, PreemptorFirst,
	SoftMaximumOnHard, CriticalEvicted,
}

// The numbers in this file are written by hand from the rules in Kubernetes' source; none is taken from the
// code under test.

// with returns a configured kubelet of a version.
func with(version string, configure func(*Kubelet)) Kubelet {
	k := Kubelet{Version: version}
	if configure != nil {
		configure(&k)
	}
	return k
}

func maximum(seconds int64) func(*Kubelet) {
	return func(k *Kubelet) { k.EvictionMaxPodGracePeriod = seconds }
}

// The rows are the time from SIGTERM to the death of an evicted process, for the versions whose sources were read.
func TestEvictionRemainder(t *testing.T) {
	newer := []string{"v1.34.4", "v1.35.4", "v1.36.3"}
	for name, c := range map[string]struct {
		kill Kill
		max  int64
		// old is for v1.23.1, now for the others; documented is nil if nothing is promised.
		old, now   time.Duration
		documented *time.Duration
	}{
		"hard": {
			Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 8}, 0, 8 * time.Second, 2 * time.Second, d(0),
		},
		"hard, hook hangs": {
			Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 8, Hook: ExecHook,
				HookElapsed: about(10 * time.Second)},
			0, 8 * time.Second, 2 * time.Second, d(0),
		},
		"hard, 1 s": {
			Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 1}, 0, time.Second, 2 * time.Second, d(0),
		},
		"limit": {
			Kill{Cause: ByStorageLimit, TerminationGracePeriodSeconds: 8}, 0, 8 * time.Second, 2 * time.Second, nil,
		},
		"limit, hook hangs": {
			Kill{Cause: ByStorageLimit, TerminationGracePeriodSeconds: 8, Hook: ExecHook,
				HookElapsed: about(10 * time.Second)}, 0,
			8 * time.Second, 2 * time.Second, nil},
		"soft, maximum below": {
			Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 60}, 15, 15 * time.Second, 15 * time.Second,
			d(15 * time.Second),
		},
		"soft, maximum above": {
			Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 5}, 15, 15 * time.Second, 5 * time.Second,
			d(5 * time.Second),
		},
		"soft, no maximum": {
			Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 8}, 0, 8 * time.Second, 2 * time.Second, d(0),
		},
		"soft, negative": {
			Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 10}, -1, time.Second, 2 * time.Second,
			d(10 * time.Second),
		},
		"soft, hook 2.5 of 6": {
			Kill{Cause: BySoftEviction, TerminationGracePeriodSeconds: 20, Hook: ExecHook,
				HookElapsed: about(2500 * time.Millisecond)}, 6,
			6 * time.Second, 4 * time.Second, d(3500 * time.Millisecond)},
		"preemption": {
			Kill{Cause: ByPreemption, TerminationGracePeriodSeconds: 6}, 0, 6 * time.Second, 6 * time.Second,
			d(6 * time.Second),
		},
		"preemption, hook 2.5 of 6": {
			Kill{Cause: ByPreemption, TerminationGracePeriodSeconds: 6, Hook: ExecHook,
				HookElapsed: about(2500 * time.Millisecond)}, 0,
			6 * time.Second, 4 * time.Second, d(3500 * time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			check := func(version string, want time.Duration) {
				w := EvictionRemainder.Implemented(Input{Kubelet: with(version, maximum(c.max)), Life: 1, Kill: c.kill})
				g.Expect(w.Contains(int64(want))).To(gomega.BeTrue(), "%s: %v must hold %v", version, w, want)
				g.Expect(w.Earliest).To(gomega.BeNumerically(">=", int64(want-100*time.Millisecond)), version)
				g.Expect(w.Latest).To(gomega.BeNumerically("<=", int64(want+time.Second)), version)
			}
			check("v1.23.1", c.old)
			for _, version := range newer {
				check(version, c.now)
			}
			w := EvictionRemainder.Documented(Input{Kubelet: with("v1.36.3", maximum(c.max)), Life: 1, Kill: c.kill})
			if c.documented == nil {
				g.Expect(w).To(gomega.BeNil())
				return
			}
			g.Expect(w.Contains(int64(*c.documented))).To(gomega.BeTrue(), "%v must hold %v", w, *c.documented)
			diverges := c.now > *c.documented+time.Second || c.now < *c.documented-time.Second
			g.Expect(w.Contains(int64(c.now))).NotTo(gomega.Equal(diverges), "%v against %v", c.now, w)
		})
	}
}

func d(d time.Duration) *time.Duration { return &d }

// An eviction without grace waits one second for a hook that hangs. Before, it waited for the pod's own grace period.
func TestEvictionHookBound(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		cause   Cause
		max     int64
		want    time.Duration
	}{
		"hard":             {"v1.36.3", ByHardEviction, 0, time.Second},
		"limit":            {"v1.34.4", ByStorageLimit, 0, time.Second},
		"soft":             {"v1.35.4", BySoftEviction, 6, 6 * time.Second},
		"soft, negative":   {"v1.36.3", BySoftEviction, -1, time.Second},
		"hard, v1.23.1":    {"v1.23.1", ByHardEviction, 0, 8 * time.Second},
		"soft, v1.23.1":    {"v1.23.1", BySoftEviction, 3, 8 * time.Second},
		"hard, in between": {"v1.31.0", ByHardEviction, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			in := Input{
				Kubelet: with(c.version, maximum(c.max)),
				Kill:    Kill{Cause: c.cause, TerminationGracePeriodSeconds: 8, Hook: ExecHook},
			}
			w := EvictionHookBound.Implemented(in)
			g.Expect(w.Contains(int64(c.want))).To(gomega.BeTrue(), "%v", w)
			g.Expect(w.Earliest).To(gomega.BeNumerically(">=", int64(c.want-500*time.Millisecond)))
			g.Expect(w.Latest).To(gomega.BeNumerically("<=", int64(c.want+500*time.Millisecond)))
		})
	}
	g := gomega.NewWithT(t)
	hard := Input{Kubelet: newest, Kill: Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 8, Hook: ExecHook}}
	g.Expect(EvictionHookBound.Documented(hard).Contains(int64(time.Second))).
		To(gomega.BeFalse(), "an immediate shutdown runs no hook")
}

// Checks are ten seconds apart, so a soft grace period ends with a check.
func TestSoftEvictionFound(t *testing.T) {
	for soft, want := range map[time.Duration][2]time.Duration{
		// the crossing is seen 0 to 11 s later, then come whole looks of 10 to 11 s
		time.Second:      {10 * time.Second, 22 * time.Second},
		5 * time.Second:  {10 * time.Second, 22 * time.Second},
		10 * time.Second: {10 * time.Second, 22 * time.Second},
		12 * time.Second: {20 * time.Second, 33 * time.Second},
		20 * time.Second: {20 * time.Second, 33 * time.Second},
		15 * time.Second: {20 * time.Second, 33 * time.Second},
		25 * time.Second: {30 * time.Second, 44 * time.Second},
		// two looks of 10.5 s are enough, three of 10 s may be needed
		21 * time.Second: {21 * time.Second, 44 * time.Second},
	} {
		g := gomega.NewWithT(t)
		k := with("v1.36.3", func(k *Kubelet) { k.EvictionSoftGracePeriod = soft })
		w := SoftEvictionFound.Implemented(Input{Kubelet: k, Kill: Kill{Cause: BySoftEviction}})
		g.Expect(w.Earliest).To(gomega.Equal(int64(want[0])), "soft grace %v", soft)
		g.Expect(w.Latest).
			To(gomega.BeNumerically("~", int64(want[1]+2*time.Second), int64(time.Second)), "soft grace %v", soft)
		promised := SoftEvictionFound.Documented(Input{Kubelet: k, Kill: Kill{Cause: BySoftEviction}})
		g.Expect(promised.Earliest).To(gomega.Equal(int64(soft)))
		tuned := SoftEvictionTuned.Implemented(Input{Kubelet: k, Kill: Kill{Cause: BySoftEviction}})
		g.Expect(tuned.Earliest).
			To(gomega.Equal(int64(want[0]-10*time.Second)), "the kubelet checked until it was found ready")
		g.Expect(tuned.Latest).To(gomega.Equal(w.Latest))
		in := Input{Kubelet: k, Kill: Kill{Cause: BySoftEviction}, Tuned: 2 * time.Second}
		g.Expect(SoftEvictionTuned.Implemented(in).Earliest).
			To(gomega.Equal(int64(want[0]-2*time.Second)), "the kubelet was stopped two seconds before")
	}
}

// An eviction manager that checks every ten to eleven seconds never evicts outside the window.
func TestSoftLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		soft := time.Duration(rapid.IntRange(1, 60_000).Draw(t, "soft grace, ms")) * time.Millisecond
		in := Input{
			Kubelet: with("v1.36.3", func(k *Kubelet) { k.EvictionSoftGracePeriod = soft }),
			Kill:    Kill{Cause: BySoftEviction},
		}
		waited := time.Duration(0)
		for waited < soft {
			waited += 10*time.Second + time.Duration(rapid.IntRange(0, 1000).Draw(t, "look, ms"))*time.Millisecond
		}
		if term := in.softLooks(); int64(waited) < term.Earliest || int64(waited) > term.Latest {
			t.Fatalf(
				"%v after the first look, outside [%v, %v]",
				waited,
				time.Duration(term.Earliest),
				time.Duration(term.Latest),
			)
		}
	})
}

func TestWhenEvictionsCome(t *testing.T) {
	tuned := with("v1.36.3", func(k *Kubelet) {
		k.VolumeStatsAggPeriod, k.EvictionPressureTransitionPeriod = 10*time.Second, 20*time.Second
		k.NodeStatusUpdateFrequency = 10 * time.Second
	})
	unsaid := Kubelet{Version: "v1.36.3"}
	kill := Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 8}
	for name, c := range map[string]struct {
		window           Window
		earliest, latest time.Duration
	}{
		"hard threshold": {
			HardEvictionFound.Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 13 * time.Second,
		},
		"volume, measured every 10 s": {
			VolumeLimitFound(0).Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 34 * time.Second,
		},
		"volume, measured every minute": {
			VolumeLimitFound(0).Implemented(Input{Kubelet: unsaid, Kill: kill}), 0, 134 * time.Second,
		},
		"layer": {
			LayerLimitFound(0).Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 24 * time.Second,
		},
		"layer, two others before it": {
			LayerLimitFound(2).Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 43 * time.Second,
		},
		"the next pod": {
			NextEviction.Implemented(Input{Kubelet: tuned, Kill: kill}), time.Second, 8 * time.Second,
		},
		"pressure shown": {
			PressureBegins.Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 23 * time.Second,
		},
		"pressure over": {
			PressureEnds.Implemented(Input{Kubelet: tuned, Kill: kill}), 18450 * time.Millisecond, 43 * time.Second,
		},
		"pressure over after the default": {
			PressureEnds.Implemented(Input{Kubelet: unsaid, Kill: kill}), 298450 * time.Millisecond, 323 * time.Second,
		},
		"the event overtaken": {
			EventThenKill.Implemented(Input{Kubelet: tuned, Kill: kill}), -s / 2, 3 * s / 2,
		},
		"preemption": {
			PreemptionStart.Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 3 * time.Second,
		},
		"the next preempted pod": {
			PreemptedNext.Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 3 * time.Second,
		},
		"the pod after one without a process": {
			NextAfterWaiting.Implemented(Input{Kubelet: tuned, Kill: kill}), -time.Second, 15 * time.Second,
		},
		"the critical pod": {
			PreemptorStart.Implemented(Input{Kubelet: tuned, Kill: kill}), 0, 5 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(time.Duration(c.window.Earliest)).To(gomega.Equal(c.earliest))
			g.Expect(time.Duration(c.window.Latest)).To(gomega.BeNumerically("~", c.latest, time.Second))
		})
	}
}

// A known mistake whose value is inside the claim's own window would be named for correct behaviour. The node's periods
// are those of the trials.
func TestMistakesOfEvictions(t *testing.T) {
	k := func(soft time.Duration, maximum int64) Kubelet {
		return with("v1.36.3", func(k *Kubelet) {
			k.EvictionPressureTransitionPeriod, k.EvictionSoftGracePeriod = 40*time.Second, soft
			k.EvictionMaxPodGracePeriod = maximum
		})
	}
	in := func(k Kubelet, c Cause, grace int64) Input {
		return Input{Kubelet: k, Life: 1, Kill: Kill{Cause: c, TerminationGracePeriodSeconds: grace}}
	}
	file, memory := k(15*time.Second, 0), k(25*time.Second, 6)
	for name, c := range map[string]struct {
		right   Formula
		mistake Mistake
		in      Input
	}{
		"pod's own grace":              {EvictionRemainder, PodGraceOnEviction, in(file, ByHardEviction, 8)},
		"lengthened":                   {EvictionRemainder, LengthenedBySoftMaximum, in(memory, BySoftEviction, 3)},
		"other order":                  {NextEviction, RankedOtherwise, in(memory, BySoftEviction, 3)},
		"side by side":                 {NextEviction, KilledSideBySide, in(memory, BySoftEviction, 3)},
		"soft grace ignored":           {SoftEvictionFound, SoftGraceIgnored, in(file, BySoftEviction, 8)},
		"soft grace ignored, at start": {SoftEvictionTuned, SoftGraceIgnoredTuned, in(memory, BySoftEviction, 10)},
		"no transition":                {PressureEnds, NoTransition, in(file, ByHardEviction, 8)},
		"failed while dying":           {PhaseAfterDeath, FailedWhileDying, in(file, ByHardEviction, 8)},
		"restarted":                    {EndedForGood, EvictedAndRestarted, in(file, ByHardEviction, 8)},
		"critical pod first":           {PreemptorStart, PreemptorFirst, in(file, ByPreemption, 6)},
		"critical pod evicted":         {NotEvicted, CriticalEvicted, in(memory, BySoftEviction, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			right, wrong := c.right.Implemented(c.in), c.mistake.Would(c.in)
			gomega.NewWithT(t).Expect(apart(right, wrong)).To(gomega.BeTrue(), "%v looks like %v", wrong, right)
		})
	}
}

func TestDisruptionTarget(t *testing.T) {
	for name, c := range map[string]struct {
		k    Kubelet
		kill Cause
		want int64
	}{
		"hard":                 {newest, ByHardEviction, 1},
		"soft":                 {newest, BySoftEviction, 1},
		"preemption":           {newest, ByPreemption, 1},
		"a limit of its own":   {newest, ByStorageLimit, 0},
		"before the condition": {Kubelet{Version: "v1.23.1"}, ByHardEviction, 0},
		"with the gate off": {
			Kubelet{Version: "v1.27.0", Gates: map[string]bool{"PodDisruptionConditions": false}}, ByHardEviction, 0,
		},
		"its first release":                  {Kubelet{Version: "v1.26.0"}, ByHardEviction, 1},
		"before it, at an eviction":          {Kubelet{Version: "v1.25.16"}, ByHardEviction, 0},
		"its first release, at a preemption": {Kubelet{Version: "v1.26.0"}, ByPreemption, 0},
		"before the backport":                {Kubelet{Version: "v1.27.2"}, ByPreemption, 0},
		"the backport":                       {Kubelet{Version: "v1.27.3"}, ByPreemption, 1},
		"with the gate off, at a preemption": {
			Kubelet{Version: "v1.28.0", Gates: map[string]bool{"PodDisruptionConditions": false}}, ByPreemption, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := DisruptionTarget.Implemented(Input{Kubelet: c.k, Kill: Kill{Cause: c.kill}})
			gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{c.want, c.want}))
		})
	}
}

// The wait for a pod that does not die ends after thirty seconds. The next check may evict that pod once more, which
// takes ten. The pods' lives do not matter.
func TestCleanupLimit(t *testing.T) {
	for _, version := range []string{"v1.23.1", "v1.34.4", "v1.36.3"} {
		for _, grace := range []int64{1, 8, 300} {
			g := gomega.NewWithT(t)
			w := CleanupLimit.Implemented(
				Input{
					Kubelet: Kubelet{Version: version},
					Life:    1,
					Kill:    Kill{Cause: ByStorageLimit, TerminationGracePeriodSeconds: grace},
				},
			)
			for after, in := range map[time.Duration]bool{
				28 * time.Second: false, 30 * time.Second: true, 40 * time.Second: true, 45 * time.Second: false,
				300 * time.Second: false,
			} {
				g.Expect(w.Contains(int64(after))).To(gomega.Equal(in), "%s: %v in %v", version, after, w)
			}
		}
	}
}

// The grace period is the lesser of the maximum and the pod's own, even if the maximum is wrongly applied to a hard
// threshold.
func TestSoftMaximumOnHard(t *testing.T) {
	for maximumIs, lives := range map[int64]time.Duration{6: 6 * time.Second, 20: 8 * time.Second} {
		g := gomega.NewWithT(t)
		in := Input{
			Kubelet: with("v1.36.3", maximum(maximumIs)),
			Life:    1,
			Kill:    Kill{Cause: ByHardEviction, TerminationGracePeriodSeconds: 8},
		}
		g.Expect(SoftMaximumOnHard.Would(in).Contains(int64(lives))).To(gomega.BeTrue())
		g.Expect(EvictionRemainder.Implemented(in).Contains(int64(lives))).
			To(gomega.BeFalse(), "the trial distinguishes them")
	}
}

// The end of a container that ends with 3 may be lost, which shows 137. The documentation promises that it is shown.
// Any other code is wrong.
func TestLostCode(t *testing.T) {
	for shown, want := range map[int]struct{ implemented, documented bool }{
		3: {true, true}, 137: {true, false}, 0: {false, false}, 9: {false, false}, -1: {false, false},
	} {
		in := Input{Kubelet: newest, Life: 1, OwnExitCode: 3, Lives: []Life{{ExitCode: shown}}}
		g := gomega.NewWithT(t)
		g.Expect(LostCode.Implemented(in).Contains(int64(shown))).To(gomega.Equal(want.implemented), "%d", shown)
		g.Expect(LostCode.Documented(in).Contains(int64(shown))).To(gomega.Equal(want.documented), "%d", shown)
	}
}

// The phase of an evicted pod whose containers succeed is Succeeded from 1.27 to 1.37.
func TestSuccessReason(t *testing.T) {
	for version, want := range map[string]int64{
		"v1.23.1": 1, "v1.26.15": 1, "v1.27.0": 0, "v1.37.2": 0, "v1.38.0-beta.0": 1,
	} {
		w := SuccessReason.Implemented(Input{Kubelet: Kubelet{Version: version}})
		gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{want, want}), version)
	}
	// The end may be lost. If it is shown, a reason is wrong.
	for code, most := range map[int]int64{unknownCode: 1, 0: 0} {
		w := SuccessReason.Implemented(Input{Kubelet: newest, Life: 1, Lives: []Life{{ExitCode: code}}})
		gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{0, most}), "%d", code)
	}
}

package formula

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"golang.org/x/mod/semver"
	"pgregory.net/rapid"
)

// everyFormula and everyMistake are all that the package offers. The test file of an area lists its known mistakes.
var (
	everyFormula = All()
	everyMistake = slices.Concat(
		terminationMistakes, causeMistakes, deletionMistakes, hookMistakes, probeMistakes,
		probeKindMistakes, restartMistakes, sidecarMistakes, evictionMistakes, shutdownMistakes,
	)
)

func TestEveryFormulaIsNamedAndSourced(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range everyFormula {
		g := gomega.NewWithT(t)
		g.Expect(f.ID).To(gomega.MatchRegexp(`^[a-z]+/[a-z-]+$`))
		g.Expect(seen[f.ID]).To(gomega.BeFalse(), f.ID)
		seen[f.ID] = true
		g.Expect(f.Description).NotTo(gomega.BeEmpty(), f.ID)
		g.Expect(f.Source).NotTo(gomega.BeEmpty(), f.ID)
		g.Expect(f.Implemented).NotTo(gomega.BeNil(), f.ID)
		g.Expect(f.Documented != nil).
			To(gomega.Equal(f.Promise != ""), "%s: a documented window and its promise come together", f.ID)
		g.Expect(f.Documented != nil).To(gomega.Equal(f.DocumentedAt != ""), "%s: a promise needs a page", f.ID)
	}
	for _, r := range everyMistake {
		g := gomega.NewWithT(t)
		g.Expect(r.Name).NotTo(gomega.BeEmpty())
		g.Expect(r.Reference).NotTo(gomega.BeEmpty(), r.Name)
		none := r.Would == nil && r.Distort == nil
		g.Expect(none).To(gomega.Equal(r.Never), "%s: without a value it never has one", r.Name)
	}
}

var causes = []Cause{
	ByDelete, ByLiveness, ByStartup, ByHardEviction, BySoftEviction, ByStorageLimit, ByPreemption, ByDeadline,
	ByPostStart, ByChange, ByCompletion, ByRestartAll,
}

// anyKubelet draws the first or the newest patch of a minor release, or one that brought or removed a change.
func anyKubelet(t *rapid.T) Kubelet {
	var versions []string
	for _, newest := range Minors() {
		versions = append(versions, semver.MajorMinor(newest)+".0", newest)
	}
	for _, c := range Changes {
		versions = append(versions, strings.Fields(c.Since+" "+c.Until)...)
	}
	seconds := func(what string, least, most int64) time.Duration {
		return time.Duration(rapid.Int64Range(least, most).Draw(t, what)) * time.Second
	}
	return Kubelet{
		Version:                          rapid.SampledFrom(versions).Draw(t, "version"),
		EvictionMaxPodGracePeriod:        rapid.Int64Range(-5, 60).Draw(t, "evictionMaxPodGracePeriod"),
		EvictionSoftGracePeriod:          seconds("evictionSoftGracePeriod", 0, 120),
		EvictionPressureTransitionPeriod: seconds("evictionPressureTransitionPeriod", 0, 300),
		MaxContainerRestartPeriod:        seconds("maxContainerRestartPeriod", 0, 300),
		VolumeStatsAggPeriod:             seconds("volumeStatsAggPeriod", 0, 60),
		SyncFrequency:                    seconds("syncFrequency", 0, 60),
		NodeStatusUpdateFrequency:        seconds("nodeStatusUpdateFrequency", 0, 10),
	}
}

func anyKill(t *rapid.T) Kill {
	seconds := rapid.OneOf(rapid.Int64Range(-5, 12), rapid.Int64Range(-5, 300))
	k := Kill{
		Cause:                         rapid.SampledFrom(causes).Draw(t, "cause"),
		TerminationGracePeriodSeconds: seconds.Draw(t, "spec"),
		Hook: rapid.SampledFrom([]HookKind{NoHook, ExecHook, HTTPHook, SleepHook}).
			Draw(t, "hook"),
	}
	if rapid.Bool().Draw(t, "with option") {
		k.GracePeriodSeconds = ptr(seconds.Draw(t, "option"))
	}
	if rapid.Bool().Draw(t, "with probe's grace") {
		k.ProbeTerminationGracePeriodSeconds = ptr(rapid.Int64Range(1, 300).Draw(t, "probe's grace"))
	}
	if k.Hook != NoHook {
		k.HookElapsed = anyRange(t)
	}
	return k
}

func anyRange(t *rapid.T) Range {
	low := time.Duration(
		rapid.OneOf(rapid.Int64Range(0, int64(12*time.Second)), rapid.Int64Range(0, int64(310*time.Second))).
			Draw(t, "hook at least"),
	)
	return Range{Low: low, High: low + time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "hook spread"))}
}

func anyInput(t *rapid.T) Input {
	p := Probe{
		Handler:             rapid.SampledFrom([]string{"exec", "http", "tcp", "grpc"}).Draw(t, "handler"),
		InitialDelaySeconds: rapid.IntRange(0, 60).Draw(t, "D"),
		PeriodSeconds:       rapid.IntRange(1, 60).Draw(t, "P"),
		TimeoutSeconds:      rapid.IntRange(1, 60).Draw(t, "timeout"),
		FailureThreshold:    rapid.IntRange(1, 10).Draw(t, "N"),
		SuccessThreshold:    rapid.IntRange(1, 10).Draw(t, "successes"),
		Kind:                rapid.SampledFrom([]string{"liveness", "readiness", "startup"}).Draw(t, "kind"),
	}
	upTo := func(what string, most time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, what))
	}
	if rapid.Bool().Draw(t, "hangs") {
		p.Takes = time.Duration(p.TimeoutSeconds) * time.Second
	}
	return Input{
		Kubelet:          anyKubelet(t),
		Kill:             anyKill(t),
		Probe:            p,
		Life:             rapid.IntRange(1, 9).Draw(t, "life"),
		Startup:          Probe{PeriodSeconds: rapid.IntRange(0, 60).Draw(t, "startup's P")},
		StartedUp:        upTo("started up", time.Minute),
		SinceStartup:     upTo("since startup", time.Minute),
		CarriedSuccesses: rapid.IntRange(0, 12).Draw(t, "carried successes"),
		Sidecar:          rapid.Bool().Draw(t, "sidecar"),
		SinceKill:        upTo("since the kill", time.Minute),
		Survived:         upTo("survived", time.Minute),
		Turn:             upTo("turn", time.Minute+1) - 1,
		LaterStopped:     rapid.Bool().Draw(t, "a later sidecar stopped"),
		MetDead:          rapid.IntRange(0, 2).Draw(t, "met dead"),
		CarriedFailures:  rapid.IntRange(0, 12).Draw(t, "carried"),
		Restart:          time.Duration(rapid.Int64Range(0, int64(310*time.Second)).Draw(t, "restart")),
		Watched:          time.Duration(rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "watched")),
		OwnDelay:         time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "own delay")),
		OwnExitCode:      rapid.IntRange(0, 255).Draw(t, "exit code"),
		Obeys:            rapid.Bool().Draw(t, "obeys"),
	}
}

// sound returns what is wrong with a window: it is empty, not the sum of its terms, below what can be
// measured, or has a term without a name.
func sound(t *rapid.T, what string, w Window) {
	if w.Earliest > w.Latest {
		t.Fatalf("%s: window %v is empty: %s", what, w, w.Explain())
	}
	var earliest, latest int64
	for _, term := range w.Terms {
		if term.Name == "" || term.Earliest > term.Latest {
			t.Fatalf("%s: bad term %+v", what, term)
		}
		earliest, latest = earliest+term.Earliest, latest+term.Latest
	}
	if earliest != w.Earliest || latest != w.Latest {
		t.Fatalf("%s: %v is not the sum of its terms, [%d, %d]", what, w, earliest, latest)
	}
	// These known mistakes do second what should come first, so the time between is negative.
	swapped := slices.Contains(
		[]string{RankedOtherwise.Name, FailedWhileDying.Name, PreemptorFirst.Name, MirrorFirst.Name}, what,
	)
	if w.Latest < 0 && !swapped || w.Unit != Nanoseconds && w.Earliest < 0 {
		t.Fatalf("%s: nothing that can be measured lies in %v: %s", what, w, w.Explain())
	}
}

func TestWindowsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		for _, f := range everyFormula {
			sound(t, f.ID+" implemented", f.Implemented(in))
			if f.Documented != nil {
				if w := f.Documented(in); w != nil {
					sound(t, f.ID+" documented", *w)
					if w.Unit != f.Implemented(in).Unit {
						t.Fatalf("%s: the two windows count different things", f.ID)
					}
				}
			}
		}
		for _, r := range everyMistake {
			if r.Would != nil {
				sound(t, r.Name, r.Would(in))
			}
			for _, f := range everyFormula {
				if r.Distort != nil {
					sound(t, f.ID+" if "+r.Name, r.Of(f, in))
				}
			}
		}
	})
}

// withGrace returns the same kill with another requested grace period in seconds.
func (k Kill) withGrace(seconds int64) Kill {
	k.TerminationGracePeriodSeconds, k.GracePeriodSeconds, k.ProbeTerminationGracePeriodSeconds = seconds, nil, nil
	return k
}

// More grace never means an earlier kill, at either end of the window, whatever the hook. Without grace the hook is
// skipped, so the test begins at one second.
func TestMoreGraceIsNeverAnEarlierKill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := anyKill(t)
		less := rapid.Int64Range(1, 299).Draw(t, "less")
		more := rapid.Int64Range(less+1, 300).Draw(t, "more")
		for _, f := range []Formula{Remainder, KillLength, HookBound} {
			a, b := f.Implemented(Input{Kubelet: newest, Life: 1, Kill: k.withGrace(less)}), f.Implemented(
				Input{Kubelet: newest, Life: 1, Kill: k.withGrace(more)},
			)
			if b.Earliest < a.Earliest || b.Latest < a.Latest {
				t.Fatalf("%s: %v with %d s, %v with %d s", f.ID, a, less, b, more)
			}
		}
	})
}

func TestALongerHookNeverLengthensTheRemainder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := anyKill(t)
		longer := k
		by := time.Duration(rapid.Int64Range(1, int64(20*time.Second)).Draw(t, "longer by"))
		longer.HookElapsed = Range{Low: k.HookElapsed.Low + by, High: k.HookElapsed.High + by}
		a, b := Remainder.Implemented(Input{Kubelet: newest, Life: 1, Kill: k}), Remainder.Implemented(
			Input{Kubelet: newest, Life: 1, Kill: longer},
		)
		if b.Earliest > a.Earliest || b.Latest > a.Latest {
			t.Fatalf("hook %v: %v; %v longer: %v", k.HookElapsed, a, by, b)
		}
	})
}

// No process is killed less than two seconds after its signal, less the signal's own way.
func TestTwoSecondsAreTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Remainder.Implemented(Input{Kubelet: newest, Life: 1, Kill: anyKill(t)})
		if w.Earliest < int64(1900*time.Millisecond) {
			t.Fatalf("%v", w)
		}
	})
}

func apart(a, b Window) bool { return a.Latest < b.Earliest || b.Latest < a.Earliest }

// A hook of a whole second or more shows whether its time is subtracted, if the grace period leaves more than the
// minimum. A shorter hook, or a grace period up to the minimum, shows nothing.
func TestFullGraceAgainDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grace := rapid.Int64Range(4, 300).Draw(t, "grace")
		p := about(time.Duration(rapid.Int64Range(int64(time.Second), int64(310*time.Second)).Draw(t, "hook")))
		in := Input{
			Kubelet: newest,
			Life:    1,
			Kill:    Kill{Cause: ByDelete, TerminationGracePeriodSeconds: grace, Hook: ExecHook, HookElapsed: p},
		}
		if a, b := Remainder.Implemented(in), FullGraceAgain.Of(Remainder, in); !apart(a, b) {
			t.Fatalf("hook %v of %d s: %v and %v overlap", p, grace, a, b)
		}
	})
	for name, k := range map[string]Kill{
		"hook below a second": {
			Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook,
			HookElapsed: about(900 * time.Millisecond),
		},
		"grace of two": {
			Cause: ByDelete, TerminationGracePeriodSeconds: 2, Hook: ExecHook,
			HookElapsed: about(1500 * time.Millisecond),
		},
		"no hook": {Cause: ByDelete, TerminationGracePeriodSeconds: 10},
	} {
		in := Input{Kubelet: newest, Life: 1, Kill: k}
		if apart(Remainder.Implemented(in), FullGraceAgain.Of(Remainder, in)) {
			t.Errorf("%s: the test expected that no value distinguishes them", name)
		}
	}
}

// The minimum shows if less than two whole seconds are left. After 8.5 s of 10 two are left.
func TestNoMinimumDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grace := rapid.Int64Range(1, 300).Draw(t, "grace")
		p := about(time.Duration(rapid.Int64Range(0, int64(seconds(grace+2))).Draw(t, "hook")))
		in := Input{
			Kubelet: newest,
			Life:    1,
			Kill:    Kill{Cause: ByDelete, TerminationGracePeriodSeconds: grace, Hook: ExecHook, HookElapsed: p},
		}
		left := grace - int64(p.Low/time.Second)
		if got := apart(Remainder.Implemented(in), NoMinimum.Of(Remainder, in)); got != (left < 2) {
			t.Fatalf("hook %v of %d s: distinguished %v", p, grace, got)
		}
	})
}

// An ignored option or probe grace period shows if the two values leave different times. Otherwise the known mistake
// predicts what a correct kubelet does.
func TestIgnoredGraceDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Kill{
			Cause:                         rapid.SampledFrom([]Cause{ByDelete, ByLiveness}).Draw(t, "cause"),
			TerminationGracePeriodSeconds: rapid.Int64Range(2, 300).Draw(t, "spec"),
		}
		own := rapid.Int64Range(2, 300).Draw(t, "own")
		mistake := SpecGrace
		k.GracePeriodSeconds = &own
		if k.Cause == ByLiveness {
			mistake = PodGraceOnProbe
			k.GracePeriodSeconds, k.ProbeTerminationGracePeriodSeconds = nil, &own
		}
		in := Input{Kubelet: newest, Life: 1, Kill: k}
		got := apart(Remainder.Implemented(in), mistake.Of(Remainder, in))
		if got != (own != k.TerminationGracePeriodSeconds) {
			t.Fatalf("%d s instead of %d: distinguished %v", own, k.TerminationGracePeriodSeconds, got)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		k := anyKill(t)
		k.GracePeriodSeconds, k.ProbeTerminationGracePeriodSeconds = nil, nil
		in := Input{Kubelet: newest, Life: 1, Kill: k}
		a, b := Remainder.Implemented(in), SpecGrace.Of(Remainder, in)
		if a.Earliest != b.Earliest || a.Latest != b.Latest {
			t.Fatalf("no option could be ignored, yet it would change %v to %v", a, b)
		}
	})
}

// A later life distinguishes every kubelet from a correct one at a threshold of two or more, and the two bugs from
// each other at three or more. The first life shows nothing.
func TestBrokenResetsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		in.CarriedFailures, in.MetDead = 0, 0
		n, later := in.Probe.FailureThreshold, in.Life > 1
		correct := FailingProbes.Implemented(in)
		for _, r := range []Mistake{ResultRunOne, NeverReset} {
			if got := apart(correct, r.Of(FailingProbes, in)); got != (later && n >= 2) {
				t.Fatalf("%s: N = %d, life %d: distinguished %v", r.Name, n, in.Life, got)
			}
		}
		one, never := ResultRunOne.Of(FailingProbes, in), NeverReset.Of(FailingProbes, in)
		if got := apart(one, never); got != (later && n >= 3) {
			t.Fatalf("the two bugs: N = %d, life %d: distinguished %v", n, in.Life, got)
		}
	})
}

// The spacing of kills distinguishes the same bugs if the restart surely falls between the same two ticks. If it may
// take one tick or two, only the count does.
func TestBrokenSpacingDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "N")
		in := Input{
			Kubelet: newest,
			Life:    rapid.IntRange(2, 9).Draw(t, "life"), Probe: probe(n, rapid.IntRange(5, 60).Draw(t, "P"), 0, 0),
			Restart: time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "restart")),
		}
		for _, r := range []Mistake{ResultRunOne, NeverReset} {
			if !apart(KillSpacing.Implemented(in), r.Of(KillSpacing, in)) {
				t.Fatalf("%s: %v and %v overlap", r.Name, KillSpacing.Implemented(in), r.Of(KillSpacing, in))
			}
		}
	})
}

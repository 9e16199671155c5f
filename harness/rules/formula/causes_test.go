package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// causeFormulas and causeMistakes belong to the files that this file tests.
var causeMistakes = []Mistake{
	KilledAtOnce, WaitsOneGrace, DeleteNotWaiting, GraceLeft, BackedOff, OrphanGrace, MirrorFirst,
	MirrorDeleteKills, StaticOverlap,
}

// A mirror goes within 7 s of its pod's end, or while the pod has its six seconds.
func TestMirrorOfAStaticPod(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Kill: Kill{Cause: ByRemoval, TerminationGracePeriodSeconds: 6}}
	g.Expect(MirrorGone.Implemented(in).String()).To(gomega.Equal("[0.000 s, 7.000 s]"))
	g.Expect(MirrorFirst.Would(in).String()).To(gomega.Equal("[-8.550 s, -3.000 s]"))
	g.Expect(apart(MirrorGone.Implemented(in), MirrorFirst.Would(in))).To(gomega.BeTrue())
	g.Expect(apart(MirrorDelete.Implemented(in), MirrorDeleteKills.Would(in))).To(gomega.BeTrue())

	in.Lives, in.Deletes = []Life{{Started: 2 * time.Second}}, []Delete{{At: 5 * time.Second}}
	g.Expect(MirrorRenewed.Implemented(in).String()).To(gomega.Equal("[57.000 s, 92.000 s]"))
	in.Kubelet.Version = "v1.36.5"
	g.Expect(MirrorRenewed.Implemented(in).String()).To(gomega.Equal("[0.000 s, 3.300 s]"))
}

// A postStart hook that fails at once leaves the pod's grace period. Its event comes first.
func TestPostStartHookThatIsRefused(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Kill: Kill{Cause: ByPostStart, TerminationGracePeriodSeconds: 4}}
	g.Expect(PostStartRefused.Implemented(in).String()).To(gomega.Equal("[-2.500 s, 0.800 s]"))
	g.Expect(PostStartDeath.Implemented(in).String()).To(gomega.Equal("[3.400 s, 4.750 s]"))
}

// A static pod asks for its turn every ten to fifteen seconds. One that returns waits for the end of the same pod.
func TestStaticPodsOfOneName(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Kill: Kill{Cause: ByRemoval, TerminationGracePeriodSeconds: 3}}
	g.Expect(StaticTurn.Implemented(in).String()).To(gomega.Equal("[10.000 s, 20.500 s]"))
	g.Expect(apart(StaticTurn.Implemented(in), StaticOverlap.Would(in))).To(gomega.BeTrue())
	g.Expect(StaticReturns.Implemented(in).String()).To(gomega.Equal("[0.000 s, 10.500 s]"))
	g.Expect(MirrorReplaced.Implemented(in).String()).To(gomega.Equal("[-1.000 s, 4.000 s]"))
}

// The deadline counts from status.startTime, which the API cuts to seconds.
func TestDeadlineKills(t *testing.T) {
	const s = time.Second
	in := Input{
		Kubelet: newest,
		Life:    1,
		Kill:    Kill{Cause: ByDeadline, TerminationGracePeriodSeconds: 5, ActiveDeadlineSeconds: 20},
	}
	g := gomega.NewWithT(t)
	near(g, "now", DeadlineKills.Implemented(in), 20*s, 0, 3*s)
	in.Kubelet = Kubelet{Version: "v1.23.1"}
	near(g, "by the phase's way through the API", DeadlineKills.Implemented(in), 20*s, 0, 6*s)
	g.Expect(DeadlineKills.Documented(in).Earliest).To(gomega.Equal(int64(20 * s)))
	plain := DeadlineKills.Implemented(in).Latest
	in.Kill.Hook = ExecHook
	g.Expect(DeadlineKills.Implemented(in).Latest).
		To(gomega.Equal(plain+int64(ExecStart)), "a hook's process has to start first")
}

// The kubelet sees its own kill at once. It sees an end in one relist, and the end of the pod in the next.
func TestPhaseOfAKilledPod(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest}
	g.Expect(PhaseAfterDeath.Implemented(in).String()).To(gomega.Equal("[0.000 s, 3.250 s]"))
	g.Expect(PodEnds.Implemented(in).String()).To(gomega.Equal("[0.000 s, 5.600 s]"))
}

func TestKilledInTurn(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Kill: Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 8}}
	w := KilledInTurn.Implemented(in)
	g.Expect(w.Earliest).To(gomega.Equal(int64(7900 * time.Millisecond)))
	g.Expect(w.Contains(int64(9500 * time.Millisecond))).To(gomega.BeTrue())
	g.Expect(w.Latest).To(gomega.Equal(int64(11800*time.Millisecond)), "killed by the next sync")
	g.Expect(apart(w, KilledAtOnce.Would(in))).To(gomega.BeTrue())
	in.Obeys, in.OwnDelay = true, 3*time.Second
	g.Expect(KilledInTurn.Implemented(in).Latest).To(gomega.Equal(int64(6800*time.Millisecond)), "it exits sooner")

	in.Kubelet.Version = "v1.38.0-beta.0"
	w = KilledInTurn.Implemented(in)
	g.Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{0, int64(6800 * time.Millisecond)}), "side by side")
	in.Kill.Hook, in.Kill.HookElapsed = ExecHook, about(3*time.Second)
	w = KilledInTurn.Implemented(in)
	g.Expect(w.Contains(int64(-3*time.Second))).To(gomega.BeTrue(),
		"the turn of the other begins with the first's hook")
}

func TestKilledByOneSync(t *testing.T) {
	for version, want := range map[string]string{
		"v1.37.2": "[2.900 s, 3.500 s]", "v1.38.0-beta.0": "[0.000 s, 0.500 s]",
	} {
		in := Input{
			Kubelet: Kubelet{Version: version}, Life: 1,
			Kill: Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 3},
		}
		gomega.NewWithT(t).Expect(KilledByOneSync.Implemented(in).String()).To(gomega.Equal(want), version)
	}
}

// The process has the grace period of the probe's kill, less what had passed at the delete, not the delete's two
// seconds.
func TestKillWaits(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{
		Kubelet: newest,
		Life:    1,
		Kill:    Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 9},
		Lives: []Life{
			{Started: 100 * time.Second, Signalled: true, Signal: 103 * time.Second, Gone: 112 * time.Second},
		},
		Deletes: []Delete{{GracePeriodSeconds: ptr(2), At: 104 * time.Second}},
	}
	near(g, "K", KillWaits.Implemented(in), 8*time.Second, 100*time.Millisecond, time.Second)
	g.Expect(KillWaits.Documented(in).Contains(int64(8 * time.Second))).To(gomega.BeFalse())
	near(g, "documented", *KillWaits.Documented(in), 2*time.Second, 0, 3*time.Second)
	g.Expect(apart(KillWaits.Implemented(in), DeleteNotWaiting.Would(in))).To(gomega.BeTrue())
}

// The kubelet waits one and a half grace periods in whole seconds, ten seconds at least. On old kubelets a limit's
// eviction asks for none.
func TestExceededGrace(t *testing.T) {
	for name, c := range map[string]struct {
		cause           Cause
		grace, maximum  int64
		waits, oneGrace time.Duration
	}{
		"a limit":                    {ByStorageLimit, 70, 0, 10 * time.Second, 10 * time.Second},
		"a hard threshold":           {ByHardEviction, 70, 0, 10 * time.Second, 10 * time.Second},
		"a preemption":               {ByPreemption, 12, 0, 18 * time.Second, 12 * time.Second},
		"a preemption, odd":          {ByPreemption, 13, 0, 19 * time.Second, 13 * time.Second},
		"a preemption, short":        {ByPreemption, 6, 0, 10 * time.Second, 10 * time.Second},
		"a soft threshold's maximum": {BySoftEviction, 70, 20, 30 * time.Second, 20 * time.Second},
	} {
		for _, version := range []string{"v1.23.1", "v1.34.4", "v1.36.3"} {
			g := gomega.NewWithT(t)
			in := Input{
				Kubelet: Kubelet{Version: version, EvictionMaxPodGracePeriod: c.maximum},
				Kill:    Kill{Cause: c.cause, TerminationGracePeriodSeconds: c.grace},
			}
			for of, w := range map[time.Duration]Window{
				c.waits: ExceededGrace.Implemented(in), c.oneGrace: WaitsOneGrace.Would(in),
			} {
				g.Expect([]int64{w.Earliest, w.Latest}).
					To(gomega.Equal([]int64{int64(of - s/2), int64(of + s/2)}), "%s, %s", name, version)
			}
		}
	}
}

// Without the minimum, an eviction with one second is reported after one second (kubernetes#41347).
func TestExceededGraceWithoutMinimum(t *testing.T) {
	in := Input{Kubelet: newest, Kill: Kill{Cause: ByStorageLimit, TerminationGracePeriodSeconds: 90}}
	near(gomega.NewWithT(t), "K", WaitsWithoutMinimum.Would(in), time.Second, time.Second, time.Second)
	gomega.NewWithT(t).Expect(apart(ExceededGrace.Implemented(in), WaitsWithoutMinimum.Would(in))).To(gomega.BeTrue())
}

// A restarted kubelet gives hook and grace period again. On old kubelets the hook's time is no part of the grace
// period.
func TestGraceAgain(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{
		Kubelet: newest,
		Life:    1,
		Kill: Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 9,
			Hook:                          ExecHook,
			HookElapsed:                   about(1500 * time.Millisecond),
		},
	}
	near(g, "now", GraceAgain.Implemented(in), 9500*time.Millisecond, ExecStart, time.Second)
	g.Expect(GraceAgain.Documented(in).Contains(int64(9500 * time.Millisecond))).To(gomega.BeTrue())
	g.Expect(apart(GraceAgain.Implemented(in), GraceLeft.Would(in))).To(gomega.BeTrue())
	in.Kubelet = Kubelet{Version: "v1.23.1"}
	near(g, "1.23.1", GraceAgain.Implemented(in), 10500*time.Millisecond, ExecStart, time.Second)
	g.Expect(GraceAgain.Documented(in).Contains(int64(10600*time.Millisecond))).
		To(gomega.BeFalse(), "%v", GraceAgain.Documented(in))
}

// The documentation promises nothing about a kill that a force delete meets.
func TestKillWaitsForForce(t *testing.T) {
	in := Input{
		Kubelet: newest,
		Life:    1,
		Kill:    Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 9},
		Deletes: []Delete{{GracePeriodSeconds: ptr(0)}},
	}
	gomega.NewWithT(t).Expect(KillWaits.Documented(in)).To(gomega.BeNil())
	in.Deletes[0].GracePeriodSeconds = ptr(1)
	near(
		gomega.NewWithT(t),
		"the one second that is asked for",
		*KillWaits.Documented(in),
		time.Second,
		0,
		3*time.Second,
	)
}

// The third restart of all containers comes at once. Backed off, it would wait for ten seconds, the fourth for
// twenty.
func TestRestartAllFree(t *testing.T) {
	g := gomega.NewWithT(t)
	for life, backedOff := range map[int]time.Duration{3: 10 * time.Second, 4: 20 * time.Second} {
		in := Input{Kubelet: newest, Life: life}
		g.Expect(RestartAllFree.Implemented(in).Contains(int64(3 * time.Second))).To(gomega.BeTrue())
		g.Expect(BackedOff.Would(in).Contains(int64(backedOff))).To(gomega.BeTrue())
		g.Expect(apart(RestartAllFree.Implemented(in), BackedOff.Would(in))).To(gomega.BeTrue())
		g.Expect(*RestartAllFree.Documented(in)).To(gomega.Equal(BackedOff.Would(in)), "the KEP promises it")
	}
	first := Input{Kubelet: newest, Life: 2}
	g.Expect(*RestartAllFree.Documented(first)).
		To(gomega.Equal(RestartAllFree.Implemented(first)), "the first restart is free in any case")
}

func TestStartsOfInSyncKills(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Kill: Kill{Cause: ByPostStart, TerminationGracePeriodSeconds: 5}}
	g.Expect(PostStartKills.Implemented(in).Latest).To(gomega.Equal(int64(500 * time.Millisecond)))
	g.Expect(ChangeKills.Implemented(in).Latest).To(gomega.Equal(KillStart.Implemented(in).Latest))
	in.Kill.Hook = HTTPHook
	g.Expect(PostStartKills.Implemented(in).Latest).
		To(gomega.Equal(int64(550*time.Millisecond)), "the preStop hook is the first that is seen")
	in.Kill.TerminationGracePeriodSeconds = 0
	g.Expect(PostStartKills.Implemented(in).Latest).
		To(gomega.Equal(int64(500*time.Millisecond)), "without grace there is no hook")
}

// The object stays until the sleep is over, five seconds after the end of its process (kubernetes#134338).
func TestSleepOutlives(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{
		Kubelet: newest,
		Life:    1,
		Kill: Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 12,
			Hook:                          SleepHook,
			HookElapsed:                   about(8 * time.Second),
		},
		Lives:   []Life{{Gone: 104 * time.Second}},
		Deletes: []Delete{{At: 100 * time.Second}},
	}
	w := SleepOutlives.Implemented(in)
	g.Expect(w.Earliest).To(gomega.Equal(int64(8 * time.Second)))
	g.Expect(w.Latest).To(gomega.BeNumerically("<=", int64(15*time.Second)))
	mistake := SleepEndsWithProcess.Would(in)
	g.Expect(mistake.Contains(int64(5 * time.Second))).To(gomega.BeTrue())
	g.Expect(*SleepOutlives.Documented(in)).To(gomega.Equal(mistake), "the KEP promises it")
	in.Lives = nil
	g.Expect(SleepOutlives.Documented(in)).To(gomega.BeNil(), "without a death there is nothing to count from")
}

func TestOrphans(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Kill: Kill{Cause: ByOrphaning, TerminationGracePeriodSeconds: 60, Hook: ExecHook}}
	g.Expect(in.RunsHook()).To(gomega.BeFalse())
	near(g, "now", Remainder.Implemented(in), 2*time.Second, 200*time.Millisecond, time.Second)
	in.Kubelet = Kubelet{Version: "v1.23.1"}
	near(g, "v1.23.1", Remainder.Implemented(in), time.Second, 200*time.Millisecond, time.Second)

	// With cgroups of pods, an orphan has no grace period on any version.
	in.Kubelet.CgroupsPerQOS = true
	near(g, "cgroup", OrphanKilled.Implemented(in), 0, 2*time.Second, 500*time.Millisecond)
	in.Kubelet = newest
	near(g, "no cgroup", OrphanKilled.Implemented(in), 2*time.Second, 2200*time.Millisecond, time.Second)
}

// A kubelet that restarts within an eviction starts a container that died before its first sync. No other one does.
func TestEvictedWhileTheKubeletRestarts(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		restarts []time.Duration
		latest   int64
	}{
		"no restart":                 {nil, 1},
		"a restart before the death": {[]time.Duration{14 * s}, 2},
		"a restart long before it":   {[]time.Duration{4 * s}, 1},
		"a restart after the death":  {[]time.Duration{16 * s}, 1},
		"one of two that is near it": {[]time.Duration{s, 10 * s}, 2},
		"two, and none that is so":   {[]time.Duration{s, 16 * s}, 1},
	} {
		w := EndedForGood.Implemented(Input{Kubelet: newest, Lives: []Life{{Started: s, Gone: 15 * s}},
			Restarts: c.restarts})
		gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{1, c.latest}), name)
	}
}

// A restart of the kubelet repeats the hook only if it comes before the container's death. A delay of the node leaves
// open on which side of the death it came, and nothing else.
func TestHookRunsAgain(t *testing.T) {
	const s = time.Second
	restarted := func(at, delay time.Duration) Window {
		return HookRunsAgain.Implemented(Input{
			Kubelet: newest, Life: 1, Lives: []Life{{Started: s, Gone: 15 * s}}, Restarts: []time.Duration{at},
			Delay: delay,
		})
	}
	g := gomega.NewWithT(t)
	runs := func(w Window) [2]int64 { return [2]int64{w.Earliest, w.Latest} }
	g.Expect(runs(restarted(11*s, 0))).To(gomega.Equal([2]int64{2, 2}), "one run of the hook deviates")
	g.Expect(runs(restarted(17*s, 0))).To(gomega.Equal([2]int64{1, 1}), "the container was dead")
	g.Expect(runs(restarted(14*s, 0))).To(gomega.Equal([2]int64{1, 2}), "it died before a kubelet ran again")
	g.Expect(runs(restarted(11*s, 2*s))).To(gomega.Equal([2]int64{2, 2}), "such a delay hides no missing hook")
	g.Expect(runs(restarted(11*s, 5*s))).To(gomega.Equal([2]int64{1, 2}))
	g.Expect(runs(restarted(17*s, s))).To(gomega.Equal([2]int64{1, 1}))
}

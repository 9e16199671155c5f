package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// near fails unless a window contains a value written by hand, with no more than the stated slack around it.
func near(g *gomega.WithT, what string, w Window, want, before, after time.Duration) {
	g.Expect(w.Contains(int64(want))).To(gomega.BeTrue(), "%s: %v must hold %v", what, w, want)
	g.Expect(w.Earliest).
		To(gomega.BeNumerically(">=", int64(want-before)), "%s: %v begins too early for %v", what, w, want)
	g.Expect(w.Latest).To(gomega.BeNumerically("<=", int64(want+after)), "%s: %v ends too late for %v", what, w, want)
}

// The rows are the time from SIGTERM to the death on old and new kubelets. From 1.28 on a deletion's or eviction's
// grace period is chosen first. Before, it undid the hook's subtraction and the minimum.
func TestRemainderByVersion(t *testing.T) {
	const s = time.Second
	hook := func(k Kill, p time.Duration) Kill {
		k.Hook, k.HookElapsed = ExecHook, about(p)
		return k
	}
	del := func(spec int64) Kill { return Kill{Cause: ByDelete, TerminationGracePeriodSeconds: spec} }
	option := func(spec, g int64) Kill {
		return Kill{Cause: ByDelete, TerminationGracePeriodSeconds: spec, GracePeriodSeconds: ptr(g)}
	}
	by := func(c Cause, spec int64) Kill { return Kill{Cause: c, TerminationGracePeriodSeconds: spec} }
	probe := func(c Cause, spec, own int64) Kill {
		return Kill{Cause: c, TerminationGracePeriodSeconds: spec, ProbeTerminationGracePeriodSeconds: ptr(own)}
	}
	for name, c := range map[string]struct {
		kill     Kill
		old, now time.Duration
	}{
		"K-1 delete 7":                       {del(7), 7 * s, 7 * s},
		"K-2 delete 1":                       {option(30, 1), 1 * s, 2 * s},
		"K-3 force delete of 60":             {option(60, 0), 60 * s, 2 * s},
		"delete, spec 0":                     {del(0), 1 * s, 2 * s},
		"delete, negative spec":              {del(-5), 1 * s, 2 * s},
		"delete, negative option":            {option(30, -5), 1 * s, 2 * s},
		"K-4 hook 3.5 of 10":                 {hook(del(10), 3500*time.Millisecond), 10 * s, 7 * s},
		"K-5 hook hangs, 10":                 {hook(del(10), 10*s), 10 * s, 2 * s},
		"K-6 hook 8.5 of 10":                 {hook(del(10), 8500*time.Millisecond), 10 * s, 2 * s},
		"K-7 hook fails at once, 5":          {hook(del(5), 100*time.Millisecond), 5 * s, 5 * s},
		"K-9 force delete of 20, hook hangs": {hook(option(20, 0), s), 20 * s, 2 * s},
		"K-10 liveness, probe value 5 of 20": {probe(ByLiveness, 20, 5), 5 * s, 5 * s},
		"startup, probe value 4 of 20":       {probe(ByStartup, 20, 4), 4 * s, 4 * s},
		"K-11 liveness, 0, hook":             {hook(by(ByLiveness, 0), s), 2 * s, 2 * s},
		"liveness, -5, hook":                 {hook(by(ByLiveness, -5), s), 2 * s, 2 * s},
		"K-12 liveness, hook 3.5 of 10":      {hook(by(ByLiveness, 10), 3500*time.Millisecond), 7 * s, 7 * s},
		"postStart, hook 3.5 of 10": {
			hook(by(ByPostStart, 10), 3500*time.Millisecond), 7 * s, 7 * s,
		},
		"image change, hook hangs, 4": {hook(by(ByChange, 4), 4*s), 2 * s, 2 * s},
		"deadline, 6":                 {by(ByDeadline, 6), 6 * s, 6 * s},
		"deadline, hook 1.5 of 5":     {hook(by(ByDeadline, 5), 1500*time.Millisecond), 5 * s, 4 * s},
		"deadline, 1":                 {by(ByDeadline, 1), 1 * s, 2 * s},
		"E-1b storage limit of 60":    {by(ByStorageLimit, 60), 60 * s, 2 * s},
		"hard eviction of 60":         {by(ByHardEviction, 60), 60 * s, 2 * s},
		"preemption, 6":               {by(ByPreemption, 6), 6 * s, 6 * s},
		"preemption, hook 1.5 of 6": {
			hook(by(ByPreemption, 6), 1500*time.Millisecond), 6 * s, 5 * s,
		},
		"W-2 liveness that an eviction can't shorten":  {by(ByLiveness, 70), 70 * s, 70 * s},
		"A-2b the first delete's, whatever the second": {del(20), 20 * s, 20 * s},
	} {
		t.Run(name, func(t *testing.T) {
			for version, want := range map[string]time.Duration{
				"v1.23.1": c.old, "v1.23.5": c.old, "v1.31.0": c.now, "v1.34.4": c.now, "v1.36.3": c.now,
			} {
				in := Input{Kubelet: Kubelet{Version: version}, Life: 1, Kill: c.kill}
				near(gomega.NewWithT(t), version, Remainder.Implemented(in), want, 100*time.Millisecond, time.Second)
			}
		})
	}
	restartAll := Input{Kubelet: newest, Life: 1, Kill: hook(by(ByRestartAll, 20), s)}
	near(gomega.NewWithT(t), "K-17", Remainder.Implemented(restartAll), 2*s, 100*time.Millisecond, s)
}

// The hook does not run without grace. Before 1.28 the deletion's own value decided.
func TestHookRunsByVersion(t *testing.T) {
	forced := Kill{
		Cause:                         ByDelete,
		TerminationGracePeriodSeconds: 20,
		GracePeriodSeconds:            ptr(0),
		Hook:                          ExecHook,
		HookElapsed:                   about(time.Second),
	}
	plain := Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 20, Hook: ExecHook, HookElapsed: about(time.Second)}
	all := Kill{Cause: ByRestartAll, TerminationGracePeriodSeconds: 20, Hook: ExecHook}
	for name, c := range map[string]struct {
		version string
		kill    Kill
		want    int64
	}{
		"a delete, then":          {"v1.23.1", plain, 1},
		"a delete, now":           {"v1.36.3", plain, 1},
		"a force delete, then":    {"v1.23.1", forced, 0},
		"a force delete, now":     {"v1.36.3", forced, 1},
		"the last with its value": {"v1.27.16", forced, 0},
		"the first without it":    {"v1.28.0", forced, 1},
		"restart all, never once": {"v1.36.3", all, 0},
	} {
		w := HookRuns.Implemented(Input{Kubelet: Kubelet{Version: c.version}, Kill: c.kill})
		gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{c.want, c.want}), name)
	}
}

// Kubelets 1.23.1 give the hook, and the whole grace period after it.
func TestKillLengthOfOldKubelets(t *testing.T) {
	old := Kubelet{Version: "v1.23.1"}
	for hook, want := range map[time.Duration]time.Duration{
		4500 * time.Millisecond: 14500 * time.Millisecond, 10 * time.Second: 20 * time.Second,
	} {
		in := Input{
			Kubelet: old,
			Life:    1,
			Kill:    Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook, HookElapsed: about(hook)},
		}
		near(gomega.NewWithT(t), "hook "+hook.String(), KillLength.Implemented(in), want, 0, 3*time.Second)
	}
	forced := Input{
		Kubelet: old,
		Life:    1,
		Kill:    Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 8, GracePeriodSeconds: ptr(0)},
	}
	near(gomega.NewWithT(t), "force", KillLength.Implemented(forced), 8*time.Second, 0, 3*time.Second)
	gomega.NewWithT(t).
		Expect(Remainder.Documented(forced)).
		To(gomega.BeNil(), "a force delete's small grace period has no number")
}

// The object of a dead pod goes within seconds, on old kubelets with the next check of ten seconds.
func TestObjectDeletedByVersion(t *testing.T) {
	for version, latest := range map[string]time.Duration{
		"v1.23.1": 14 * time.Second, "v1.26.15": 14 * time.Second, "v1.27.0": 4 * time.Second,
		"v1.34.4": 4 * time.Second, "v1.36.3": 4 * time.Second,
	} {
		w := ObjectDeleted.Implemented(Input{Kubelet: Kubelet{Version: version}})
		gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{0, int64(latest)}), version)
	}
}

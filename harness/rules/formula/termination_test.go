package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// terminationFormulas and terminationMistakes belong to the files that this file tests.
var terminationMistakes = []Mistake{
	FullGraceAgain, NoMinimum, SpecGrace, PodGraceOnProbe, ProbeGraceOnPod,
}

// The numbers in this file are written by hand from the rules in Kubernetes' source; none is taken from the
// code under test.

func ptr(n int64) *int64 { return &n }

// about is a hook's duration that is known exactly.
func about(d time.Duration) Range { return Range{Low: d, High: d} }

// A delete's grace comes from the option, else the spec. The API server raises a negative one to one, the pod worker
// a zero. A probe's own value counts only for kills by that probe.
func TestGraceByCause(t *testing.T) {
	for name, c := range map[string]struct {
		kill Kill
		want int64
	}{
		"delete, spec": {Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 30}, 30},
		"delete, shorter option": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 30, GracePeriodSeconds: ptr(10)}, 10,
		},
		"delete, longer option": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 5, GracePeriodSeconds: ptr(60)}, 60,
		},
		"delete, option 1": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 30, GracePeriodSeconds: ptr(1)}, 1,
		},
		"force delete": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 30, GracePeriodSeconds: ptr(0)}, 1,
		},
		"delete, spec 0": {Kill{Cause: ByDelete}, 1},
		"delete, negative option": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 30, GracePeriodSeconds: ptr(-5)}, 1,
		},
		"delete, negative spec": {Kill{Cause: ByDelete, TerminationGracePeriodSeconds: -5}, 1},
		"delete, a probe's value is ignored": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 7, ProbeTerminationGracePeriodSeconds: ptr(60)}, 7,
		},
		"liveness, pod's value": {Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 20}, 20},
		"liveness, shorter probe value": {
			Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 20, ProbeTerminationGracePeriodSeconds: ptr(5)}, 5,
		},
		"liveness, longer probe value": {
			Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 2, ProbeTerminationGracePeriodSeconds: ptr(7)}, 7,
		},
		"startup, probe value": {
			Kill{Cause: ByStartup, TerminationGracePeriodSeconds: 20, ProbeTerminationGracePeriodSeconds: ptr(4)}, 4,
		},
		"liveness, probe value, whole pod": {
			Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 20, ProbeTerminationGracePeriodSeconds: ptr(5),
				WholePod: true},
			20,
		},
		"liveness, 0 is not raised": {Kill{Cause: ByLiveness}, 0},
		"liveness, negative spec":   {Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: -5}, -5},
		"liveness, delete's option is none": {
			Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 20, GracePeriodSeconds: ptr(3)}, 20,
		},
	} {
		t.Run(name, func(t *testing.T) {
			gomega.NewWithT(t).Expect(Input{Kubelet: newest, Kill: c.kill}.grace()).To(gomega.Equal(c.want))
		})
	}
}

// killed is one row of the table of killContainer: the time from SIGTERM to the death, the time in all, and
// whether the hook runs.
var killed = map[string]struct {
	kill        Kill
	left, total time.Duration
	hook        int64
}{
	"delete 7, no hook": {Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 7}, 7 * time.Second, 7 * time.Second, 0},
	"delete 2, no hook": {Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 2}, 2 * time.Second, 2 * time.Second, 0},
	"delete 1, no hook": {Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 1}, 2 * time.Second, 2 * time.Second, 0},
	"delete 0, no hook": {Kill{Cause: ByDelete}, 2 * time.Second, 2 * time.Second, 0},
	"force delete of 60": {
		Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 60, GracePeriodSeconds: ptr(0)},
		2 * time.Second,
		2 * time.Second,
		0,
	},
	"hook 3.5 of 10": {
		Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 10,
			Hook:                          ExecHook,
			HookElapsed:                   about(3500 * time.Millisecond),
		},
		7 * time.Second,
		10500 * time.Millisecond,
		1,
	},
	"hook 4.9 of 10": {
		Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 10,
			Hook:                          HTTPHook,
			HookElapsed:                   about(4900 * time.Millisecond),
		},
		6 * time.Second,
		10900 * time.Millisecond,
		1,
	},
	"hook of a second's last moment": {
		Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook, HookElapsed: about(4*time.Second - 1)},
		7 * time.Second,
		11*time.Second - 1,
		1,
	},
	"hook of whole seconds": {
		Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook, HookElapsed: about(4 * time.Second)},
		6 * time.Second,
		10 * time.Second,
		1,
	},
	"hook 8.5 of 10": {
		Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 10,
			Hook:                          ExecHook,
			HookElapsed:                   about(8500 * time.Millisecond),
		},
		2 * time.Second,
		10500 * time.Millisecond,
		1,
	},
	"hook 9.5 of 10": {
		Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 10,
			Hook:                          ExecHook,
			HookElapsed:                   about(9500 * time.Millisecond),
		},
		2 * time.Second,
		11500 * time.Millisecond,
		1,
	},
	"hook hangs, 10": {
		Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook, HookElapsed: about(10 * time.Second)},
		2 * time.Second,
		12 * time.Second,
		1,
	},
	"hook longer than waited for": {
		Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook, HookElapsed: about(30 * time.Second)},
		2 * time.Second,
		12 * time.Second,
		1,
	},
	"hook fails at once, 5": {
		Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 5,
			Hook:                          ExecHook,
			HookElapsed:                   about(100 * time.Millisecond),
		},
		5 * time.Second,
		5100 * time.Millisecond,
		1,
	},
	"sleep action 4 of 10": {
		Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: SleepHook, HookElapsed: about(4 * time.Second)},
		6 * time.Second,
		10 * time.Second,
		1,
	},
	"force delete, hook hangs": {
		Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 60,
			GracePeriodSeconds:            ptr(0),
			Hook:                          ExecHook,
			HookElapsed:                   about(time.Second),
		},
		2 * time.Second,
		3 * time.Second,
		1,
	},
	"liveness, probe value 5 of 20": {
		Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 20, ProbeTerminationGracePeriodSeconds: ptr(5)},
		5 * time.Second,
		5 * time.Second,
		0,
	},
	"liveness, hook 3.5 of 10": {
		Kill{
			Cause:                         ByLiveness,
			TerminationGracePeriodSeconds: 10,
			Hook:                          ExecHook,
			HookElapsed:                   about(3500 * time.Millisecond),
		},
		7 * time.Second,
		10500 * time.Millisecond,
		1,
	},
	"liveness of 0, hook not run": {
		Kill{Cause: ByLiveness, Hook: ExecHook, HookElapsed: about(time.Second)},
		2 * time.Second,
		2 * time.Second,
		0,
	},
	"liveness of -5, hook not run": {
		Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: -5, Hook: ExecHook, HookElapsed: about(time.Second)},
		2 * time.Second,
		2 * time.Second,
		0,
	},
	"startup, probe value 1": {
		Kill{Cause: ByStartup, TerminationGracePeriodSeconds: 20, ProbeTerminationGracePeriodSeconds: ptr(1)},
		2 * time.Second,
		2 * time.Second,
		0,
	},
}

// A process that ignores SIGTERM lives as long as the table states: up to 0.1 s less by the signal's way, up to 1 s
// more.
func TestRemainder(t *testing.T) {
	for name, c := range killed {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			w := Remainder.Implemented(Input{Kubelet: newest, Life: 1, Kill: c.kill})
			g.Expect(w.Contains(int64(c.left))).To(gomega.BeTrue(), "%v must hold %v", w, c.left)
			g.Expect(w.Earliest).
				To(gomega.BeNumerically(">=", int64(c.left-100*time.Millisecond)), "%v is too early for %v", w, c.left)
			g.Expect(w.Latest).
				To(gomega.BeNumerically("<=", int64(c.left+time.Second)), "%v is too late for %v", w, c.left)
		})
	}
}

func TestKillLength(t *testing.T) {
	for name, c := range killed {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			w := KillLength.Implemented(Input{Kubelet: newest, Life: 1, Kill: c.kill})
			g.Expect(w.Earliest).
				To(gomega.Equal(int64(c.total)), "no kill ends before its own length is over")
			g.Expect(w.Latest).
				To(gomega.BeNumerically("<=", int64(c.total+3*time.Second)),
					"%v allows more than the way of the delete", w)
		})
	}
}

func TestHookRuns(t *testing.T) {
	for name, c := range killed {
		t.Run(name, func(t *testing.T) {
			w := HookRuns.Implemented(Input{Kubelet: newest, Life: 1, Kill: c.kill})
			g := gomega.NewWithT(t)
			g.Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{c.hook, c.hook}))
			g.Expect(w.Unit).To(gomega.Equal(Count))
		})
	}
}

// The rows are the documented times, and so where a correct kubelet diverges.
func TestDocumentedRemainder(t *testing.T) {
	for name, c := range map[string]struct {
		row  string
		want string // conforms, divergent or silent
	}{
		"whole seconds without hook":                       {"delete 7, no hook", "conforms"},
		"one second becomes two":                           {"delete 1, no hook", "divergent"},
		"zero is documented as a kill at once":             {"delete 0, no hook", "divergent"},
		"a force delete has no documented number":          {"force delete of 60", "silent"},
		"the one-off extension":                            {"hook hangs, 10", "conforms"},
		"a hook that ends before a second's last fraction": {"hook 9.5 of 10", "divergent"},
		"a probe's own value":                              {"liveness, probe value 5 of 20", "conforms"},
		"a probe's value of one":                           {"startup, probe value 1", "divergent"},
		"a negative grace period has no documented number": {"liveness of -5, hook not run", "silent"},
	} {
		t.Run(name, func(t *testing.T) {
			row := killed[c.row]
			w := Remainder.Documented(Input{Kubelet: newest, Life: 1, Kill: row.kill})
			got := "silent"
			if w != nil {
				got = map[bool]string{true: "conforms", false: "divergent"}[w.Contains(int64(row.left))]
			}
			gomega.NewWithT(t).Expect(got).To(gomega.Equal(c.want), "%v against %v", row.left, w)
		})
	}
}

// The documentation does not state whether a hook's fraction of a second counts. The kubelet gives it back, which is
// no divergence, however long the runtime takes.
func TestFractionOfAHookIsNoDivergence(t *testing.T) {
	for _, row := range []string{
		"hook 3.5 of 10", "hook 4.9 of 10", "hook 8.5 of 10", "liveness, hook 3.5 of 10", "hook fails at once, 5",
	} {
		for _, late := range []time.Duration{0, 2 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond} {
			c := killed[row]
			w := Remainder.Documented(Input{Kubelet: newest, Life: 1, Kill: c.kill})
			gomega.NewWithT(t).
				Expect(w.Contains(int64(c.left+late))).
				To(gomega.BeTrue(), "%s: %v after SIGTERM against %v", row, c.left+late, w)
		}
	}
}

func TestKillStart(t *testing.T) {
	g := gomega.NewWithT(t)
	w := KillStart.Implemented(Input{Kubelet: newest, Kill: Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 7}})
	g.Expect(w.Earliest).To(gomega.BeZero())
	g.Expect(w.Latest).To(gomega.BeNumerically("~", int64(2500*time.Millisecond), int64(500*time.Millisecond)))
	hook := KillStart.Implemented(
		Input{Kubelet: newest, Kill: Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 7, Hook: ExecHook}},
	)
	g.Expect(hook.Latest).To(gomega.BeNumerically(">", w.Latest), "a hook's process has to start first")
}

func TestHookBound(t *testing.T) {
	for name, c := range map[string]struct {
		kill             Kill
		earliest, latest time.Duration
	}{
		"grace 10": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 10, Hook: ExecHook}, 9500 * time.Millisecond,
			10800 * time.Millisecond,
		},
		"force delete": {
			Kill{Cause: ByDelete, TerminationGracePeriodSeconds: 60, GracePeriodSeconds: ptr(0), Hook: ExecHook},
			500 * time.Millisecond, 1600 * time.Millisecond,
		},
		"liveness 5": {
			Kill{Cause: ByLiveness, TerminationGracePeriodSeconds: 20, ProbeTerminationGracePeriodSeconds: ptr(5),
				Hook: HTTPHook},
			4800 * time.Millisecond, 5800 * time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			w := HookBound.Implemented(Input{Kubelet: newest, Kill: c.kill})
			g.Expect(w.Earliest).To(gomega.BeNumerically(">=", int64(c.earliest)))
			g.Expect(w.Latest).To(gomega.BeNumerically("<=", int64(c.latest)))
			g.Expect(w.Contains(Input{Kubelet: newest, Kill: c.kill}.grace() * int64(time.Second))).To(gomega.BeTrue())
		})
	}
}

func TestDeathCode(t *testing.T) {
	g := gomega.NewWithT(t)
	killed := DeathCode.Implemented(Input{Kubelet: newest, OwnExitCode: 3})
	g.Expect([]int64{killed.Earliest, killed.Latest}).To(gomega.Equal([]int64{137, 137}))
	obeyed := DeathCode.Implemented(Input{Kubelet: newest, Obeys: true, OwnExitCode: 3})
	g.Expect([]int64{obeyed.Earliest, obeyed.Latest}).To(gomega.Equal([]int64{3, 3}))
	g.Expect(obeyed.Unit).To(gomega.Equal(ExitCode))
}

func TestObeyedSignal(t *testing.T) {
	in := Input{Kubelet: newest, Obeys: true, OwnDelay: 2500 * time.Millisecond, OwnExitCode: 3}
	in.Kill.TerminationGracePeriodSeconds = 5
	w := ObeyedSignal.Implemented(in)
	g := gomega.NewWithT(t)
	g.Expect(w.Earliest).To(gomega.Equal(int64(2500 * time.Millisecond)))
	g.Expect(w.Latest).To(gomega.BeNumerically("<=", int64(3500*time.Millisecond)))

	in.OwnDelay = 41900 * time.Millisecond
	late := ObeyedSignal.Implemented(in)
	g.Expect(late.Earliest).To(gomega.Equal(int64(4900*time.Millisecond)), "SIGKILL comes first")
	g.Expect(late.Latest).To(gomega.BeNumerically("<", int64(6*time.Second)))
	g.Expect(DeathCode.Implemented(in).Earliest).To(gomega.Equal(int64(137)))
}

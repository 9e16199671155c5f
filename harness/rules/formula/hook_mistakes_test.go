package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// hookFormulas and hookMistakes belong to the files that this file tests.
var hookMistakes = []Mistake{
	HookSubtractedExactly, HookRoundedUp, SleepEndsWithProcess, HookNotRun, SleepNotSlept, ImageSignals, DefaultSignals,
}

// A fraction shows if the hook leaves more than the minimum. A hook that leaves exactly two whole seconds shows
// nothing.
func TestFractionsOfHooks(t *testing.T) {
	for _, c := range []struct {
		took           time.Duration
		grace          int64
		whole, up      time.Duration
		exactly        time.Duration
		upTold, fracts bool
	}{
		{2400 * time.Millisecond, 6, 4 * time.Second, 3 * time.Second, 3600 * time.Millisecond, true, true},
		{4900 * time.Millisecond, 10, 6 * time.Second, 5 * time.Second, 5100 * time.Millisecond, true, true},
		{8500 * time.Millisecond, 10, 2 * time.Second, 2 * time.Second, 2 * time.Second, false, false},
	} {
		g := gomega.NewWithT(t)
		in := Input{
			Kubelet: newest,
			Life:    1,
			Kill: Kill{
				Cause:                         ByDelete,
				TerminationGracePeriodSeconds: c.grace,
				Hook:                          HTTPHook,
				HookElapsed:                   Range{Low: c.took, High: c.took + HTTPStart},
			},
		}
		right, up := Remainder.Implemented(in), HookRoundedUp.Of(Remainder, in)
		exact := HookSubtractedExactly.Of(Remainder, in)
		g.Expect(right.Contains(int64(c.whole))).To(gomega.BeTrue(), "%v: %v", c.took, right)
		g.Expect(up.Contains(int64(c.up))).To(gomega.BeTrue(), "%v: %v", c.took, up)
		g.Expect(exact.Contains(int64(c.exactly))).To(gomega.BeTrue(), "%v: %v", c.took, exact)
		g.Expect(apart(right, up)).To(gomega.Equal(c.upTold), "%v: %v and %v", c.took, right, up)
		g.Expect(apart(right, exact)).To(gomega.Equal(c.fracts), "%v: %v and %v", c.took, right, exact)
	}
}

// A hook that is not run shows no run, and a sleep that is not slept shows SIGTERM at once.
func TestHooksNotRun(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{
		Kubelet: newest,
		Life:    1,
		Kill: Kill{
			Cause:                         ByDelete,
			TerminationGracePeriodSeconds: 10,
			Hook:                          SleepHook,
			HookElapsed:                   Range{Low: 4 * time.Second, High: 4 * time.Second},
		},
	}
	g.Expect(SleepNotSlept.Of(SleepThenSignal, in).Contains(0)).To(gomega.BeTrue())
	g.Expect(apart(SleepThenSignal.Implemented(in), SleepNotSlept.Of(SleepThenSignal, in))).To(gomega.BeTrue())
	g.Expect(apart(HookRuns.Implemented(in), HookNotRun.Of(HookRuns, in))).To(gomega.BeTrue())
	in.Kill.GracePeriodSeconds = new(int64)
	in.Kubelet = Kubelet{Version: "v1.23.1"}
	g.Expect(HookRuns.Implemented(in)).
		To(gomega.Equal(count("runs", 0)), "after a force delete, before HookSubtractedLast")
}

package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// sidecarFormulas and sidecarMistakes belong to the files that this file tests.
var sidecarMistakes = []Mistake{
	NoOrderAmongSidecars, NoOrder, StuckOrder, WholeGraceForSidecar, ExactRemainder,
}

func deletedSidecar(grace int64, sinceKill, turn time.Duration) Input {
	return Input{
		Kubelet:   newest,
		Life:      1,
		Sidecar:   true,
		Kill:      Kill{Cause: ByDelete, TerminationGracePeriodSeconds: grace},
		SinceKill: sinceKill,
		Turn:      turn,
	}
}

// The rows are a sidecar's turn and what is left to it, computed by hand from killContainer and waitForTurn.
func TestSidecars(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	hook := func(in Input, took time.Duration) Input {
		in.Kill.Hook, in.Kill.HookElapsed = HTTPHook, Range{Low: took, High: took + 200*ms}
		return in
	}
	for name, c := range map[string]struct {
		in                Input
		signal, remainder time.Duration
	}{
		"the main container exits after 3.5 s of 10": {
			deletedSidecar(10, 3500*ms, 3500*ms), 3500 * ms, 7 * s,
		},
		"the sidecar after it takes the rest": {deletedSidecar(10, 10*s, 10500*ms), 10 * s, 2 * s},
		"the main container takes all":        {deletedSidecar(6, 6*s, 6*s), 6 * s, 2 * s},
		"one before lives on":                 {deletedSidecar(6, 6*s, -1), 6 * s, 2 * s},
		"nothing to wait for":                 {deletedSidecar(6, 0, 0), 0, 6 * s},
		"a hook of 1.5 s and a wait of 2.5 s lose a second": {
			hook(deletedSidecar(10, 4*s, 4*s), 1500*ms), 4 * s, 7 * s,
		},
		"a hook longer than the wait": {
			hook(deletedSidecar(10, 3500*ms, 1500*ms), 3500*ms), 3500 * ms, 7 * s,
		},
		"a hook that ends when the grace period is nearly over": {
			hook(deletedSidecar(4, 3400*ms, 1*s), 3400*ms), 3400 * ms, 2 * s,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			near(g, "signal", SidecarSignal.Implemented(c.in), c.signal, 250*ms, 700*ms)
			near(g, "remainder", SidecarRemainder.Implemented(c.in), c.remainder, 100*ms, 250*ms)
			whole := SidecarGrace.Implemented(c.in)
			g.Expect(whole.Contains(int64(c.signal+c.remainder))).To(gomega.BeTrue(), "%s", whole)
			g.Expect(whole.Latest-whole.Earliest).To(gomega.BeNumerically("<=", 3600*ms), "%s", whole)
		})
	}
}

// A hook that ends around a whole second loses that second or not. The turn comes after what is left either way.
func TestSidecarHookAroundAWholeSecond(t *testing.T) {
	g := gomega.NewWithT(t)
	in := deletedSidecar(2, 2*time.Second, -1)
	in.Kill.Hook, in.Kill.HookElapsed = ExecHook, Range{Low: 958 * time.Millisecond, High: 1458 * time.Millisecond}
	for _, at := range []time.Duration{2 * time.Second, 2958 * time.Millisecond} {
		g.Expect(SidecarSignal.Implemented(in).Contains(int64(at))).To(gomega.BeTrue(), "%v", at)
	}
	waits := deletedSidecar(9, 2100*time.Millisecond, 2100*time.Millisecond)
	waits.Kill.Hook, waits.Kill.HookElapsed = in.Kill.Hook, in.Kill.HookElapsed
	g.Expect(SidecarRemainder.Implemented(waits).Contains(int64(7*time.Second))).
		To(gomega.BeTrue(), "hook 1.0 s, wait 1.1 s")
	g.Expect(SidecarRemainder.Implemented(waits).Contains(int64(8*time.Second))).
		To(gomega.BeTrue(), "hook 1.4 s, wait 0.7 s")
}

// The documentation promises a sidecar what is left of the pod's grace period. Once that is over, it promises "a short
// grace period" without a number.
func TestSidecarsOutliveTheGracePeriod(t *testing.T) {
	g := gomega.NewWithT(t)
	late := deletedSidecar(6, 6100*time.Millisecond, 6*time.Second)
	g.Expect(SidecarRemainder.Implemented(late).Contains(int64(2 * time.Second))).To(gomega.BeTrue())
	for _, since := range []time.Duration{5900, 6000, 6100} {
		late.SinceKill = since * time.Millisecond
		g.Expect(SidecarRemainder.Documented(late)).To(gomega.BeNil(), "at the end of the grace period, %d ms", since)
	}
	lost := deletedSidecar(6, 2600*time.Millisecond, 2600*time.Millisecond)
	lost.Kill.Hook, lost.Kill.HookElapsed = HTTPHook, about(1300*time.Millisecond)
	g.Expect(SidecarRemainder.Implemented(lost).Contains(int64(4*time.Second))).To(gomega.BeTrue(), "lost fractions")
	lost.SinceKill = 3100 * time.Millisecond
	g.Expect(SidecarRemainder.Documented(lost).Contains(int64(4*time.Second))).To(gomega.BeFalse(), "2.9 s are left")
	early := deletedSidecar(10, 3600*time.Millisecond, 3500*time.Millisecond)
	g.Expect(SidecarRemainder.Documented(early).Contains(int64(7 * time.Second))).To(gomega.BeTrue())
}

// The right order and the wrong ones have different windows.
func TestSidecarMistakes(t *testing.T) {
	g := gomega.NewWithT(t)
	in := deletedSidecar(10, 3500*time.Millisecond, 3500*time.Millisecond)
	right := int64(3500 * time.Millisecond)
	g.Expect(NoOrder.Of(SidecarSignal, in).Contains(0)).To(gomega.BeTrue())
	g.Expect(NoOrder.Of(SidecarSignal, in).Contains(right)).To(gomega.BeFalse())
	g.Expect(StuckOrder.Of(SidecarSignal, in).Contains(int64(10 * time.Second))).To(gomega.BeTrue())
	g.Expect(StuckOrder.Of(SidecarSignal, in).Contains(right)).To(gomega.BeFalse())
	g.Expect(WholeGraceForSidecar.Would(in).Contains(int64(10 * time.Second))).To(gomega.BeTrue())
	g.Expect(ExactRemainder.Would(in).Contains(int64(6500 * time.Millisecond))).To(gomega.BeTrue())
	g.Expect(ExactRemainder.Would(in).Contains(int64(7 * time.Second))).To(gomega.BeFalse())
}

// Until 1.29.7 and 1.30.3 a sidecar waits for a later one that does not run, which the documentation does not promise.
func TestStoppedSidecar(t *testing.T) {
	const s = time.Second
	in := deletedSidecar(10, s, s)
	in.LaterStopped = true
	for version, turn := range map[string]time.Duration{
		"v1.29.0": 10 * s, "v1.29.7": 10 * s, "v1.29.8": s, "v1.30.3": 10 * s, "v1.30.4": s, "v1.31.0": s,
	} {
		g := gomega.NewWithT(t)
		in.Kubelet = Kubelet{Version: version}
		near(g, version, SidecarSignal.Implemented(in), turn, 250*time.Millisecond, 700*time.Millisecond)
		near(g, version+" documented", *SidecarSignal.Documented(in), s, 250*time.Millisecond, 700*time.Millisecond)
		for _, r := range []Mistake{NoOrder, NoOrderAmongSidecars} {
			g.Expect(r.Of(SidecarSignal, in).Contains(int64(10*s))).To(gomega.BeFalse(), "%s: %s", version, r.Name)
		}
	}
}

// Without an order, sidecars end with the first of them. The one that ends first shows no difference.
func TestSidecarsWithoutOrderAmongThem(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	g := gomega.NewWithT(t)
	in := deletedSidecar(10, 5*s, 5*s)
	in.MainsTurn = 1500 * ms
	near(g, "ended with the one after it", NoOrderAmongSidecars.Of(SidecarSignal, in), 1500*ms, 250*ms, 700*ms)
	in.MainsTurn = in.Turn
	g.Expect(NoOrderAmongSidecars.Of(SidecarSignal, in)).To(gomega.Equal(SidecarSignal.Implemented(in)))
}

package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// A resize back to former resources waits for a back-off since 1.34. Before, a resize ended each back-off.
func TestResizeBack(t *testing.T) {
	for version, want := range map[string][2]time.Duration{
		"v1.33.13": {0, 2250 * time.Millisecond},
		"v1.34.4":  {10 * s, 28 * s}, // checks ten to fifteen seconds apart
		"v1.37.2":  {10 * s, 18 * s},
	} {
		in := Input{Kubelet: Kubelet{Version: version}, Life: 5, Neighbours: 1}
		w := ResizeStartsBackedOff.Implemented(in)
		gomega.NewWithT(t).Expect([2]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
			To(gomega.Equal(want), version)
		w = ResizeStarts.Implemented(in)
		gomega.NewWithT(t).Expect(time.Duration(w.Latest)).To(gomega.Equal(2250*time.Millisecond), version)
	}
}

// The back-off that the killing sync sees began with the end of the life before. A slow node may let it run out.
func TestResizeBackAfterALongLife(t *testing.T) {
	const atOnce, waits = 2250 * time.Millisecond, 18 * s
	for name, c := range map[string]struct {
		between, delay   time.Duration
		earliest, latest time.Duration
	}{
		"a short life":               {6 * s, 0, 10 * s, waits},
		"a long life":                {11 * s, 0, 0, atOnce},
		"nearly the back-off":        {9900 * time.Millisecond, 0, 0, waits},
		"a short life, a long delay": {6 * s, 5 * s, 0, waits},
		"a long life, a long delay":  {11 * s, 2 * s, 0, waits},
	} {
		in := Input{Kubelet: newest, Life: 5, Neighbours: 1, Delay: c.delay}
		in.Lives = []Life{{}, {}, {Gone: 20 * s}, {Gone: 20*s + c.between}, {}}
		w := ResizeStartsBackedOff.Implemented(in)
		gomega.NewWithT(t).Expect([]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
			To(gomega.Equal([]time.Duration{c.earliest, c.latest}), name)
	}
}

// A real node's API server is of the newest release, whatever the kubelet.
func TestResizeBeyondTheNode(t *testing.T) {
	for name, c := range map[string]struct {
		kubelet            Kubelet
		status, conditions int64
	}{
		"an old server":               {Kubelet{Version: "v1.35.8", OwnServer: true}, 0, 1},
		"a new server":                {Kubelet{Version: "v1.36.0", OwnServer: true}, 403, 0},
		"an old kubelet of a new one": {Kubelet{Version: "v1.34.4"}, 403, 0},
	} {
		in, g := Input{Kubelet: c.kubelet}, gomega.NewWithT(t)
		status, conditions := ResizeRefused.Implemented(in), ResizeInfeasible.Implemented(in)
		g.Expect([]int64{status.Earliest, status.Latest}).To(gomega.Equal([]int64{c.status, c.status}), name)
		g.Expect([]int64{conditions.Earliest, conditions.Latest}).
			To(gomega.Equal([]int64{c.conditions, c.conditions}), name)
	}
}

// A virtual node's kubelet writes each status at once.
func TestResizesAreShownForAMoment(t *testing.T) {
	g, virtual := gomega.NewWithT(t), newest
	virtual.OwnServer = true
	for kubelet, earliest := range map[*Kubelet]int64{&newest: 0, &virtual: 1} {
		w := ResizeShownForAMoment.Implemented(Input{Kubelet: *kubelet})
		g.Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{earliest, 1}))
	}
}

func TestResizesThatWait(t *testing.T) {
	hooked := Input{Kubelet: newest, Life: 1, Kill: Kill{
		Cause: ByChange, TerminationGracePeriodSeconds: 5, Hook: HTTPHook, HookElapsed: about(s),
	}}
	for name, c := range map[string]struct {
		window           Window
		earliest, latest time.Duration
	}{
		"kills":       {ResizeKills.Implemented(hooked), 0, 2600 * time.Millisecond},
		"shown":       {ResizeShown.Implemented(hooked), 0, 4300 * time.Millisecond},
		"error":       {ResizeErrorShown.Implemented(hooked), 10 * s, 20300 * time.Millisecond},
		"retried":     {ResizeRetried.Implemented(hooked), 0, 8200 * time.Millisecond},
		"after end":   {ResizeAfterEnd.Implemented(hooked), 0, 6600 * time.Millisecond},
		"completed":   {ResizeCompleted.Implemented(hooked), -500 * time.Millisecond, 3300 * time.Millisecond},
		"in back-off": {AfterResize.Implemented(hooked), 0, 4300 * time.Millisecond},
		"every tick":  {RetriedAtTicks.Of(ResizeRetried, hooked), time.Minute, 3 * time.Minute},
		"again":       {KillsAgain.Of(ResizeKills, hooked), -10 * s, 0},
	} {
		gomega.NewWithT(t).
			Expect([]time.Duration{time.Duration(c.window.Earliest), time.Duration(c.window.Latest)}).
			To(gomega.Equal([]time.Duration{c.earliest, c.latest}), name)
	}
	g := gomega.NewWithT(t)
	g.Expect(ResizedInPlace.Implemented(hooked)).To(gomega.Equal(count("ends", 0)))
	g.Expect(AlwaysRestarts.Of(ResizedInPlace, hooked)).To(gomega.Equal(count("ends", 1)))
}

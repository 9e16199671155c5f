package bench

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// at are probes at so many milliseconds.
func at(all ...int) (times []time.Duration) {
	for _, t := range all {
		times = append(times, time.Duration(t)*ms)
	}
	return times
}

func TestProbes(t *testing.T) {
	for name, c := range map[string]struct {
		pods                           [][]time.Duration
		done, late, lost, pods0, pods1 int
		max                            time.Duration
	}{
		"each second":                          {[][]time.Duration{at(500, 1500, 2501, 3499, 4500)}, 5, 0, 0, 0, 0, 1 * ms},
		"a gap of two periods has lost a tick": {[][]time.Duration{at(500, 1500, 3500, 4500)}, 4, 1, 1, 1, 1, 1000 * ms},
		// the tick that came during the slow probe waited, so none is lost
		"late, and the next one in time": {[][]time.Duration{at(500, 1500, 3100, 3500, 4500)}, 5, 1, 0, 1, 0, 600 * ms},
		"within the formula":             {[][]time.Duration{at(500, 1500, 2750, 3500, 4500)}, 5, 0, 0, 0, 0, 250 * ms},
		"none at the beginning":          {[][]time.Duration{at(2500, 3500, 4500)}, 3, 0, 2, 0, 1, 0},
		"none at the end":                {[][]time.Duration{at(500, 1500, 2500)}, 3, 0, 2, 0, 1, 0},
		"none at all":                    {[][]time.Duration{nil}, 0, 0, 5, 0, 1, 0},
		"outside of the time":            {[][]time.Duration{at(-500, 500, 1500, 2500, 3500, 4500, 5500)}, 5, 0, 0, 0, 0, 0},
		"two pods": {
			[][]time.Duration{at(500, 1500, 2500, 3500, 4500), at(100, 1100, 4100)}, 8, 1, 2, 1, 1, 2000 * ms,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := probesOf(c.pods, "http", 0, 5*s)
			g.Expect([]int{got.Done, got.Late, got.Lost, got.LatePods, got.LostPods}).
				To(Equal([]int{c.done, c.late, c.lost, c.pods0, c.pods1}))
			g.Expect(got.Lateness.Max).To(Equal(c.max))
		})
	}
}

// An exec probe may take longer to its process than a request.
func TestGap(t *testing.T) {
	g := NewWithT(t)
	g.Expect(gap("http").String()).To(Equal("[0.700 s, 1.300 s]"))
	g.Expect(gap("exec").String()).To(Equal("[0.350 s, 1.650 s]"))
}

func TestQuantiles(t *testing.T) {
	g := NewWithT(t)
	g.Expect(quantilesOf(nil)).To(Equal(Quantiles{}))
	var all []time.Duration
	for i := 100; i > 0; i-- {
		all = append(all, time.Duration(i))
	}
	g.Expect(quantilesOf(all)).To(Equal(Quantiles{Count: 100, P50: 50, P90: 90, P99: 99, Max: 100}))
}

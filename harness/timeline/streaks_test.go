package timeline

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// A probe is due one period after the last one. It meets a dead container if that is after the end and before the next
// start.
func TestDueAfterDeath(t *testing.T) {
	const s = int64(time.Second)
	life := &Life{Probes: []Probe{
		{For: "readiness", At: Instant{At: 10 * s}}, {For: "liveness", At: Instant{At: 12 * s}},
	}}
	for name, c := range map[string]struct {
		gone, started int64
		want          int
	}{
		"between the end and the next start":     {14 * s, 16 * s, 1},
		"two between the end and the next start": {14 * s, 21 * s, 2},
		"before the end":                         {16 * s, 17 * s, 0},
		"one before and one after the end":       {16 * s, 21 * s, 1},
		"on its way at the end":                  {15*s + s/100, 17 * s, 1},
		"after the next start":                   {13 * s, 14 * s, 0},
	} {
		life.Gone = &Instant{At: c.gone}
		got := life.DueAfterDeath("readiness", 5*time.Second, 50*time.Millisecond, c.started)
		gomega.NewWithT(t).Expect(got).To(gomega.Equal(c.want), name)
	}
	gomega.NewWithT(t).Expect(life.DueAfterDeath("startup", 5*time.Second, 0, 60*s)).To(gomega.BeZero(), "no probe")
}

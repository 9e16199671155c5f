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

// Probes meet a dead container until a relist shows its end, however long the back-off, but never after a kill by them.
func TestMetDead(t *testing.T) {
	const s = int64(time.Second)
	soon, late := Life{Number: 2, Started: &Instant{At: 11 * s}}, Life{Number: 2, Started: &Instant{At: 22 * s}}
	for name, c := range map[string]struct {
		kind   string
		gone   int64
		killed bool
		next   Life
		want   int
	}{
		"before the relist":             {"liveness", 12*s - s/2, false, late, 1},
		"after the relist":              {"liveness", 10*s + s/2, false, late, 0},
		"after the next start":          {"liveness", 11*s - s/4, false, soon, 0},
		"after a kill":                  {"liveness", 12*s - s/2, true, late, 0},
		"another kind's, after a kill":  {"readiness", 12*s - s/2, true, late, 1},
		"before a life without a start": {"liveness", 12*s - s/2, false, Life{Number: 2}, 0},
		"without a next life":           {"liveness", 12*s - s/2, false, Life{}, 0},
	} {
		first := Life{Number: 1, Probes: []Probe{{For: c.kind, At: Instant{At: 10 * s}}}, Gone: &Instant{At: c.gone}}
		if c.killed {
			first.SIGTERMs = []Instant{{At: c.gone}}
		}
		lives := []*Life{&first}
		if c.next.Number > 0 {
			lives = append(lives, &c.next)
		}
		tl := &Timeline{Containers: map[string]*Container{"main": {Name: "main", Lives: lives}}}
		got := tl.MetDead("main", 2, c.kind, 2*time.Second, 50*time.Millisecond, 1300*time.Millisecond)
		gomega.NewWithT(t).Expect(got).To(gomega.Equal(c.want), name)
	}
}

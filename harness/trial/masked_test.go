package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// What is inside its window may be a rival's that came late, where the node's cores were never free; the code computes five to six seconds.
func TestASaturatedNodeMasksARival(t *testing.T) {
	earlier, later := rival("it is over too soon", 3*time.Second, 4*time.Second), rival("it takes too long", 8*time.Second, 9*time.Second)
	near := rival("it is over a little too soon", 4*time.Second, 5500*time.Millisecond)
	for name, c := range map[string]struct {
		claim []formula.Rival
		noise timeline.Noise
		want  Verdict
	}{
		"cores that were never free":     {[]formula.Rival{earlier}, busyFor(time.Minute), Inconclusive},
		"cores that were taken for less": {[]formula.Rival{earlier}, busyFor(990 * time.Millisecond), Conforms},
		"quiet":                          {[]formula.Rival{earlier}, timeline.Noise{}, Conforms},
		"no rival that measures less":    {[]formula.Rival{later}, busyFor(time.Minute), Conforms},
		"none that lies apart":           {[]formula.Rival{near}, busyFor(time.Minute), Conforms},
		"no rival":                       {nil, busyFor(time.Minute), Conforms},
		"a stall that is long enough":    {[]formula.Rival{earlier}, timeline.Noise{Stalls: []timeline.Stall{{From: zero + int64(12*time.Second), To: zero + int64(13100*time.Millisecond)}}}, Inconclusive},
		"a stall that is not":            {[]formula.Rival{earlier}, timeline.Noise{Stalls: []timeline.Stall{{From: zero + int64(12*time.Second), To: zero + int64(12900*time.Millisecond)}}}, Conforms},
	} {
		f := judge1(dying(narrowPromise, c.claim...), lifeOf(5*time.Second), c.noise)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

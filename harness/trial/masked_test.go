package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
)

// What is inside its window may be a rival's that came late, where the node's cores were never free; the
// code computes five to six seconds.
func TestASaturatedNodeMasksARival(t *testing.T) {
	earlier, later := rival(
		"it is over too soon",
		3*time.Second,
		4*time.Second,
	), rival(
		"it takes too long",
		8*time.Second,
		9*time.Second,
	)
	near := rival("it is over a little too soon", 4*time.Second, 5500*time.Millisecond)
	impossible := earlier
	impossible.WholeSeconds = true
	for name, c := range map[string]struct {
		claim []formula.Rival
		noise delay.Record
		want  Verdict
	}{
		"cores that were never free":     {[]formula.Rival{earlier}, busyFor(time.Minute), Inconclusive},
		"cores that were taken for less": {[]formula.Rival{earlier}, busyFor(990 * time.Millisecond), Conforms},
		"quiet":                          {[]formula.Rival{earlier}, delay.Record{}, Conforms},
		"no rival that measures less":    {[]formula.Rival{later}, busyFor(time.Minute), Conforms},
		"none that lies apart":           {[]formula.Rival{near}, busyFor(time.Minute), Conforms},
		"a rival that none can be":       {[]formula.Rival{impossible}, busyFor(time.Minute), Conforms},
		"no rival":                       {nil, busyFor(time.Minute), Conforms},
		"a stall that is long enough":    {[]formula.Rival{earlier}, delay.Record{LateTicks: []delay.Span{{From: zero + int64(12*time.Second), To: zero + int64(13100*time.Millisecond)}}}, Inconclusive},
		"a stall that is not":            {[]formula.Rival{earlier}, delay.Record{LateTicks: []delay.Span{{From: zero + int64(12*time.Second), To: zero + int64(12900*time.Millisecond)}}}, Conforms},
	} {
		f := judge1(dying(narrowPromise, c.claim...), lifeOf(5*time.Second), c.noise)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A rival is one code for all that was measured: what can't be its in one finding does not hide it behind another.
func TestARivalThatOneFindingExcludesIsBehindNone(t *testing.T) {
	stalled := delay.Record{
		LateTicks: []delay.Span{{From: zero + int64(12*time.Second), To: zero + int64(13100*time.Millisecond)}},
	}
	long := predicts(8*time.Second, 10*time.Second, 0, 0)
	for name, c := range map[string]struct {
		other formula.Rival
		want  Verdict
	}{
		"the same, which would have been seen": {rival("one", time.Second, 2*time.Second), Conforms},
		"the same, which measures no other":    {rival("one", 8*time.Second, 10*time.Second), Inconclusive},
		"another":                              {rival("another", time.Second, 2*time.Second), Inconclusive},
	} {
		tr := dying(narrowPromise, rival("one", 3*time.Second, 4*time.Second))
		tr.Claims = append(
			tr.Claims,
			Claim{Measure: Between(Started, SIGTERM), Formula: long, Rivals: []formula.Rival{c.other}},
		)
		r := Judge(tr, lifeOf(5*time.Second), stalled, newest)
		gomega.NewWithT(t).Expect(r.Findings[0].Verdict).To(gomega.Equal(c.want), "%s: %s", name, r.Findings[0].Why)
		gomega.NewWithT(t).Expect(r.Findings[1].Verdict).To(gomega.Equal(Conforms), "%s: %s", name, r.Findings[1].Why)
	}
}

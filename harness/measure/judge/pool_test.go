package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// missing returns an attempt with one claim that missed a window of 5 to 6 s by this much, which a rule excused.
func missing(claim string, by time.Duration, rule, mistake string) trial.Result {
	m := &trial.Measured{Unit: formula.Nanoseconds, Value: int64(6*time.Second + by)}
	if by < 0 {
		m.Value = int64(5*time.Second + by)
	}
	f := trial.Finding{
		Claim: claim, Verdict: trial.Inconclusive, Why: "missed", Rule: rule, Measured: m,
		Implemented: fixed(5*time.Second, 6*time.Second),
	}
	if mistake != "" {
		f.Mistakes = []trial.Mistake{{Diagnosis: trial.Diagnosis{Name: mistake}, Beyond: true, Fits: true}}
	}
	return trial.Result{Verdict: f.Verdict, Findings: []trial.Finding{f}}
}

func ended(claim string, v trial.Verdict) trial.Result {
	f := trial.Finding{Claim: claim, Verdict: v, Why: "missed"}
	return trial.Result{Verdict: v, Findings: []trial.Finding{f}}
}

// attempts are those of one trial.
type attempts []trial.Result

func TestPool(t *testing.T) {
	const s = time.Second
	doubt := trial.Result{Verdict: trial.Inconclusive}
	good := ended("a", trial.Conforms)
	unlikely := func(claim string, by time.Duration) trial.Result { return missing(claim, by, unlikelyDelay, "") }
	likely := missing("a", s, "delayed work", "")
	outage := missing("a", s, "outage doubt", "r")
	fitting := func(claim, mistake string) trial.Result { return missing(claim, s, unlikelyDelay, mistake) }
	both := trial.Result{
		Verdict:  trial.Inconclusive,
		Findings: []trial.Finding{fitting("a", "r").Findings[0], fitting("b", "r").Findings[0]},
	}
	for name, c := range map[string]struct {
		attempts attempts
		want     trial.Verdict
		open     bool
	}{
		"nothing":                       {nil, trial.Inconclusive, true},
		"one conforms":                  {attempts{good}, trial.Conforms, false},
		"one deviates":                  {attempts{ended("a", trial.Deviates)}, trial.Deviates, false},
		"unsupported":                   {attempts{{Verdict: trial.Unsupported}}, trial.Unsupported, false},
		"a doubt, then divergent":       {attempts{doubt, ended("a", trial.Divergent)}, trial.Divergent, false},
		"a deviation, then conforms":    {attempts{ended("a", trial.Deviates), good}, trial.Deviates, false},
		"one side twice":                {attempts{unlikely("a", s), unlikely("a", 2*s)}, trial.Deviates, false},
		"one side twice, one between":   {attempts{unlikely("a", -s), good, unlikely("a", -s)}, trial.Deviates, false},
		"one on each side":              {attempts{unlikely("a", s), unlikely("a", -s)}, trial.Inconclusive, true},
		"two claims":                    {attempts{unlikely("a", s), unlikely("b", s)}, trial.Inconclusive, true},
		"likely delay, one side twice":  {attempts{likely, likely}, trial.Inconclusive, true},
		"likely once, unlikely once":    {attempts{likely, unlikely("a", s)}, trial.Inconclusive, true},
		"one known mistake, two claims": {attempts{fitting("a", "r"), fitting("b", "r")}, trial.Deviates, false},
		"two known mistakes":            {attempts{fitting("a", "r"), fitting("b", "q")}, trial.Inconclusive, true},
		"once, then conforms":           {attempts{unlikely("a", s), good}, trial.Conforms, true},
		"once, then conforms twice":     {attempts{unlikely("a", s), good, good}, trial.Conforms, false},
		"two kinds against one":         {attempts{unlikely("a", s), good, unlikely("b", s)}, trial.Inconclusive, true},
		"two against two":               {attempts{fitting("a", "r"), good, fitting("b", ""), good}, trial.Inconclusive, true},
		"conforms, then only a doubt":   {attempts{unlikely("a", s), good, doubt}, trial.Conforms, true},
		"two claims of one attempt":     {attempts{both}, trial.Inconclusive, true},
		"excused by an outage, by both": {attempts{outage, outage}, trial.Inconclusive, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			p := Pool(c.attempts)
			g.Expect(p.Verdict).To(gomega.Equal(c.want))
			g.Expect(p.Open).To(gomega.Equal(c.open))
			g.Expect(p.Results).To(gomega.HaveLen(len(c.attempts)))
			if len(c.attempts) > 1 {
				g.Expect(Pool(c.attempts)).To(gomega.Equal(p), "the attempts stay as they were")
			}
		})
	}
}

func TestPoolReportsTheRate(t *testing.T) {
	g := gomega.NewWithT(t)
	miss := missing("a", time.Second, unlikelyDelay, "r")
	p := Pool(attempts{miss, ended("a", trial.Conforms), {Verdict: trial.Inconclusive}, miss})
	for _, i := range []int{0, 3} {
		f := p.Results[i].Findings[0]
		g.Expect(p.Results[i].Verdict).To(gomega.Equal(trial.Deviates))
		g.Expect(f.Rule).To(gomega.Equal(pooledMisses))
		g.Expect(f.Why).To(gomega.Equal("missed, but hardly more than once; in 2 of 3 attempts"))
	}
	g.Expect(p.Results[1].Verdict).To(gomega.Equal(trial.Conforms))
	g.Expect(Pool(attempts{ended("a", trial.Deviates)}).Results[0].Findings[0].Why).To(gomega.Equal("missed"))
}

// A node on which no core is free for a second can delay work without bound, as often as it likes.
func TestPoolNeverBlamesASaturatedNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		late := func(name string) trial.Result {
			after := 6*time.Second + time.Duration(rapid.Int64Range(1, 30e9).Draw(t, name))
			tr := dying(narrowPromise, mistake("r", 7*time.Second, time.Minute))
			return Judge(tr, lifeOf(after), busyFor(time.Minute), newest)
		}
		p := Pool(attempts{late("first"), late("second"), late("third")})
		if p.Verdict != trial.Inconclusive {
			t.Fatalf("%s: %s", p.Verdict, p.Results[0].Findings[0].Why)
		}
	})
}

// An attempt on a node that is busy for 60 % of each second: the window's work of a second takes at most 2.5 s.
func TestUnlikelyDelay(t *testing.T) {
	delays := busyBetween(0, time.Minute, 0.6)
	const (
		ms      = time.Millisecond
		likely  = "delayed work"
		outside = "outside implemented"
	)
	saturated, late := busyFor(time.Minute), lateTick(9*time.Second, 950*ms)
	for name, c := range map[string]struct {
		after  time.Duration
		delays delay.Record
		rule   string
	}{
		"late as half of the work would be":  {6240 * ms, delays, likely},
		"late as only all of it would be":    {6500 * ms, delays, unlikelyDelay},
		"later than any work":                {8000 * ms, delays, outside},
		"early by a slow signal":             {4600 * ms, saturated, likely},
		"early by more than a signal":        {4400 * ms, saturated, unlikelyDelay},
		"early on a node with a free core":   {4200 * ms, delays, outside},
		"early by the recorder's late tick":  {4100 * ms, late, likely},
		"early by more than the look before": {3500 * ms, saturated, outside},
	} {
		f := judgeOne(dying(narrowPromise), lifeOf(c.after), c.delays)
		gomega.NewWithT(t).Expect(f.Rule).To(gomega.Equal(c.rule), "%s: %s", name, f.Why)
	}
}

func TestOfDelay(t *testing.T) {
	g := gomega.NewWithT(t)
	own := map[string]bool{
		"skipped state": true, "killed before its mark": true, "delayed work": true, "delayed input": true,
		"masked known mistake": true,
	}
	for _, r := range rules {
		g.Expect(OfDelay(r.name)).To(gomega.Equal(own[r.name]), r.name)
	}
	g.Expect(OfDelay("")).To(gomega.BeFalse())
}

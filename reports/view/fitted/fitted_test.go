package fitted

import (
	"math"
	"math/rand"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites"
)

const (
	s     = time.Second
	never = time.Duration(math.MaxInt64)
)

func TestTerminated(t *testing.T) {
	for name, tt := range map[string]struct{ grace, hook, stops, want time.Duration }{
		"obeys":                        {30 * s, 0, 0, 0},
		"obeys late":                   {30 * s, 0, 7 * s, 7 * s},
		"ignores":                      {30 * s, 0, never, 30 * s},
		"a second is two":              {1 * s, 0, never, 2 * s},
		"a hook, then obeys":           {30 * s, 5 * s, 0, 5 * s},
		"a hook, then ignores":         {30 * s, 5 * s, never, 30 * s},
		"a hook until the last second": {30 * s, 29 * s, never, 31 * s},
		"a hook that hangs":            {30 * s, never, never, 32 * s},
		"a hook that hangs, obeys":     {30 * s, never, s, 31 * s},
	} {
		NewWithT(t).Expect(Terminated(tt.grace, tt.hook, tt.stops)).To(Equal(tt.want), name)
	}
}

// What the process does itself is as the formula of a delete computes.
func TestTerminatedIsWhatTheFormulaComputes(t *testing.T) {
	for _, grace := range []int64{1, 2, 5, 30} {
		in := formula.Input{
			Kubelet: formula.Kubelet{Version: formula.Versions()[0]},
			Kill:    formula.Kill{Cause: formula.ByDelete, TerminationGracePeriodSeconds: grace},
		}
		w := formula.KillLength.Implemented(in)
		NewWithT(t).Expect(int64(Terminated(time.Duration(grace)*s, 0, never))).
			To(BeNumerically("~", w.Earliest, 200*time.Millisecond), "%d s: %s", grace, w.Explain())
	}
}

func saved(t *testing.T, file string) run.Run {
	t.Helper()
	r, err := run.Load("../../../suites/testdata/runs/" + file)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return r
}

// The numbers are those of the findings in the saved runs.
func TestTimesOfSavedRuns(t *testing.T) {
	g := NewWithT(t)
	find := trial.Finder(suites.Catalogue())
	virtual := Of(saved(t, "1edaae43.json.gz"), "virtual:v1.37.2", find)
	g.Expect(virtual.Missing()).To(BeEmpty())
	g.Expect(virtual.BackOff).To(Equal(formula.Growth{Initial: 10 * s, Max: 300 * s}))
	g.Expect(virtual.Starts).To(HaveEach(172716 * time.Microsecond))
	g.Expect(virtual.Restarts).To(And(HaveLen(11), ContainElement(540939*time.Microsecond)))
	g.Expect(virtual.Ends).To(HaveLen(1))
	g.Expect(virtual.Ends[0]).To(BeNumerically("~", 627137*time.Microsecond, 10*time.Millisecond))

	r := saved(t, "add77af5.json.gz")
	real := Of(r, "v1.37.2", find)
	g.Expect(real.Missing()).To(Equal("no container that crashed and started again"))
	g.Expect(real.Starts).To(ConsistOf(time.Duration(692698213), time.Duration(913698838)))
	g.Expect(real.Ends).To(HaveLen(2))
	for _, end := range real.Ends { // from a process's death to the object's end, and what came before the signal
		g.Expect(end).To(BeNumerically("~", 1500*time.Millisecond, 300*time.Millisecond))
	}
	g.Expect(Of(r, "v1.36.3", find).Missing()).To(Equal("no container's start"), "another subject")
	g.Expect(Of(r, "v1.37.2", trial.Finder(nil)).Starts).To(BeEmpty(), "unknown trials")
	r.Outcomes[0].Attempts[0].Result.Verdict = trial.Inconclusive
	g.Expect(Of(r, "v1.37.2", find).Starts).To(HaveLen(1), "inconclusive attempts do not count")
}

// The pieces keep the quantiles of the sample.
func TestPartsKeepQuantiles(t *testing.T) {
	g := NewWithT(t)
	random := rand.New(rand.NewSource(1))
	for _, n := range []int{1, 2, 3, 11, 200} {
		sample := Sample{}
		for range n {
			sample = append(sample, time.Duration(random.ExpFloat64()*float64(s)))
		}
		slices.Sort(sample)
		parts := sample.Parts()
		shares := min(MostParts, max(1, n-1))
		g.Expect(parts).To(HaveLen(shares), "%d values", n)
		for i, p := range parts {
			g.Expect(p).To(Equal(Part{sample.Quantile(i, shares), sample.Quantile(i+1, shares), 1}))
		}
		g.Expect(parts[0].From).To(Equal(sample[0]))
		g.Expect(parts[len(parts)-1].To).To(Equal(sample[n-1]))
	}
	g.Expect(Sample{-s, 2 * s}.Parts()).To(Equal([]Part{{0, 2 * s, 1}}), "no time is negative")
	g.Expect(Sample{s, s, s, s, 3 * s}.Parts()).To(Equal([]Part{{s, s, 3}, {s, 3 * s, 1}}), "equal pieces are one")
	g.Expect(Sample{s, 2 * s, 4 * s}.Quantile(1, 4)).To(Equal(1500 * time.Millisecond))
}

package sample

import (
	"math/rand/v2"
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// backOff is the sum of a restart: a timer, the random wait of a draw, and two steps.
func backOff(jitter formula.Term) []formula.Term {
	return []formula.Term{
		{Name: "back-off", Earliest: 10 * second, Latest: 10 * second}, jitter,
		slack("work queue", 500, 900, 1000), slack("start", 300, 500, 2000),
	}
}

// jitter is a wait that begins at most 2.5 s late, so its length is up to 1.25 s shorter.
func jitter(longest int64) formula.Term {
	t := wait(longest)
	t.Usual.Even = max(ms, t.Latest-1250*ms)
	return t
}

// restarts returns values whose random wait is a part of its length.
func restarts(r *rand.Rand, n int, part func() float64) []Value {
	var values []Value
	for i := range n {
		j := jitter([]int64{5000, 10000, 20000}[i%3])
		terms := backOff(j)
		begins := int64(r.Float64() * float64(1300*ms)) // the sync that sees the end
		value := int64(part() * float64(j.Latest-begins/2))
		for _, t := range append(terms[:1:1], terms[2:]...) {
			value += drawn(r, t)
		}
		values = append(values, measured("restarts/delay", terms, value, i))
	}
	return values
}

func TestWaitsThatAreNotRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, c := range map[string]struct {
		n    int
		part func() float64
		want string // the diagnosis, empty: conforms
	}{
		"none":     {22, func() float64 { return 0 }, "one step is always early: jitter"},
		"all":      {22, func() float64 { return 1 }, "one step is always late: jitter"},
		"random":   {60, r.Float64, ""},
		"a few":    {5, func() float64 { return 0 }, ""},
		"only one": {1, func() float64 { return 1 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			findings := Waits(restarts(r, c.n, c.part))
			g.Expect(findings).To(gomega.HaveLen(1))
			if c.want == "" {
				g.Expect(deviating(findings)).To(gomega.BeEmpty())
				return
			}
			g.Expect(deviating(findings)).To(gomega.Equal([]string{"jitter-random"}))
			g.Expect(findings[0].Diagnosis.Name).To(gomega.Equal(c.want))
			g.Expect(findings[0].Diagnosis.Would.Contains(findings[0].Measured.Value)).To(gomega.BeTrue())
		})
	}
	gomega.NewWithT(t).Expect(Waits(sampleOf(30, "a/kill", kill, func() int64 { return 0 }))).To(gomega.BeEmpty())
}

// Beside a recorder that was late, more values are needed, and as many are enough as a quick run has.
func TestWaitsBesideALateRecorder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, part := range []float64{0, 1} {
		values := restarts(r, 30, func() float64 { return part })
		for i := range values {
			from := values[i].Finding.Measured.From
			values[i].Delays = &delay.Record{LateTicks: []delay.Span{{From: from, To: from + 300*ms}}}
		}
		gomega.NewWithT(t).Expect(deviating(Judge(values))).To(gomega.BeEmpty())
		gomega.NewWithT(t).Expect(deviating(Waits(values))).To(gomega.HaveLen(1), "%g of the wait", part)
	}
}

// Delay takes late values out of their windows. Those that remain are early, and chance put them there.
func TestLateWaitsAreNotLeftOut(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	values := restarts(r, 22, func() float64 { return 0 })
	for i := range values {
		if f := &values[i].Finding; i%2 == 0 {
			f.Verdict, f.Measured.Value = trial.Inconclusive, f.Implemented.Latest+second
		}
	}
	gomega.NewWithT(t).Expect(deviating(Waits(values))).To(gomega.BeEmpty())
}

// Random waits deviate at most as often as the budget says, late and slow or not. A budget of 1 % makes that countable.
func TestRandomWaitsConform(t *testing.T) {
	const budget, draws = 0.01, 2000
	r := rand.New(rand.NewPCG(9, 10))
	alarms := 0
	for range draws {
		values := restarts(r, 1+r.IntN(60), r.Float64)
		for i, v := range values {
			late, from := int64(r.ExpFloat64()*float64(200*ms)), v.Finding.Measured.From
			v.Delays = &delay.Record{LateTicks: []delay.Span{{From: from, To: from + late}}}
			v.Finding.Measured.Value += late
			if late > int64(maxLate) { // the last step takes twice as long
				start := slack("start", 300, 500, 2000)
				v.Finding.Measured.Value += min(drawn(r, start), start.Latest/2)
			}
			values[i] = v
		}
		if len(deviating(waits(values, budget))) > 0 {
			alarms++
		}
	}
	gomega.NewWithT(t).Expect(alarms).To(gomega.BeNumerically("<=", 30))
}

package sample

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

const second = int64(time.Second)

var (
	// graced ends 30 s after its beginning, or within half a second of that.
	graced = []formula.Term{{Name: "grace", Earliest: 30 * second, Latest: 30 * second}, slack("runtime", 40, 80, 500)}
	// notSubtracted ends ten seconds later, as if the hook's ten seconds were not subtracted.
	notSubtracted = trial.Diagnosis{Name: "the hook is not subtracted", Would: spanOf(40*second, 40500*ms)}
)

func spanOf(earliest, latest int64) formula.Window {
	return formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{Earliest: earliest, Latest: latest})
}

// excusedAt returns a miss of graced that delay excuses.
func excusedAt(value int64, attempt int, mistakes ...trial.Diagnosis) Value {
	v := measured("a/kill", graced, value, attempt)
	v.Finding.Verdict = trial.Inconclusive
	for _, r := range mistakes {
		v.Finding.Mistakes = append(v.Finding.Mistakes, trial.Mistake{Diagnosis: r, Beyond: true})
	}
	return v
}

func TestExcusedMisses(t *testing.T) {
	later := func(v Value, by int64) Value {
		v.Finding.Measured.From += by
		v.Finding.Measured.To += by
		return v
	}
	all := func(n int, value int64) (values []Value) {
		for i := range n {
			values = append(values, excusedAt(value, i, notSubtracted))
		}
		return values
	}
	together := all(8, 40200*ms)
	for i := range together {
		together[i] = later(together[i], -int64(i)*int64(time.Minute))
	}
	sameAttempt := all(8, 40200*ms)
	for i := range sameAttempt {
		sameAttempt[i].Attempt = "one"
	}
	for name, c := range map[string]struct {
		values []Value
		fits   string // empty: conforms
	}{
		"all where a mistake would put them": {all(8, 40200*ms), "8 of 8 misses"},
		"two, which delay can do":            {all(2, 40200*ms), ""},
		"all beside it":                      {all(30, 39*second), ""},
		"most of them": {
			append(all(10, 40200*ms), excusedAt(33*second, 98, notSubtracted)), "10 of 11 misses",
		},
		"at one time":                    {together, ""},
		"in one attempt":                 {sameAttempt, ""},
		"without a known mistake beyond": {[]Value{excusedAt(40*second, 1)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			findings := excused(c.values, Budget)
			if c.fits == "" {
				g.Expect(deviating(findings)).To(gomega.BeEmpty())
				return
			}
			g.Expect(findings).To(gomega.HaveLen(1))
			g.Expect(findings[0].Verdict).To(gomega.Equal(trial.Deviates))
			g.Expect(findings[0].Why).To(gomega.HavePrefix(c.fits))
			g.Expect(findings[0].Diagnosis.Name).To(gomega.Equal(notSubtracted.Name))
		})
	}
}

// A beginning that was seen too late makes a value too small. A known mistake below the window explains that, too.
func TestExcusedMissesBelow(t *testing.T) {
	below := trial.Diagnosis{Name: "half of the grace", Would: spanOf(15*second, 15500*ms)}
	var values []Value
	for i := range 8 {
		values = append(values, excusedAt(15200*ms, i, below))
	}
	gomega.NewWithT(t).Expect(deviating(excused(values, Budget))).To(gomega.Equal([]string{"excused-misses"}))
}

// A delay of any decreasing density is no mistake, wherever the known mistakes' windows lie. A budget of one in a
// thousand makes false alarms countable: at most 0.001 of 4,000 runs. More than ten of them come once in 300 tests.
func TestDelayIsNoMistake(t *testing.T) {
	const budget, runs = 0.001, 4000
	for name, late := range map[string]func(r *rand.Rand) float64{
		"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() * 8 },
		"even":        func(r *rand.Rand) float64 { return r.Float64() * 20 },
		"heavy tail":  func(r *rand.Rand) float64 { return 1/(1-r.Float64()) - 1 },
	} {
		r := rand.New(rand.NewPCG(3, 4))
		alarms := 0
		for range runs {
			var values []Value
			for i := range 1 + r.IntN(20) {
				var mistakes []trial.Diagnosis
				for k := range 4 {
					from := 30500*ms + 1 + int64(r.Float64()*float64(20*second))
					mistakes = append(mistakes, trial.Diagnosis{
						Name: fmt.Sprint(k), Would: spanOf(from, from+int64(r.Float64()*float64(5*second))),
					})
				}
				values = append(values, excusedAt(30500*ms+int64(late(r)*float64(second)), i, mistakes...))
			}
			alarms += len(deviating(excused(values, budget)))
		}
		gomega.NewWithT(t).Expect(alarms).To(gomega.BeNumerically("<=", 10), name)
	}
}

// Misses that share a delay count once, in whatever order they come.
func TestSharedDelaysCountOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := []Value{}
		for i := range rapid.IntRange(1, 12).Draw(t, "misses") {
			v := excusedAt(40200*ms, i, notSubtracted)
			v.Finding.Measured.From -= int64(i) * int64(59*time.Second)
			v.Finding.Measured.To -= int64(i) * int64(59*time.Second)
			values = append(values, v)
		}
		values = rapid.Permutation(values).Draw(t, "order")
		s := &suspect{mistake: notSubtracted}
		for _, v := range values {
			s.add(missOf(v), notSubtracted.Would)
		}
		if len(s.evidence) != 1 {
			t.Fatalf("%d delays, expected one", len(s.evidence))
		}
	})
}

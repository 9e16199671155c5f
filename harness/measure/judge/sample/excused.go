package sample

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// sure is how firmly the test of excused misses believes in a known mistake. A miss beside the known mistake's window
// leaves 1-sure of its odds, so the test also finds a fault that only some attempts show.
const sure = 0.9

// Excused compares the misses that delay excuses with the known mistakes of their claims, at a third of the [Budget].
// It returns no finding if there is no such miss.
//
// A longer delay is rarer than a shorter one. So delay moves a value from the end of its window into a known mistake's
// window of width w, which begins d behind that end, with a probability of at most w/(d+w). If the value is there, the
// mistake is at least (d+w)/w times more likely than delay. These odds multiply over misses that share no delay. Under
// delay alone, they exceed a number n with a probability of at most 1/n, because their mean is at most one.
func Excused(values []Value) []trial.Finding { return excused(values, Budget/3) }

func excused(values []Value, budget float64) []trial.Finding {
	var misses []miss
	for _, v := range values {
		if slices.ContainsFunc(v.Finding.Mistakes, beyond) {
			misses = append(misses, missOf(v))
		}
	}
	if len(misses) == 0 {
		return nil
	}
	var all []*suspect
	for _, m := range misses {
		for _, r := range m.Finding.Mistakes {
			if !r.Beyond {
				continue
			}
			i := slices.IndexFunc(all, func(s *suspect) bool { return s.mistake.Name == r.Name })
			if i < 0 {
				i, all = len(all), append(all, &suspect{mistake: r.Diagnosis})
			}
			all[i].add(m, r.Would)
		}
	}
	slices.SortStableFunc(all, func(a, b *suspect) int { return cmp.Compare(b.odds(), a.odds()) })
	return []trial.Finding{findingOf(misses, all, float64(len(all))/budget)}
}

func beyond(r trial.Mistake) bool { return r.Beyond }

// miss is a value outside its window that delay excuses.
type miss struct {
	Value
	// delayed are the spans that contain its delay, at the beginning and at the end: timers between them are not late.
	delayed [2]delay.Span
}

func missOf(v Value) miss {
	m := v.Finding.Measured
	away := v.Finding.Implemented.Miss(m.Value)
	if away < 0 { // the beginning was seen late
		return miss{v, [2]delay.Span{{From: m.From + away - int64(lookBack), To: m.From}}}
	}
	return miss{v, [2]delay.Span{{From: m.From - int64(lookBack), To: m.From + away}, {From: m.To - away, To: m.To}}}
}

// share reports whether one delay can be the reason of both misses.
func (m miss) share(o miss) bool {
	if m.Attempt == o.Attempt {
		return true
	}
	for _, a := range m.delayed {
		for _, b := range o.delayed {
			if m.Delays == o.Delays && a.From < b.To && b.From < a.To {
				return true
			}
		}
	}
	return false
}

// suspect is a known mistake with what the misses of its claims say about it.
type suspect struct {
	mistake  trial.Diagnosis
	evidence []evidence
}

// evidence is misses that may share a delay, with the least favourable odds of one of them.
type evidence struct {
	misses []miss
	odds   float64
}

func (s *suspect) add(m miss, would formula.Window) {
	odds := 1 - sure
	implemented, value := m.Finding.Implemented, m.Finding.Measured.Value
	if would.Contains(value) {
		away := max(would.Earliest-implemented.Latest, implemented.Earliest-would.Latest)
		odds += sure * float64(away+width(would)) / float64(width(would))
	}
	added := evidence{[]miss{m}, odds}
	s.evidence = slices.DeleteFunc(s.evidence, func(e evidence) bool {
		if !slices.ContainsFunc(e.misses, m.share) {
			return false
		}
		added.misses, added.odds = append(added.misses, e.misses...), min(added.odds, e.odds)
		return true
	})
	s.evidence = append(s.evidence, added)
}

// width returns the width of a window, at least one nanosecond.
func width(w formula.Window) int64 { return max(1, w.Latest-w.Earliest) }

func (s *suspect) odds() float64 {
	odds := 1.0
	for _, e := range s.evidence {
		odds *= e.odds
	}
	return odds
}

func (s *suspect) fits() (n int) {
	for _, e := range s.evidence {
		if e.odds > 1 {
			n++
		}
	}
	return n
}

// findingOf counts the suspects whose odds exceed a number. The first one has the highest odds.
func findingOf(misses []miss, all []*suspect, most float64) trial.Finding {
	f := trial.Finding{
		Claim: "excused-misses", Formula: "values/excused-misses", Of: formula.TheKubelet,
		Description: "the misses that delay excuses do not all lie where one known mistake would put them",
		Source:      misses[0].Finding.Source,
		Verdict:     trial.Conforms,
		Measured: &trial.Measured{
			Unit: formula.Count, From: misses[0].Finding.Measured.From, To: misses[len(misses)-1].Finding.Measured.To,
		},
		Implemented: formula.Window{Unit: formula.Count}.With(formula.Term{Name: "mistakes that explain them better"}),
	}
	for _, s := range all {
		if s.odds() > most {
			f.Measured.Value++
		}
	}
	if first := all[0]; f.Measured.Value > 0 {
		f.Verdict, f.Diagnosis = trial.Deviates, &first.mistake
		const format = "%d of %d misses that the node's delay could explain lie where this mistake would put them; " +
			"delay alone does that once in %.0g runs"
		f.Why = fmt.Sprintf(format, first.fits(), len(first.evidence), first.odds())
	}
	return f
}

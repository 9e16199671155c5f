package sample

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Waits compares each random wait of the kubelet with two mistakes, at a third of the [Budget]: it is always none, or
// always all. It returns one finding for each name of a random wait. Unlike in [Judge], values that were measured while
// the recorder was late count, too: a random wait takes seconds, and the recorder knows how late it was.
//
// A random wait of length L is shorter than x with a probability of x/L. So if a value lies where a mistake puts it,
// that mistake is L/x times more likely than chance. These odds multiply, as in [Excused].
func Waits(values []Value) []trial.Finding { return waits(values, Budget/3) }

func waits(values []Value, budget float64) []trial.Finding {
	var all []*randomWait
	countable(values, func(f trial.Finding) bool { return usable(f) || tooLate(f) }, func(v Value, l load) {
		for _, t := range v.Finding.Implemented.Terms {
			if t.Usual.Even == 0 {
				continue
			}
			i := slices.IndexFunc(all, func(w *randomWait) bool { return w.name == t.Name })
			if i < 0 {
				w := &randomWait{name: t.Name, none: mistake{odds: 1}, whole: mistake{odds: 1}}
				i, all = len(all), append(all, w)
			}
			all[i].add(v, t, l)
		}
	})
	var findings []trial.Finding
	for _, w := range all {
		findings = append(findings, w.finding(float64(2*len(all))/budget))
	}
	return findings
}

// tooLate reports whether a value came after its window, and delay excuses that. Such a wait was not none.
func tooLate(f trial.Finding) bool {
	return timed(f) && f.Verdict == trial.Inconclusive && f.Implemented.Miss(f.Measured.Value) > 0
}

// randomWait is a random wait with its values and its two mistakes.
type randomWait struct {
	name        string
	values      []Value
	none, whole mistake
}

// mistake counts the values that fit it.
type mistake struct {
	fits int
	odds float64
}

// see multiplies the odds by those of one value. By chance, values fit with a probability of at most p.
func (m *mistake) see(fits bool, p float64) {
	odds := 1 - sure
	if fits {
		odds += sure / min(p, 1)
		m.fits++
	}
	m.odds *= odds
}

func (w *randomWait) add(v Value, random formula.Term, l load) {
	if slices.ContainsFunc(w.values, v.overlaps) {
		return
	}
	w.values = append(w.values, v)
	if tooLate(v.Finding) {
		w.none.see(false, 1)
		return
	}
	after := v.Finding.Measured.Value - v.Finding.Implemented.Earliest
	shortest, longest := random.Usual.Even, random.Latest-random.Earliest

	// On a quiet node, nine of ten values without the wait lie up to here. Delay moves no value there.
	usual := quantile(without(random, v, 1), 0.9)
	w.none.see(after <= usual, float64(usual+int64(l.seen))/float64(shortest))

	whole, chance := (shortest+longest)/2, 0.0
	for _, others := range without(random, v, l.slower()) {
		needed := whole - others.at - int64(l.total())
		chance += others.share * float64(longest-max(0, needed)) / float64(longest)
	}
	w.whole.see(after >= whole, chance)
}

// without returns how long after its earliest time a value comes without a random wait, if steps are slower.
func without(random formula.Term, v Value, slower int64) []atom {
	var others []formula.Term
	for _, t := range v.Finding.Implemented.Terms {
		if t.Name != random.Name {
			t.Usual.Half, t.Usual.Most = slower*t.Usual.Half, slower*t.Usual.Most
			others = append(others, t)
		}
	}
	all := latest(others)
	for i := range all {
		for _, t := range others {
			all[i].at -= t.Earliest
		}
	}
	return all
}

// finding counts the mistakes whose odds exceed a number.
func (w *randomWait) finding(most float64) trial.Finding {
	first, last := w.values[0].Finding, w.values[len(w.values)-1].Finding
	slug := slugOf(w.name)
	f := trial.Finding{
		Claim: slug + "-random", Formula: "values/" + slug, Of: formula.TheKubelet,
		Description: "a random wait of the kubelet is neither always none nor always as long as it can be",
		Source:      first.Source,
		Verdict:     trial.Conforms,
		Measured: &trial.Measured{
			Unit: formula.Count, From: first.Measured.From, To: last.Measured.To,
		},
		Implemented: formula.Window{Unit: formula.Count}.With(formula.Term{Name: "mistakes that explain them better"}),
	}
	for _, m := range []struct {
		mistake
		side side
	}{{w.none, early}, {w.whole, late}} {
		if m.odds <= most {
			continue
		}
		f.Measured.Value++
		f.Verdict = trial.Deviates
		f.Why = fmt.Sprintf("%d of %d values lie where they would if this wait were always %s; chance alone does that "+
			"once in %.0g runs", m.fits, len(w.values), map[side]string{early: "none", late: "all"}[m.side], m.odds)
		f.Diagnosis = &trial.Diagnosis{
			Name: diagnosisOf(m.side, w.name), Reference: f.Source,
			Would: formula.Window{Unit: formula.Count}.With(formula.Term{Name: "this mistake", Earliest: 1, Latest: 1}),
		}
	}
	return f
}

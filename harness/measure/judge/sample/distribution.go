package sample

import (
	"cmp"
	"math"
	"slices"

	"github.com/podclock/podclock/harness/rules/formula"
)

// atom is a value that a sum of terms has with a probability.
type atom struct {
	at    int64
	share float64
}

// steps is how many atoms an even spread has.
const steps = 40

// latest returns the distribution of a sum of terms, or a later one: each quantile counts as its upper end, and a term
// that states nothing as its latest value.
func latest(terms []formula.Term) []atom {
	return sum(terms, func(t formula.Term) []atom {
		switch {
		case t.Usual.Even > 0:
			return even(t.Earliest, t.Latest-t.Earliest, 1)
		case t.Usual.Most > 0:
			u := t.Usual
			return []atom{
				{min(u.Half, t.Latest), 0.5}, {min(u.Most, t.Latest), 0.4},
				{min(3*u.Most, t.Latest), 0.09}, {t.Latest, 0.01},
			}
		}
		return []atom{{t.Latest, 1}}
	})
}

// earliest returns the distribution of a sum of terms, or an earlier one: only random waits are known not to be short.
func earliest(terms []formula.Term) []atom {
	return sum(terms, func(t formula.Term) []atom {
		if t.Usual.Even > 0 {
			return even(t.Earliest, t.Usual.Even, 0)
		}
		return []atom{{t.Earliest, 1}}
	})
}

// even returns an even spread, each step at its lower end (0) or its upper end (1).
func even(from, length, end int64) []atom {
	var all []atom
	for i := range int64(steps) {
		all = append(all, atom{from + length*(i+end)/steps, 1.0 / steps})
	}
	return all
}

func sum(terms []formula.Term, of func(formula.Term) []atom) []atom {
	all := []atom{{0, 1}}
	for _, t := range terms {
		var next []atom
		for _, b := range of(t) {
			for _, a := range all {
				next = append(next, atom{a.at + b.at, a.share * b.share})
			}
		}
		all = next
	}
	return all
}

// share returns the probability of the atoms that hold.
func share(atoms []atom, holds func(at int64) bool) float64 {
	p := 0.0
	for _, a := range atoms {
		if holds(a.at) {
			p += a.share
		}
	}
	return min(p, 1)
}

// quantile returns the smallest value that a part of the distribution does not exceed.
func quantile(atoms []atom, part float64) int64 {
	sorted := slices.SortedFunc(slices.Values(atoms), func(a, b atom) int { return cmp.Compare(a.at, b.at) })
	below := 0.0
	for _, a := range sorted {
		if below += a.share; below >= part-1e-9 {
			return a.at
		}
	}
	return sorted[len(sorted)-1].at
}

// atLeast returns the probability that at least k of n independent events happen that have the probability p each.
func atLeast(n, k int, p float64) float64 {
	if k <= 0 || p >= 1 {
		return 1
	}
	total := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for i := k; i <= n; i++ {
		some, _ := math.Lgamma(float64(i + 1))
		others, _ := math.Lgamma(float64(n - i + 1))
		total += math.Exp(all - some - others + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(total, 1)
}

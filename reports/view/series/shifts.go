package series

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Shift is a formula whose claims moved together. Chance can put one value anywhere in its window, but not nearly all
// on the same side of where they were. A busier host or another container runtime has that effect as well, so a shift
// fails nothing.
type Shift struct {
	Formula  string      `json:"formula"`
	Subjects SubjectPair `json:"subjects"`
	// Later and Sooner are the numbers of trials whose values are above and below those of the side before, without
	// what the formula computes.
	Later  int `json:"later"`
	Sooner int `json:"sooner"`
	// Median is the median move and Width the median width of the windows, in nanoseconds.
	Median int64 `json:"median"`
	Width  int64 `json:"width"`
	// Chance is the probability of at least such a majority if each side were equally likely.
	Chance float64 `json:"chance"`
}

// byChance is the probability that a comparison of the same code reports any shift.
const byChance = 0.05

var howTogether = fmt.Sprintf(
	"The claims of a formula moved together if more of its trials than chance explains lie on one side of where they "+
		"were, and by more than the observer's error. A sign test decides: the probability that chance alone makes a "+
		"comparison name any formula is below %.0f %%. A busier host has this effect as well as another kubelet or "+
		"runtime.",
	100*byChance,
)

// shifts returns the formulas whose claims moved together. Those that moved by the largest part of a window come first.
func shifts(pairs []pair) []Shift {
	type key struct {
		formula  string
		subjects SubjectPair
	}
	grouped := map[key][]pair{}
	for _, p := range pairs {
		if p.isTime() {
			k := key{p.Formula, p.Subjects}
			grouped[k] = append(grouped[k], p)
		}
	}
	var all []Shift
	for k, group := range grouped {
		s, seen := shiftOf(group)
		s.Formula, s.Subjects = k.formula, k.subjects
		if seen && s.Chance*float64(len(grouped)) < byChance {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(x, y Shift) int {
		return cmp.Or(cmp.Compare(y.share(), x.share()), cmp.Compare(x.Formula, y.Formula),
			cmp.Compare(x.Subjects.String(), y.Subjects.String()))
	})
	return all
}

// shiftOf returns the shift of a formula's claims, and whether it exceeds the observer's error. Claims of
// one pod depend on each other, so each trial counts once: with the median of its claims.
func shiftOf(pairs []pair) (s Shift, seen bool) {
	byTrial := map[string][]int64{}
	var widths, errors []int64
	for _, p := range pairs {
		byTrial[p.Trial] = append(byTrial[p.Trial], p.Rest())
		widths = append(widths, max(p.before.Width(), p.after.Width()))
		errors = append(errors, p.before.observer()+p.after.observer())
	}
	var medians []int64
	for _, id := range slices.Sorted(maps.Keys(byTrial)) {
		median := QuartilesOf(byTrial[id]).Median
		medians = append(medians, median)
		switch {
		case median > 0:
			s.Later++
		case median < 0:
			s.Sooner++
		}
	}
	s.Median, s.Width = QuartilesOf(medians).Median, QuartilesOf(widths).Median
	s.Chance = signTest(s.Later, s.Sooner)
	return s, max(s.Median, -s.Median) > QuartilesOf(errors).Median
}

func (s Shift) share() float64 {
	return math.Abs(float64(s.Median)) / float64(max(1, s.Width))
}

package series

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Shift is a formula whose claims moved together: one value of it may lie anywhere in its window by chance,
// but not nearly all of them on the same side of where they were. Of a busier host, or of another container
// runtime, it says as much as of a kubelet, so that it fails nothing.
type Shift struct {
	Formula  string      `json:"formula"`
	Subjects SubjectPair `json:"subjects"`
	// Later and Sooner are how many trials' values lie above and below those of the side before; what the
	// formula itself computes otherwise is taken off.
	Later  int `json:"later"`
	Sooner int `json:"sooner"`
	// Median is by how many nanoseconds they moved, Width how wide their windows are, which is the median, too.
	Median int64 `json:"median"`
	Width  int64 `json:"width"`
	// Chance is how likely they would be at least as one-sided if every one of them were as likely above as below.
	Chance float64 `json:"chance"`
}

// byChance is how likely a comparison of the same code may name any formula for nothing.
const byChance = 0.05

// howTogether is how a shift is told from chance, in one sentence.
var howTogether = fmt.Sprintf(
	"The claims of a formula moved together where more of its trials than chance explains lie on one side of where they were "+
		"(a sign test, with less than %.0f %% for any formula of the comparison to be named by chance), by more than the observer's error.",
	100*byChance,
)

// shifts are the formulas whose claims moved together, the largest part of a window first. Claims of one
// pod depend on each other, so that each trial has one voice: the median of its claims.
func shifts(measured []pairedClaim) []Shift {
	type key struct {
		formula  string
		subjects SubjectPair
	}
	grouped := map[key][]pairedClaim{}
	for _, c := range measured {
		if c.isTime() {
			k := key{c.Formula, c.Subjects}
			grouped[k] = append(grouped[k], c)
		}
	}
	var all []Shift
	for k, claims := range grouped {
		s := Shift{Formula: k.formula, Subjects: k.subjects}
		if s.takes(claims) && s.Chance*float64(len(grouped)) < byChance {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(x, y Shift) int {
		return cmp.Or(
			cmp.Compare(y.share(), x.share()),
			cmp.Compare(x.Formula, y.Formula),
			cmp.Compare(x.Subjects.String(), y.Subjects.String()),
		)
	})
	return all
}

// takes works a formula's shift out of its claims, and says whether it is more than the observer's error.
func (s *Shift) takes(claims []pairedClaim) bool {
	byTrial := map[string][]int64{}
	var widths, errors []int64
	for _, c := range claims {
		byTrial[c.Trial] = append(byTrial[c.Trial], c.Rest())
		widths, errors = append(
			widths,
			max(c.before.width, c.after.width),
		), append(
			errors,
			c.before.observer()+c.after.observer(),
		)
	}
	var voices []int64
	for _, id := range slices.Sorted(maps.Keys(byTrial)) {
		voice := QuartilesOf(byTrial[id]).Median
		voices = append(voices, voice)
		switch {
		case voice > 0:
			s.Later++
		case voice < 0:
			s.Sooner++
		}
	}
	s.Median, s.Width = QuartilesOf(voices).Median, QuartilesOf(widths).Median
	s.Chance = signTest(s.Later, s.Sooner)
	return max(s.Median, -s.Median) > QuartilesOf(errors).Median
}

// share is the shift as a part of the windows' width.
func (s Shift) share() float64 {
	return math.Abs(float64(s.Median)) / float64(max(1, s.Width))
}

// signTest is the probability that of so many fair coins at least as many fall on one side as did: twice
// the binomial tail, at most 1.
func signTest(above, below int) float64 {
	n := above + below
	tail := 0.0
	for i := max(above, below); i <= n; i++ {
		tail += math.Exp(lnFactorial(n) - lnFactorial(i) - lnFactorial(n-i) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

// lnFactorial is the natural logarithm of n!.
func lnFactorial(n int) float64 {
	ln, _ := math.Lgamma(float64(n) + 1)
	return ln
}

package series

import (
	"cmp"
	"math"
	"slices"
)

// moves returns the claims that moved beyond chance. Those that no formula explains come first, and among them those
// that exceed chance by the greatest factor.
func moves(pairs []pair) []Move {
	var all []Move
	compared := times(pairs)
	for _, p := range pairs {
		s := scatterOf(p, compared)
		m := p.Move
		m.Earlier = s.earlier
		switch {
		case s.exceededBy(m.Rest()):
			m.Scatter = s.towards(m.Rest())
		case s.exceededBy(m.By()) && s.exceededBy(m.Predicted):
			m.Scatter, m.AsPredicted = s.towards(m.By()), true
		default:
			continue
		}
		all = append(all, m)
	}
	unexplainedFirst := map[bool]int{true: 1}
	slices.SortStableFunc(all, func(x, y Move) int {
		return cmp.Or(unexplainedFirst[x.AsPredicted]-unexplainedFirst[y.AsPredicted],
			cmp.Compare(y.excess(), x.excess()), cmp.Compare(x.Trial, y.Trial), cmp.Compare(x.Claim, y.Claim))
	})
	return all
}

func (m Move) excess() float64 {
	by := m.Rest()
	if m.AsPredicted {
		by = m.By()
	}
	if m.Scatter == 0 {
		return math.Inf(1)
	}
	return math.Abs(float64(by)) / float64(m.Scatter)
}

package series

import (
	"cmp"
	"math"
	"slices"

	"github.com/podclock/podclock/harness/formula"
)

// Move is a claim whose value differs from that of the side before by more than chance explains.
type Move struct {
	Trial    string       `json:"trial"`
	Claim    string       `json:"claim"`
	Formula  string       `json:"formula"`
	Subjects SubjectPair  `json:"subjects"`
	Unit     formula.Unit `json:"unit"`
	Before   Placed       `json:"before"`
	After    Placed       `json:"after"`
	// Predicted is the part of the move that the formula computes, such as for another version's rules.
	Predicted int64 `json:"predicted"`
	// Scatter is how far chance can take the rest in this direction. Earlier is the number of earlier values that
	// show it, 0 if it is the window's width.
	Scatter int64 `json:"scatter"`
	Earlier int   `json:"earlier,omitempty"`
	// AsPredicted is true if the rest is within chance.
	AsPredicted bool `json:"asPredicted"`
}

// Placed is a measured value in its implemented window.
type Placed struct {
	Value int64 `json:"value"`
	Ends
}

// By is how far the value moved.
func (m Move) By() int64 { return m.After.Value - m.Before.Value }

// Rest is the part of the move that the formula does not compute.
func (m Move) Rest() int64 { return m.By() - m.Predicted }

// pair is a claim that was measured on both sides.
type pair struct {
	Move
	before, after Point
	// earlier are the offsets of its values in runs before both.
	earlier []int64
}

func pairOf(m Move, before, after Point, earlier []int64) pair {
	m.Before, m.After = Placed{*before.Value, before.Ends}, Placed{*after.Value, after.Ends}
	m.Predicted = after.anchor() - before.anchor()
	return pair{Move: m, before: before, after: after, earlier: earlier}
}

// claimPairs returns the claims of a trial that were measured on both sides in the same unit, in the order of the side
// after.
func claimPairs(p SubjectPair, old, now outcome, offsets map[claimKey][]int64) []pair {
	var all []pair
	for _, c := range now.claims {
		was, _ := old.find(c.claim)
		if was.unit != c.unit || !was.reliable() || !c.reliable() {
			continue
		}
		m := Move{Trial: now.trial, Claim: c.claim, Formula: c.formula, Subjects: p, Unit: c.unit}
		all = append(all, pairOf(m, was.Point, c.Point, offsets[claimKey{now.trial, p.Before, c.claim}]))
	}
	return all
}

func (p pair) isTime() bool { return p.Unit == formula.Nanoseconds }

// times returns the number of pairs that are times.
func times(pairs []pair) int {
	n := 0
	for _, p := range pairs {
		if p.isTime() {
			n++
		}
	}
	return n
}

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
		return cmp.Or(
			unexplainedFirst[x.AsPredicted]-unexplainedFirst[y.AsPredicted],
			cmp.Compare(y.excess(), x.excess()),
			cmp.Compare(x.Trial, y.Trial),
			cmp.Compare(x.Claim, y.Claim),
		)
	})
	return all
}

// excess is the move as a multiple of what chance allows.
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

// Unexplained returns the moves that no formula computes.
func (c Comparison) Unexplained() []Move {
	return slices.DeleteFunc(slices.Clone(c.Moves), func(m Move) bool { return m.AsPredicted })
}

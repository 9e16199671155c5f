package series

import (
	"cmp"
	"math"
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/view"
)

// Move is a claim whose value lies further from that of the side before than chance explains.
type Move struct {
	Trial    string       `json:"trial"`
	Claim    string       `json:"claim"`
	Formula  string       `json:"formula"`
	Subjects SubjectPair  `json:"subjects"`
	Unit     formula.Unit `json:"unit"`
	// Before and After are what was measured, and inside which windows.
	Before Placed `json:"before"`
	After  Placed `json:"after"`
	// Predicted is by how much the formula itself computes another value: another version's rules, or a
	// fact that was measured, as a hook's time.
	Predicted int64 `json:"predicted"`
	// Scatter is how far chance may take the rest in this direction, and Earlier how many earlier values
	// say so, 0 where it is the window's width.
	Scatter int64 `json:"scatter"`
	Earlier int   `json:"earlier,omitempty"`
	// AsPredicted says that what the formula computes explains the move; the rest is within chance.
	AsPredicted bool `json:"asPredicted"`
}

// Placed is a measured value in the window of what the code computes.
type Placed struct {
	Value    int64 `json:"value"`
	Earliest int64 `json:"earliest"`
	Latest   int64 `json:"latest"`
}

// By is how far the value moved.
func (m Move) By() int64 { return m.After.Value - m.Before.Value }

// Rest is what of that the formula does not compute.
func (m Move) Rest() int64 { return m.By() - m.Predicted }

// pairedClaim is a claim that was measured on both sides.
type pairedClaim struct {
	Move
	before, after sample
	// earlier are the offsets of its values in their windows, in runs before both.
	earlier []int64
}

func (c pairedClaim) isTime() bool { return c.Unit == formula.Nanoseconds }

// pairOf puts the two sides of a claim together.
func pairOf(m Move, before, after sample) pairedClaim {
	m.Before, m.After, m.Predicted = before.placed(), after.placed(), after.anchor-before.anchor
	return pairedClaim{Move: m, before: before, after: after}
}

// timesAmong is how many of the claims are times.
func timesAmong(measured []pairedClaim) int {
	n := 0
	for _, c := range measured {
		if c.isTime() {
			n++
		}
	}
	return n
}

// pairClaims are the claims of a trial that were measured on both sides in the same unit, in the order of
// the side after.
func pairClaims(p SubjectPair, old, now run.Outcome, earlier earlierValues) []pairedClaim {
	var all []pairedClaim
	before := claimsOf(old)
	for _, f := range view.FindingsOf(now) {
		was, held := before[f.Claim]
		if !held || was.Implemented.Unit != f.Implemented.Unit {
			continue
		}
		x, hasBefore := pointOf(was).sample()
		y, hasAfter := pointOf(f).sample()
		if hasBefore && hasAfter {
			pair := pairOf(
				Move{Trial: now.Trial, Claim: f.Claim, Formula: f.Formula, Subjects: p, Unit: f.Implemented.Unit},
				x,
				y,
			)
			pair.earlier = earlier.offsets[valueKey{now.Trial, f.Claim, p.Before}]
			all = append(all, pair)
		}
	}
	return all
}

// moves are those of the claims that chance does not explain, what no formula explains either first, and
// each by how many times it exceeds chance.
func moves(measured []pairedClaim) []Move {
	var all []Move
	compared := timesAmong(measured)
	for _, c := range measured {
		s := scatterOf(c.Unit, c.before, c.after, c.earlier, compared)
		m := c.Move
		m.Earlier = s.earlier
		switch rest, by := m.Rest(), m.By(); {
		case rest > s.up || -rest > s.down:
			m.Scatter = s.towards(rest)
		case (by > s.up || -by > s.down) && (m.Predicted > s.up || -m.Predicted > s.down):
			m.Scatter, m.AsPredicted = s.towards(by), true
		default:
			continue
		}
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(x, y Move) int {
		if x.AsPredicted != y.AsPredicted {
			if y.AsPredicted {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(y.excess(), x.excess()), cmp.Compare(x.Trial, y.Trial), cmp.Compare(x.Claim, y.Claim))
	})
	return all
}

// towards is the scatter in the direction of a move.
func (s scatter) towards(by int64) int64 {
	if by < 0 {
		return s.down
	}
	return s.up
}

// excess is how many times what chance allows a value moved.
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

// unexplained are the moves that no formula computes.
func (c Comparison) Unexplained() []Move {
	return slices.DeleteFunc(slices.Clone(c.Moves), func(m Move) bool { return m.AsPredicted })
}

// predicted are the moves that the formulas compute.
func (c Comparison) predicted() []Move {
	return slices.DeleteFunc(slices.Clone(c.Moves), func(m Move) bool { return !m.AsPredicted })
}

package series

import (
	"cmp"

	"github.com/podclock/podclock/harness/rules/formula"
)

// SubjectPair is a subject of the side before and its counterpart. A side is empty if it has no counterpart.
type SubjectPair struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// String returns one name if both sides have the same.
func (p SubjectPair) String() string {
	if p.Before == p.After {
		return p.Before
	}
	return cmp.Or(p.Before, "nothing") + " → " + cmp.Or(p.After, "nothing")
}

// Move is a claim whose value differs from that of the side before by more than chance explains.
type Move struct {
	Trial    string       `json:"trial"`
	Claim    string       `json:"claim"`
	Formula  string       `json:"formula"`
	Subjects SubjectPair  `json:"subjects"`
	Unit     formula.Unit `json:"unit"`
	Before   Placed       `json:"before"`
	After    Placed       `json:"after"`
	// Predicted is the part of the move that the formula computes, for example because the versions have
	// different rules.
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
func claimPairs(p SubjectPair, old, now Outcome, offsets map[claimKey][]int64) []pair {
	var all []pair
	before := old.Judged()
	for _, c := range now.Claims {
		was := before[c.Name]
		if was.Unit != c.Unit || !was.reliable() || !c.reliable() {
			continue
		}
		m := Move{Trial: now.Trial, Claim: c.Name, Formula: c.Formula, Subjects: p, Unit: c.Unit}
		all = append(all, pairOf(m, was.Point, c.Point, offsets[claimKey{now.Trial, p.Before, c.Name}]))
	}
	return all
}

func (p pair) isTime() bool { return p.Unit == formula.Nanoseconds }

func times(pairs []pair) int {
	n := 0
	for _, p := range pairs {
		if p.isTime() {
			n++
		}
	}
	return n
}

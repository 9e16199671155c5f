package timeline

import (
	"cmp"
	"slices"
	"time"
)

// Stretched is the most that work can have lost to waiting between two instants, where it takes this long
// by itself on a node that keeps nothing waiting. It is at most what [Noise.Between] gives: a busy node
// makes work slower, but no timer, so that what it kept waiting while a grace period or a back-off ran made
// nothing late. Where in the span the work was done is not known, so it is taken to have been where the
// node was busiest; but it went on there, in the moments in which nothing waited, and was done when these
// came to its own length. While the recorder stood still or a program did not answer, nothing went on.
func (n Noise) Stretched(from, to int64, work time.Duration) time.Duration {
	steps := n.steps(from, to)
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.busy(), a.busy()) })
	lost, left := float64(n.stalled(from, to)+n.silent(from, to)), float64(work)
	for _, s := range steps {
		free := float64(s.length - s.kept)
		if free > left {
			lost += float64(s.kept) * left / free
			break
		}
		lost += float64(s.kept)
		left -= free
	}
	return min(time.Duration(lost), n.Between(from, to))
}

// Delayed is the most that one piece of work can have lost to waiting between two instants: as
// [Noise.Stretched], for work that is done in one place. It may have begun to wait in the step before those
// in which there was no more than its own length of time to do it, and have waited into the next.
func (n Noise) Delayed(from, to int64, work time.Duration) time.Duration {
	longest := max(n.stalled(from, to), n.silent(from, to))
	steps := append(append([]step{{}}, n.steps(from, to)...), step{})
	kept, free, first := int64(0), int64(0), 1
	for i := 1; i+1 < len(steps); i++ {
		kept, free = kept+steps[i].kept, free+steps[i].length-steps[i].kept
		for ; free > int64(work); first++ {
			kept, free = kept-steps[first].kept, free-steps[first].length+steps[first].kept
		}
		longest = max(longest, steps[first-1].kept+kept+steps[i+1].kept)
	}
	return time.Duration(longest)
}

// step is the part of a span between two samples of the pressure, and for how long of it something was kept waiting.
type step struct{ length, kept int64 }

// busy is the share of the step in which something was kept waiting.
func (s step) busy() float64 { return float64(s.kept) / float64(s.length) }

// steps are those of a span. Of a sample that reaches beyond it, all that was kept waiting may lie inside.
func (n Noise) steps(from, to int64) (all []step) {
	for i := 1; i < len(n.Pressure); i++ {
		before, after := n.Pressure[i-1], n.Pressure[i]
		if length := min(to, after.At) - max(from, before.At); length > 0 {
			kept := max(after.CPUNS-before.CPUNS, after.IONS-before.IONS)
			all = append(all, step{length, min(length, max(0, kept))})
		}
	}
	return all
}

// stalled is how long, between two instants, the recorder stood still.
func (n Noise) stalled(from, to int64) (total int64) {
	for _, s := range n.Stalls {
		total += max(0, min(to, s.To)-max(from, s.From))
	}
	return total
}

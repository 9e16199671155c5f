package delay

import (
	"cmp"
	"slices"
	"time"
)

// SlowStart is how much later than its process starts a first mark may come on a node whose cores are all taken.
// The longest seen was 2.3 s.
const SlowStart = 5 * time.Second

// Total returns the longest delay that any chain of work can have had between two instants.
// PSI reports that some task waited, not which one. On a node whose cores are all taken, the result is the
// whole span.
func (r Record) Total(from, to int64) time.Duration {
	if to <= from {
		return 0
	}
	var before, after *Sample
	for i := range r.PSI {
		s := &r.PSI[i]
		if before == nil || s.At <= from {
			before = s
		}
		if after = s; s.At >= to {
			break
		}
	}
	var waited int64
	if before != nil && after != nil {
		waited = max(after.CPUNS-before.CPUNS, after.IONS-before.IONS)
	}
	return time.Duration(min(to-from, max(r.notRunning(from, to), waited, r.unanswered(from, to))))
}

// OfWork returns the longest delay that work can have had between two instants, if it takes this long on an
// idle node. It is at most [Record.Total], because a busy node delays work but no timer: what waited during a
// grace period or a back-off delayed nothing.
//
// OfWork assumes that the work was done where the node was busiest. The work went on there whenever nothing
// waited, until it was done. Nothing went on while the recorder did not run or a component did not answer.
func (r Record) OfWork(from, to int64, work time.Duration) time.Duration {
	steps := r.steps(from, to)
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.busy(), a.busy()) })
	lost, left := float64(r.notRunning(from, to)+r.unanswered(from, to)), float64(work)
	for _, s := range steps {
		free := float64(s.length - s.waited)
		if free > left {
			lost += float64(s.waited) * left / free
			break
		}
		lost += float64(s.waited)
		left -= free
	}
	return min(time.Duration(lost), r.Total(from, to))
}

// OfTask returns the longest delay that one task without pauses can have had between two instants, if it
// takes this long on an idle node. The task may have begun to wait in the step before those in which it ran,
// and may have waited into the step after them.
func (r Record) OfTask(from, to int64, task time.Duration) time.Duration {
	longest := max(r.notRunning(from, to), r.unanswered(from, to))
	steps := append(append([]step{{}}, r.steps(from, to)...), step{})
	waited, free, first := int64(0), int64(0), 1
	for i := 1; i+1 < len(steps); i++ {
		waited, free = waited+steps[i].waited, free+steps[i].length-steps[i].waited
		for ; free > int64(task); first++ {
			waited, free = waited-steps[first].waited, free-steps[first].length+steps[first].waited
		}
		longest = max(longest, steps[first-1].waited+waited+steps[i+1].waited)
	}
	return time.Duration(longest)
}

// OfMark returns how late the recorder may have stamped what it found at an instant: the length of its late
// tick that holds the instant or ended at most one tick before.
func (r Record) OfMark(at int64) time.Duration {
	const tick = 10 * time.Millisecond
	for _, s := range r.LateTicks {
		if s.From <= at && at <= s.To+int64(tick) {
			return time.Duration(at - s.From)
		}
	}
	return 0
}

// step is the part of a span between two samples, and for how long of it some task waited.
type step struct{ length, waited int64 }

// busy is the share of the step in which some task waited.
func (s step) busy() float64 { return float64(s.waited) / float64(s.length) }

// steps returns the steps of a span. All that waited between two samples may lie inside the span.
func (r Record) steps(from, to int64) (all []step) {
	for i := 1; i < len(r.PSI); i++ {
		before, after := r.PSI[i-1], r.PSI[i]
		if length := min(to, after.At) - max(from, before.At); length > 0 {
			waited := max(after.CPUNS-before.CPUNS, after.IONS-before.IONS)
			all = append(all, step{length, min(length, max(0, waited))})
		}
	}
	return all
}

// notRunning returns how long the recorder did not run between two instants.
func (r Record) notRunning(from, to int64) (total int64) {
	for _, s := range r.LateTicks {
		total += max(0, min(to, s.To)-max(from, s.From))
	}
	return total
}

// unanswered returns how long at least one component did not answer between two instants.
func (r Record) unanswered(from, to int64) int64 {
	total, until := int64(0), from
	for {
		// The next span that is not counted yet: spans may overlap and are not sorted.
		next := Span{From: to, To: to}
		for _, o := range r.Unanswered {
			if o.To > until && max(o.From, until) < next.From {
				next = Span{From: max(o.From, until), To: o.To}
			}
		}
		if next.From >= to {
			return total
		}
		total += min(next.To, to) - next.From
		until = next.To
	}
}

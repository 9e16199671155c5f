package delay

import (
	"cmp"
	"slices"
	"time"
)

// SlowStart bounds how late a process's first mark may come on a node whose cores are all taken. The longest seen was
// 2.3 s.
const SlowStart = 5 * time.Second

// Total returns the longest delay that any chain of work can have had between two instants. Tasks that wait for a core
// and for the disk at the same time wait once. A chain of work may wait for one after the other.
func (r Record) Total(from, to int64) time.Duration {
	if to <= from {
		return 0
	}
	var waited int64
	for _, s := range r.steps(from, to) {
		waited += s.waited
	}
	return time.Duration(min(to-from, max(r.notRunning(from, to), waited, r.unanswered(from, to))))
}

// OfStart returns by how much a busy node may have delayed a process's first mark.
func (r Record) OfStart(mark int64) time.Duration { return r.Total(mark-int64(SlowStart), mark) }

// OfWork returns the longest delay of work that takes this long on an idle node. It assumes that the work was done
// where the node was busiest. It is at most [Record.Total]: a busy node delays work, but no timer.
func (r Record) OfWork(from, to int64, work time.Duration) time.Duration {
	steps := r.steps(from, to)
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.busy(), a.busy()) })
	lost, left := float64(r.Paused(from, to)), float64(work)
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

// Likely returns the delay of work that has this budget on an idle node, if it came in the node's busiest second and
// takes half of its budget: over 763 time claims, the median value lies two fifths into its window. It is at most
// [Record.OfWork], and the same if no core was free for a second.
func (r Record) Likely(from, to int64, budget time.Duration) time.Duration {
	longest := r.OfWork(from, to, budget)
	free := 1 - r.busiestSecond(from, to)
	if late := float64(budget) * (0.5/free - 1); free > 0 && late < float64(longest) {
		return min(longest, time.Duration(max(0, late))+r.Paused(from, to))
	}
	return longest
}

// Paused returns how long nothing ran or a component did not answer between two instants.
func (r Record) Paused(from, to int64) time.Duration {
	return time.Duration(r.notRunning(from, to) + r.unanswered(from, to))
}

// busiestSecond returns the largest part of a second, or of a shorter span, in which some task waited.
func (r Record) busiestSecond(from, to int64) (share float64) {
	steps := r.steps(from, to)
	waited, length, first := int64(0), int64(0), 0
	for i, s := range steps {
		waited, length = waited+s.waited, length+s.length
		for ; length-steps[first].length >= int64(time.Second); first++ {
			waited, length = waited-steps[first].waited, length-steps[first].length
		}
		if length >= int64(time.Second) || i == len(steps)-1 {
			share = max(share, float64(waited)/float64(length))
		}
	}
	return share
}

// OfTask returns the longest delay of one task without pauses that takes this long on an idle node. The task may also
// have waited in the steps before and after those in which it ran.
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

// PausedBefore returns the longest pause that kept a task of this length waiting until an instant. PSI shows no pause:
// it grows as soon as any task waits.
func (r Record) PausedBefore(at int64, task time.Duration) time.Duration {
	return pausedOver(func(d time.Duration) int64 { return r.pause(at-int64(task+d), at) })
}

// PausedAfter returns the longest pause that kept a task of this length waiting from an instant on.
func (r Record) PausedAfter(at int64, task time.Duration) time.Duration {
	return pausedOver(func(d time.Duration) int64 { return r.pause(at, at+int64(task+d)) })
}

// LongestPause returns the longest pause between two instants that kept a task of this length waiting.
func (r Record) LongestPause(from, to int64, task time.Duration) (longest time.Duration) {
	for _, s := range r.LateTicks {
		if end := min(s.To, to); s.To > from && s.From < to {
			longest = max(longest, r.PausedBefore(end, task))
		}
	}
	return longest
}

func (r Record) pause(from, to int64) int64 {
	return max(r.notRunning(from, to), r.unanswered(from, to))
}

// pausedOver returns the shortest delay that is as long as all pauses meanwhile.
func pausedOver(meanwhile func(time.Duration) int64) (d time.Duration) {
	for longer := meanwhile(0); longer > int64(d); longer = meanwhile(d) {
		d = time.Duration(longer)
	}
	return d
}

// OfMark returns how late the recorder may have stamped a mark: since the beginning of its late tick at that instant.
func (r Record) OfMark(at int64) time.Duration {
	const tick = 10 * time.Millisecond
	for _, s := range r.LateTicks {
		if s.From <= at && at <= s.To+int64(tick) {
			return time.Duration(at - s.From)
		}
	}
	return 0
}

// step is the part of a span between two samples. Some task waited for a part of it.
type step struct{ length, waited int64 }

func (s step) busy() float64 { return float64(s.waited) / float64(s.length) }

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

func (r Record) notRunning(from, to int64) (total int64) {
	for _, s := range r.LateTicks {
		total += max(0, min(to, s.To)-max(from, s.From))
	}
	return total
}

func (r Record) unanswered(from, to int64) int64 {
	total, until := int64(0), from
	for {
		// Spans may overlap and are not sorted.
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

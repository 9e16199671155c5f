package drawing

import (
	"cmp"
	"slices"
	"time"
)

// lane is a part of a row. Its bars do not overlap.
type lane struct {
	role   laneRole
	bars   []Bar
	marks  []Mark
	claims []claim
}

type claim struct {
	says, verdict string
	since         time.Duration
	measured      *time.Duration
	windows       []Window
}

func (r Row) lanes() []lane {
	bars := r.barLanes()
	main := lane{role: process}
	if len(bars) > 0 {
		main.bars, bars = bars[0], bars[1:]
	}
	main.marks = r.marksOf(process)
	var all []lane
	if len(main.bars)+len(main.marks) > 0 {
		all = append(all, main)
	}
	for _, b := range bars {
		all = append(all, lane{role: beside, bars: b})
	}
	for _, role := range []laneRole{probes, api} {
		if marks := r.marksOf(role); len(marks) > 0 {
			all = append(all, lane{role: role, marks: marks})
		}
	}
	for _, c := range r.claims() {
		all = append(all, lane{role: promised, claims: []claim{c}})
	}
	return all
}

// barLanes puts every bar into the first lane in which it overlaps none: lives first, then waits, then the others.
func (r Row) barLanes() [][]Bar {
	rank := func(b Bar) int {
		switch b.Kind {
		case Life:
			return 0
		case BackOff, Waiting:
			return 1
		}
		return 2
	}
	bars := slices.SortedStableFunc(slices.Values(r.Bars), func(a, b Bar) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.From, b.From))
	})
	var lanes [][]Bar
	for _, b := range bars {
		free := slices.IndexFunc(lanes, func(l []Bar) bool {
			return !slices.ContainsFunc(l, func(o Bar) bool { return b.From < o.To && o.From < b.To })
		})
		if free < 0 {
			free, lanes = len(lanes), append(lanes, nil)
		}
		lanes[free] = append(lanes[free], b)
	}
	return lanes
}

func (r Row) marksOf(role laneRole) []Mark {
	rank := func(m Mark) int {
		return slices.IndexFunc(markLooks, func(l markLook) bool { return l.kind == m.Kind })
	}
	var marks []Mark
	for _, m := range r.Marks {
		if m.Kind.look().lane == role {
			marks = append(marks, m)
		}
	}
	slices.SortStableFunc(marks,
		func(a, b Mark) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(rank(a), rank(b))) })
	return marks
}

func (r Row) claims() []claim {
	var all []claim
	for _, w := range r.Windows {
		i := slices.IndexFunc(all, func(c claim) bool { return c.says == w.Description && c.since == w.Since })
		if i < 0 {
			i, all = len(all), append(all, claim{says: w.Description, since: w.Since})
		}
		c := &all[i]
		c.windows = append(c.windows, w)
		c.verdict = cmp.Or(c.verdict, w.Verdict)
		if c.measured == nil {
			c.measured = w.Measured
		}
	}
	slices.SortStableFunc(all, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.latest(), b.latest()))
	})
	return all
}

func (c claim) latest() time.Duration {
	latest := c.since
	for _, w := range c.windows {
		latest = max(latest, w.Latest)
	}
	return latest
}

func (c claim) earliest() time.Duration {
	return slices.MinFunc(c.windows, func(a, b Window) int { return cmp.Compare(a.Earliest, b.Earliest) }).Earliest
}

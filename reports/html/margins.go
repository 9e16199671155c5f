package html

import (
	"cmp"
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// margin is how near a measured time came to an edge of the window that the code computes.
type margin struct {
	// Position is where in the window it lies: 0 at its earliest end, 1 at its latest, less or more outside.
	Position float64
	// Left is the distance to the nearer edge in nanoseconds, negative outside, and Share what part of the
	// window's width that is.
	Left  int64
	Share float64
	// OneSided says that the window, but for the observer's error, begins at the moment from which is
	// measured: nothing could be earlier, so only its latest end is an edge.
	OneSided bool
}

// marginOf is nil for what has none: a count, a state, a value that never came or can't be trusted, and a
// window of one moment.
func marginOf(f trial.Finding) *margin {
	w := f.Implemented
	if f.Measured == nil || w.Unit != formula.Nanoseconds || w.Latest <= w.Earliest || f.Verdict == trial.Inconclusive {
		return nil
	}
	width := float64(w.Latest - w.Earliest)
	m := margin{
		Position: float64(f.Measured.Value-w.Earliest) / width,
		Left:     w.Latest - f.Measured.Value,
		OneSided: w.Earliest == -f.Measured.More,
	}
	if !m.OneSided || f.Measured.Value < w.Earliest {
		m.Left = w.Margin(f.Measured.Value)
	}
	m.Share = float64(m.Left) / width
	return &m
}

// near is a claim that came near to an edge.
type near struct {
	Trial, Subject string
	Finding        trial.Finding
	margin
}

// mostNear is how many claims the page names as the nearest.
const mostNear = 20

// nearest are the claims with the least left of their windows, the nearest first, how many have a margin,
// and how many were measured that have none.
func nearest(v view.Overview) (all []near, margins, exact int) {
	for _, c := range v.Subjects {
		for _, o := range c.Outcomes {
			if o.Last() == nil {
				continue
			}
			for _, f := range o.Last().Result.Findings {
				if m := marginOf(f); m != nil {
					all = append(all, near{o.Trial, o.Subject, f, *m})
				} else if f.Measured != nil {
					exact++
				}
			}
		}
	}
	margins = len(all)
	slices.SortStableFunc(
		all,
		func(a, b near) int { return cmp.Or(cmp.Compare(a.Left, b.Left), cmp.Compare(a.Share, b.Share)) },
	)
	return all[:min(mostNear, len(all))], margins, exact
}

package html

import (
	"cmp"
	"slices"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// margin is the distance of a measured time from the ends of the implemented window.
type margin struct {
	// Position is 0 at the earliest and 1 at the latest end of the window.
	Position float64
	// Left is the distance to the nearer end in nanoseconds, negative outside. Share is Left as a part of the
	// window's width.
	Left  int64
	Share float64
	// OneSided is true if the window begins at its cause, apart from the observer's error. No value can be
	// earlier, so only the latest end counts.
	OneSided bool
}

// marginOf returns the margin of a time. It returns nil for counts, states, values that never came or are
// inconclusive, and windows of one moment.
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

type near struct {
	Trial, Subject string
	Finding        trial.Finding
	margin
}

const mostNear = 20

// nearest returns the claims nearest to an end of their windows, the number of claims with a margin, and the
// number of values without one.
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
	slices.SortStableFunc(all,
		func(a, b near) int { return cmp.Or(cmp.Compare(a.Left, b.Left), cmp.Compare(a.Share, b.Share)) })
	return all[:min(mostNear, len(all))], margins, exact
}

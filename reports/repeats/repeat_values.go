package repeats

import (
	"cmp"
	"maps"
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/series"
)

// claimKey is a claim of a trial on a kubelet in a lane.
type claimKey struct {
	repeated
	claim string
}

// claimValues are what was measured of a claim so far.
type claimValues struct {
	// counts are its name and how often it came to what; the distributions are made of the rest.
	counts                  ClaimSpread
	measured                []int64
	values                  map[int64]int
	implemented, documented WindowValues
}

// windowValues are where in its windows it was measured.
type WindowValues struct {
	spread    WindowSpread
	margins   []int64
	positions []float64
}

// takeClaims takes in what an outcome's attempts say of its claims: the last one what was measured, all of
// them how often that could not be trusted.
func (r *Repeats) takeClaims(key repeated, round string, o run.Outcome) {
	for i, a := range o.Attempts {
		for _, f := range a.Result.Findings {
			c := r.claim(claimKey{key, f.Claim}, f)
			if f.Verdict == trial.Inconclusive {
				c.counts.Untrusted++
			}
			if i == len(o.Attempts)-1 {
				c.take(f, round, o.Subject)
			}
		}
	}
}

// claim finds a claim's values, or begins them.
func (r *Repeats) claim(key claimKey, f trial.Finding) *claimValues {
	c, known := r.claims[key]
	if !known {
		c = &claimValues{values: map[int64]int{}, counts: ClaimSpread{
			Trial: key.trial, Claim: f.Claim, Formula: f.Formula, Of: f.Of, Kubelet: key.kubelet, Lane: key.lane,
			Unit: f.Implemented.Unit, Verdicts: map[trial.Verdict]int{},
		}}
		r.claims[key] = c
		r.order = append(r.order, key)
	}
	return c
}

func (c *claimValues) take(f trial.Finding, round, subject string) {
	c.counts.Repeats++
	c.counts.Verdicts[f.Verdict]++
	switch {
	case f.Verdict == trial.Inconclusive:
	case f.Measured == nil:
		c.counts.Never++
	case c.counts.Unit != formula.Nanoseconds:
		c.values[f.Measured.Value]++
	default:
		at := Nearest{Measured: f.Measured.Value, Round: round, Subject: subject}
		c.measured = append(c.measured, at.Measured)
		c.implemented.Take(f.Implemented, at)
		if f.Documented != nil {
			c.documented.Take(*f.Documented, at)
		}
	}
}

func (v *WindowValues) Take(w formula.Window, at Nearest) {
	width := w.Latest - w.Earliest
	late, early := at, at
	late.Margin, early.Margin = w.Latest-at.Measured, at.Measured-w.Earliest
	late.Share, early.Share = ofWidth(late.Margin, width), ofWidth(early.Margin, width)
	first := len(v.margins) == 0
	v.margins = append(v.margins, w.Margin(at.Measured))
	v.positions = append(v.positions, early.Share)
	if first {
		v.spread = WindowSpread{Narrowest: width, Widest: width, Late: late}
	}
	v.spread.Narrowest, v.spread.Widest = min(v.spread.Narrowest, width), max(v.spread.Widest, width)
	if late.Margin < v.spread.Late.Margin {
		v.spread.Late = late
	}
	if w.Earliest > 0 && (v.spread.Early == nil || early.Margin < v.spread.Early.Margin) {
		v.spread.Early = &early
	}
}

// ofWidth is a part of a window's width. In a window of one moment half of it lies on either side of what
// was met there; what missed it is a whole width away from the end that it missed.
func ofWidth(part, width int64) float64 {
	switch {
	case width > 0:
		return float64(part) / float64(width)
	case part == 0:
		return 0.5
	case part < 0:
		return -1
	}
	return 2
}

// distribution is nil where nothing was measured against such a window.
func (v WindowValues) Distribution() *WindowSpread {
	if len(v.margins) == 0 {
		return nil
	}
	s := v.spread
	s.Margin, s.Position = series.QuartilesOf(v.margins), series.QuartilesOf(v.positions)
	return &s
}

// spread is the claim's distribution.
func (c *claimValues) spread() ClaimSpread {
	s := c.counts
	s.Verdicts = maps.Clone(s.Verdicts)
	s.Implemented, s.Documented = c.implemented.Distribution(), c.documented.Distribution()
	if len(c.measured) > 0 {
		q := series.QuartilesOf(c.measured)
		s.Measured = &q
	}
	for value, times := range c.values {
		s.Values = append(s.Values, ValueCount{Value: value, Times: times})
	}
	slices.SortFunc(s.Values, func(a, b ValueCount) int { return cmp.Compare(a.Value, b.Value) })
	return s
}

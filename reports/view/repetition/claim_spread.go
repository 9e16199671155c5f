// Package repetition reports on repeated runs of one selection: how verdicts and times vary from round to round, and
// which verdicts change when the nodes are disturbed.
package repetition

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// ClaimSpread is the distribution of one claim on one kubelet in one lane.
type ClaimSpread struct {
	Trial   string            `json:"trial"`
	Claim   string            `json:"claim"`
	Formula string            `json:"formula"`
	Of      formula.Component `json:"of,omitempty"`
	Kubelet string            `json:"kubelet"`
	Lane    run.Lane          `json:"lane"`
	Unit    formula.Unit      `json:"unit"`
	// Repeats is the number of last attempts with a verdict of the claim.
	Repeats  int                   `json:"repeats"`
	Verdicts map[trial.Verdict]int `json:"verdicts"`
	// Untrusted is the number of attempts, with those that were run again, in which the claim is inconclusive. Their
	// values do not count.
	Untrusted int `json:"untrusted,omitempty"`
	// Never is the number of last attempts in which the value certainly never came.
	Never int `json:"never,omitempty"`
	// Measured is the distribution of a time. Values are the frequencies of anything else.
	Measured *series.Quartiles[int64] `json:"measured,omitempty"`
	Values   []valueCount             `json:"values,omitempty"`
	// Implemented and Documented are how times lie in their windows, nil for anything else.
	Implemented *WindowSpread `json:"implemented,omitempty"`
	Documented  *WindowSpread `json:"documented,omitempty"`
}

type valueCount struct {
	Value int64 `json:"value"`
	Times int   `json:"times"`
}

// WindowSpread is how measured times lie in their windows. A window can depend on what was measured before, such as a
// hook's time, so each repetition has its own.
type WindowSpread struct {
	// Narrowest and Widest are windows' widths in nanoseconds.
	Narrowest int64 `json:"narrowest"`
	Widest    int64 `json:"widest"`
	// Margin is the distance to the nearer end in nanoseconds, negative outside.
	Margin series.Quartiles[int64] `json:"margin"`
	// Position is 0 at the earliest and 1 at the latest moment of the window.
	Position series.Quartiles[float64] `json:"position"`
	// Late is the time nearest to the latest moment. Early is that for the earliest moment, nil if the window begins
	// with its cause: no time is earlier.
	Late  Nearest  `json:"late"`
	Early *Nearest `json:"early,omitempty"`
}

// Nearest is the time that is nearest to an end of its window.
type Nearest struct {
	// Margin is the distance in nanoseconds, negative outside. Share is the same as a part of the window's width.
	Margin   int64   `json:"margin"`
	Share    float64 `json:"share"`
	Measured int64   `json:"measured"`
	Round    string  `json:"round"`
	Subject  string  `json:"subject"`
}

type spreads struct {
	claims map[spreadKey]*spreading
	order  []*spreading
}

type spreadKey struct {
	repeated
	claim string
}

type spreading struct {
	ClaimSpread
	measured                []int64
	values                  map[int64]int
	implemented, documented spreadingWindow
}

type spreadingWindow struct {
	WindowSpread
	margins   []int64
	positions []float64
}

func newSpreads() *spreads { return &spreads{claims: map[spreadKey]*spreading{}} }

// add adds the claims of an outcome: the value of the last attempt, and the doubts of all.
func (s *spreads) add(round string, o series.Outcome) {
	for _, c := range o.Claims {
		key := spreadKey{repeated{o.Trial, o.Kubelet, o.Lane}, c.Name}
		into, known := s.claims[key]
		if !known {
			into = &spreading{values: map[int64]int{}, ClaimSpread: ClaimSpread{
				Trial: o.Trial, Claim: c.Name, Formula: c.Formula, Of: c.Of, Kubelet: o.Kubelet, Lane: o.Lane,
				Unit: c.Unit, Verdicts: map[trial.Verdict]int{},
			}}
			s.claims[key] = into
			s.order = append(s.order, into)
		}
		into.Untrusted += c.Doubted
		if c.Judged {
			into.add(c.Point, Nearest{Round: round, Subject: o.Subject})
		}
	}
}

func (s *spreading) add(p series.Point, at Nearest) {
	s.Repeats++
	s.Verdicts[p.Verdict]++
	switch {
	case p.Verdict == trial.Inconclusive:
	case p.Value == nil:
		s.Never++
	case s.Unit != formula.Nanoseconds:
		s.values[*p.Value]++
	default:
		at.Measured = *p.Value
		s.measured = append(s.measured, at.Measured)
		s.implemented.add(p.Ends, at)
		if p.Documented != nil {
			s.documented.add(*p.Documented, at)
		}
	}
}

func (s *spreadingWindow) add(e series.Ends, at Nearest) {
	late, early := at, at
	late.Margin, early.Margin = e.Latest-at.Measured, at.Measured-e.Earliest
	late.Share, early.Share = ofWidth(late.Margin, e.Width()), ofWidth(early.Margin, e.Width())
	if len(s.margins) == 0 {
		s.Narrowest, s.Widest, s.Late = e.Width(), e.Width(), late
	}
	s.margins = append(s.margins, min(late.Margin, early.Margin))
	s.positions = append(s.positions, early.Share)
	s.Narrowest, s.Widest = min(s.Narrowest, e.Width()), max(s.Widest, e.Width())
	if late.Margin < s.Late.Margin {
		s.Late = late
	}
	if e.Earliest > 0 && (s.Early == nil || early.Margin < s.Early.Margin) {
		s.Early = &early
	}
}

// ofWidth returns a part of a window's width. In a window of one moment, a value there is 0.5 from both ends. A value
// outside is one width outside: -1 from the end that it missed, and 2 from the other.
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

func (s *spreads) all() []ClaimSpread {
	var all []ClaimSpread
	for _, one := range s.order {
		c := one.ClaimSpread
		c.Implemented, c.Documented = one.implemented.spread(), one.documented.spread()
		if len(one.measured) > 0 {
			c.Measured = new(series.QuartilesOf(one.measured))
		}
		for value, times := range one.values {
			c.Values = append(c.Values, valueCount{value, times})
		}
		slices.SortFunc(c.Values, func(a, b valueCount) int { return cmp.Compare(a.Value, b.Value) })
		all = append(all, c)
	}
	return all
}

// spread returns nil if nothing was measured in such a window.
func (s spreadingWindow) spread() *WindowSpread {
	if len(s.margins) == 0 {
		return nil
	}
	w := s.WindowSpread
	w.Margin, w.Position = series.QuartilesOf(s.margins), series.QuartilesOf(s.positions)
	return &w
}

type repeated struct {
	trial, kubelet string
	lane           run.Lane
}

// inLane returns a kubelet's name as a subject of its lane.
func inLane(kubelet string, lane run.Lane) string {
	if lane == run.VirtualLane {
		return string(run.VirtualLane) + ":" + kubelet
	}
	return kubelet
}

// facts is a section of names and what is known of them.
type facts struct{ view.Section }

func (f *facts) add(name, format string, args ...any) { f.AddRow(name, fmt.Sprintf(format, args...)) }

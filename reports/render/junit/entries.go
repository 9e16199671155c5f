package junit

import (
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// entries are a case's properties. Ginkgo's reporter writes each value as JSON.
type entries []types.ReportEntry

// add appends an entry unless its value is empty. No console prints it.
func (e *entries) add(name string, value any) {
	if value != "" {
		*e = append(*e, types.ReportEntry{
			Visibility: types.ReportEntryVisibilityNever, Name: name, Value: types.WrapEntryValue(value),
		})
	}
}

// Entries returns what was measured in a trial as the entries of its spec. Times are numbers of seconds. margin_ms is
// the narrowest margin of the trial's times, which a history can plot. It is the distance from another verdict. A
// divergent claim has the documentation's promise, its page and its issues.
func Entries(o run.Outcome) []types.ReportEntry {
	var e entries
	e.add("verdict", string(o.Verdict))
	e.add("attempts", len(o.Attempts))
	if last := o.Last(); last != nil && last.Virtual > 0 {
		e.add("virtual-time", seconds(last.Virtual))
	}
	e.margin(view.FindingsOf(o))
	for _, f := range view.FindingsOf(o) {
		e.claim(f)
	}
	return e
}

func (e *entries) claim(f trial.Finding) {
	u := f.Implemented.Unit
	add := func(name string, value any) { e.add(f.Claim+"."+name, value) }
	window := func(name string, w formula.Window) {
		add(name+".earliest", number(u, w.Earliest))
		add(name+".latest", number(u, w.Latest))
	}
	add("verdict", string(f.Verdict))
	add("why", f.Why)
	add("formula", f.Formula)
	add("of", string(f.Of))
	add("unit", view.UnitName(u))
	window("implemented", f.Implemented)
	if f.Documented != nil {
		window("documented", *f.Documented)
	}
	if f.Measured != nil {
		add("measured", number(u, f.Measured.Value))
		add("margin", number(u, f.Implemented.Margin(f.Measured.Value)))
	}
	if f.Diagnosis != nil {
		add("diagnosis", f.Diagnosis.Reference)
	}
	if f.Verdict == trial.Divergent {
		add("promise", f.Promise)
		add("page", f.DocumentedAt)
		add("issues", f.Issues)
	}
}

// margin adds the narrowest margin of the claims, in milliseconds. It adds nothing if no time was measured.
func (e *entries) margin(claims []trial.Finding) {
	if margin, measured := narrowest(claims); measured {
		e.add("margin_ms", float64(margin.Round(time.Microsecond).Microseconds())/1000)
	}
}

// narrowest returns the smallest margin among measured times.
func narrowest(claims []trial.Finding) (margin time.Duration, measured bool) {
	for _, f := range claims {
		if f.Measured == nil || f.Implemented.Unit != formula.Nanoseconds {
			continue
		}
		if m := time.Duration(f.Implemented.Margin(f.Measured.Value)); !measured || m < margin {
			margin, measured = m, true
		}
	}
	return margin, measured
}

// number returns a time in seconds, and a count as it is.
func number(u formula.Unit, v int64) any {
	if u == formula.Nanoseconds {
		return seconds(time.Duration(v))
	}
	return v
}

// seconds rounds to milliseconds. It divides a whole number, so JSON has no more than three decimals.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000
}

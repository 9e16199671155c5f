package junit

import (
	"cmp"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// disagree adds the other lane's verdict to the output. The case itself does not fail, but run/could-judge does.
func (c *testcase) disagree(all []view.Disagreement) {
	if len(all) == 0 {
		return
	}
	if c.Output == nil {
		c.Output = &output{}
	}
	c.Output.Text += "\nThe lanes disagree:\n"
	for _, d := range all {
		what := cmp.Or(d.Claim, "trial")
		c.Properties.add("lanes-disagree."+what, d.Opinions())
		c.Output.Text += "  " + what + ": " + d.Opinions() + "\n"
	}
}

// numbers returns the properties of a case. Times are in seconds. margin_ms is the narrowest margin of the
// trial's times, which a history can plot. It is the distance from another verdict.
func numbers(o run.Outcome) *properties {
	p := &properties{}
	p.add("verdict", string(o.Verdict))
	p.add("attempts", fmt.Sprint(len(o.Attempts)))
	if last := o.Last(); last != nil && last.Virtual > 0 {
		p.add("virtual-time", seconds(last.Virtual))
	}
	p.margin(view.FindingsOf(o))
	for _, f := range view.FindingsOf(o) {
		u := f.Implemented.Unit
		add := func(name, value string) { p.add(f.Claim+"."+name, value) }
		window := func(name string, w formula.Window) {
			add(name+".earliest", view.FormatNumber(u, w.Earliest))
			add(name+".latest", view.FormatNumber(u, w.Latest))
		}
		add("verdict", string(f.Verdict))
		add("formula", f.Formula)
		add("of", string(f.Of))
		add("unit", view.UnitName(u))
		window("implemented", f.Implemented)
		if f.Documented != nil {
			window("documented", *f.Documented)
		}
		if f.Measured != nil {
			add("measured", view.FormatNumber(u, f.Measured.Value))
			add("margin", view.FormatNumber(u, f.Implemented.Margin(f.Measured.Value)))
		}
		if f.Diagnosis != nil {
			add("diagnosis", f.Diagnosis.Reference)
		}
	}
	return p
}

// runNumbers returns the properties of the case about the run: the narrowest margin of all trials, and the
// number of verdicts of each kind.
func runNumbers(r run.Run) *properties {
	p := &properties{}
	var all []trial.Finding
	for _, o := range r.Outcomes {
		all = append(all, view.FindingsOf(o)...)
	}
	p.margin(all)
	for _, v := range view.Verdicts() {
		p.add(string(v), fmt.Sprint(r.Count(v)))
	}
	return p
}

// margin adds the narrowest margin of the claims, in milliseconds. It adds nothing if no time was measured.
func (p *properties) margin(claims []trial.Finding) {
	if margin, any := narrowest(claims); any {
		p.add("margin_ms", fmt.Sprintf("%.3f", float64(margin)/float64(time.Millisecond)))
	}
}

// narrowest returns the smallest margin among measured times, in nanoseconds.
func narrowest(claims []trial.Finding) (margin int64, any bool) {
	for _, f := range claims {
		if f.Measured == nil || f.Implemented.Unit != formula.Nanoseconds {
			continue
		}
		if m := f.Implemented.Margin(f.Measured.Value); !any || m < margin {
			margin, any = m, true
		}
	}
	return margin, any
}

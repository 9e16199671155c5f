package markdown

import (
	"cmp"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

func (d *Document) divergences(r run.Run, all []view.Divergence, missing []string) {
	subjects := view.Names(view.ColumnsOf(r))
	d.Line("# Divergences\n")
	if len(missing) > 0 {
		d.Line("**Not complete**: this run cannot show every divergence. %s.\n", Escape(strings.Join(missing, "; ")))
	}
	d.Line("The documentation of Kubernetes says one thing here, and its kubelet does another. "+
		"`make divergences RUN=…` generated this file from run %s of podclock %s on %s. Change the formulas or run "+
		"again instead of editing it.\n", r.ID, r.Environment.Podclock, strings.Join(subjects, ", "))
	d.Line("What is documented is in podclock's own words; follow the link for the page. What the code computes was " +
		"read in its source. What was measured lies inside that, so nothing here is a regression. In the tables, " +
		"**bold** is outside what is documented, and a dash was not measured. Times are rounded as far as they still " +
		"show this.")
	if r.Uses(run.VirtualLane) {
		d.Line("\n%s", view.VirtualLimits)
	}
	d.Line("")
	if len(all) == 0 {
		d.Line("This run has none.")
		return
	}
	unknown := 0
	index := view.Section{Header: []string{"formula", "measured", "seen on", "issues"}}
	for _, one := range all {
		if one.Unknown {
			unknown++
		}
		index.AddRow(one.Formula, one.Gap, strings.Join(one.Subjects, ", "), strings.Join(one.Issues, "; "))
	}
	d.Line("%s; %d without a known issue, or without one for some claims.\n", run.Plural(len(all), "divergence"),
		unknown)
	d.table(index)
	for _, one := range all {
		d.divergence(one, subjects)
	}
}

func (d *Document) divergence(one view.Divergence, subjects []string) {
	d.Line("\n## %s\n", one.Formula)
	d.Line("- Documented: %s ([page](%s))", Escape(one.Promise), one.Page)
	d.Line("- Implemented: %s (%s)", Escape(one.Description), one.Source)
	d.Line("- Measured: %s", one.Gap)
	item := func(name string, on []string) {
		if len(on) > 0 {
			d.Line("- %s: %s", name, strings.Join(on, ", "))
		}
	}
	item("Seen on", one.Seen)
	item("Not seen on", one.Kept)
	item("Not measured on", one.Unmeasured)
	d.Line("- Issues: %s", Escape(strings.Join(one.Issues, "; ")))
	if one.Reproduce != "" {
		d.Line("- Reproduce: `%s`", one.Reproduce)
	}
	t := newTable(append([]string{"trial", "claim", "documented"}, subjects...))
	before := ""
	for _, c := range one.Claims {
		name := ""
		if c.Trial != before {
			name, before = view.Code(c.Trial), c.Trial
		}
		cells := []string{name, c.Claim, cmp.Or(c.Documented, "in brackets")}
		for _, on := range c.On {
			if on.Broken {
				on.Measured = "**" + on.Measured + "**"
			}
			if c.Documented == "" && on.Documented != "" {
				on.Measured += " (" + on.Documented + ")"
			}
			cells = append(cells, on.Measured)
		}
		t.AppendRow(view.CellsOf(cells))
	}
	d.Line("\n%s", t.RenderMarkdown())
}

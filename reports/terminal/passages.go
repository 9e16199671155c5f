package terminal

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// passages writes them for a terminal.
func (p *page) passages(all []view.Passage) {
	for _, part := range all {
		p.title(part.Title)
		if len(part.Rows) > 0 {
			p.write(p.tableOf(part))
		}
		for _, l := range part.Lines {
			p.line("  ", l.Text)
			for _, more := range l.More {
				p.line("      ", more)
			}
		}
		if rest := part.RestText(); rest != "" {
			p.line("  ", rest)
		}
		if part.Note != "" {
			p.line("", part.Note)
		}
	}
}

// tableOf is a passage's table. The first column gets what the others leave, its names wrapped; what does
// not fit on a narrow page even so runs over its edge, as a number must not be broken.
func (p *page) tableOf(part view.Passage) string {
	room := p.width - len(gutter)
	for i := range part.Header[1:] {
		widest := text.StringWidthWithoutEscSequences(part.Header[i+1])
		for _, r := range part.Rows {
			widest = max(widest, text.StringWidthWithoutEscSequences(r[i+1]))
		}
		room -= widest + len(gutter)
	}
	t := bare()
	t.SetColumnConfigs(
		[]table.ColumnConfig{{Number: 1, WidthMax: max(room, narrowestFirst), WidthMaxEnforcer: WrapName}},
	)
	t.AppendHeader(view.TableRow(part.Header))
	for _, r := range part.Rows {
		cells := view.TableRow(r)
		for i, c := range r {
			cells[i] = painted(trial.Verdict(c), p.colour) // what is no verdict stays as it is
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

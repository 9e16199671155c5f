package terminal

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Options say for whom a report is.
type Options struct {
	Screen Screen
	// Folder is where the run was saved. If it is empty, the report names no files.
	Folder string
}

// page is a report in the making.
type page struct {
	b      strings.Builder
	width  int
	colour bool
}

func newPage(s Screen) *page { return &page{width: s.Columns(), colour: s.Colour} }

func (p *page) write(s string) { p.b.WriteString(s + "\n") }

// line writes text at an indent, wrapped between words. What follows the first line is indented further.
func (p *page) line(indent string, parts ...string) {
	for _, l := range p.wrapped(indent, strings.Join(parts, "")) {
		p.write(l)
	}
}

// heading writes a title, bold in colour.
func (p *page) heading(s string) {
	for _, l := range p.wrapped("", s) {
		if p.colour {
			l = text.Bold.Sprint(l)
		}
		p.write(l)
	}
}

func (p *page) wrapped(indent, s string) []string {
	further := indent + "  "
	lines := strings.Split(text.WrapSoft(s, max(20, p.width-len(further))), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(indent+strings.TrimSpace(l), " ")
		indent = further
	}
	return lines
}

// verdict writes a verdict in its colour.
func (p *page) verdict(v trial.Verdict) string { return painted(v, p.colour) }

// passages writes passages, each with its title.
func (p *page) passages(all []view.Passage) {
	for _, part := range all {
		p.line("")
		p.heading(part.Title)
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

// tableOf is a passage's table. The first column gets what the others leave, its names wrapped. A row that
// is too wide even so runs over the edge, because a number must not be broken.
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
	name := table.ColumnConfig{Number: 1, WidthMax: max(room, narrowestFirst), WidthMaxEnforcer: WrapName}
	t.SetColumnConfigs([]table.ColumnConfig{name})
	t.AppendHeader(cellsOf(part.Header))
	for _, r := range part.Rows {
		cells := cellsOf(r)
		for i, c := range r {
			cells[i] = painted(trial.Verdict(c), p.colour) // any other text stays as it is
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

func cellsOf(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, text := range texts {
		row[i] = text
	}
	return row
}

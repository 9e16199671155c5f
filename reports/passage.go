package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
)

// Passage is one part of what is told of several runs, in words: a table, lines, or both. Every renderer
// shows the same passages.
type Passage struct {
	// ID names it among the others, as in an address.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Note is what a reader must know of all that follows.
	Note string `json:"note,omitempty"`
	// Header and Rows are a table, whose first column is a name.
	Header []string   `json:"header,omitempty"`
	Rows   [][]string `json:"rows,omitempty"`
	Lines  []Line     `json:"lines,omitempty"`
	// Rest is how many more rows or lines there are that are not told one by one.
	Rest int `json:"rest,omitempty"`
}

// Line is one item of a list, and what belongs to it.
type Line struct {
	Text string   `json:"text"`
	More []string `json:"more,omitempty"`
}

// rest says what is not told.
func (p Passage) rest() string {
	if p.Rest == 0 {
		return ""
	}
	return fmt.Sprintf("and %d more", p.Rest)
}

// passages writes them for a terminal.
func (p *page) passages(all []Passage) {
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
		if rest := part.rest(); rest != "" {
			p.line("  ", rest)
		}
		if part.Note != "" {
			p.line("", part.Note)
		}
	}
}

// tableOf is a passage's table. The first column gets what the others leave, its names wrapped; what does
// not fit on a narrow page even so runs over its edge, as a number must not be broken.
func (p *page) tableOf(part Passage) string {
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
		[]table.ColumnConfig{{Number: 1, WidthMax: max(room, narrowestFirst), WidthMaxEnforcer: wrapName}},
	)
	t.AppendHeader(row(part.Header))
	for _, r := range part.Rows {
		cells := row(r)
		for i, c := range r {
			cells[i] = painted(trial.Verdict(c), p.colour) // what is no verdict stays as it is
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

// passages writes them as Markdown.
func (d *document) passages(all []Passage) {
	for _, part := range all {
		d.line("\n## %s\n", part.Title)
		if part.Note != "" {
			d.line("%s\n", part.Note)
		}
		if len(part.Rows) > 0 {
			t := markdownTable(part.Header...)
			for _, r := range part.Rows {
				t.AppendRow(row(r))
			}
			d.line("%s", t.RenderMarkdown())
		}
		for _, l := range part.Lines {
			d.line("- %s", l.Text)
			for _, more := range l.More {
				d.line("  - %s", more)
			}
		}
		if rest := part.rest(); rest != "" {
			d.line("\n%s", rest)
		}
	}
}

// writeAll writes a rendered text.
func writeAll(w io.Writer, what string, b *strings.Builder) error {
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}

package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/mutants"
)

// Document is Markdown that is being written.
type Document struct{ b strings.Builder }

// String returns what was written so far.
func (d *Document) String() string { return d.b.String() }

// Line writes a line.
func (d *Document) Line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// Report writes what a report says as Markdown, such as for the summary of a CI job.
func Report(w io.Writer, r view.Report) error {
	d := &Document{}
	d.Line("# %s", r.Title)
	if r.Size != "" {
		d.Line("\n%s", r.Size)
	}
	d.Sections(2, r.Sections...)
	return view.WriteAll(w, "the report as Markdown", &d.b)
}

// Sections writes sections. Their titles are headings of the level.
func (d *Document) Sections(level int, all ...view.Section) {
	for _, p := range all {
		d.Line("\n%s %s\n", strings.Repeat("#", level), Escape(p.Title))
		d.section(p)
	}
}

// section writes a section without its title.
func (d *Document) section(p view.Section) {
	if p.Note != "" {
		d.Line("%s\n", p.Note)
	}
	if len(p.Rows) > 0 {
		d.table(p)
	}
	for _, l := range p.Lines {
		if l.Link != "" {
			d.Line("- [%s](%s)", Escape(l.Text), l.Link)
		} else {
			d.Line("- %s", Escape(l.Text))
		}
		for _, more := range l.More {
			d.Line("  - %s", Escape(more))
		}
	}
	if rest := p.RestText(); rest != "" {
		d.Line("\n%s", rest)
	}
	d.block(p.Block)
}

// block writes a block, folded if it has an introduction.
func (d *Document) block(b view.Block) {
	if b.Text == "" {
		return
	}
	if b.About != "" {
		d.Line("\n<details><summary>%s</summary>", Escape(b.About))
	}
	d.Line("")
	d.fenced(b.Language, b.Text)
	if b.About != "" {
		d.Line("\n</details>")
	}
}

// table writes a section's table.
func (d *Document) table(p view.Section) {
	t := newTable(p.Header)
	for _, cells := range p.Rows {
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = linked(inCell.Replace(c))
		}
		for _, i := range p.Code {
			if cells[i] != "" {
				row[i] = view.Code(cells[i])
			}
		}
		t.AppendRow(view.CellsOf(row))
	}
	d.Line("%s", t.RenderMarkdown())
}

// newTable returns an empty table that does not change its header.
func newTable(header []string) table.Writer {
	t := table.NewWriter()
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(view.CellsOf(header))
	return t
}

// fenced writes text as a code block.
func (d *Document) fenced(language string, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	d.Line("%s%s\n%s\n%s", fence, language, strings.TrimRight(text, "\n"), fence)
}

// Escape returns text as Markdown. Its line breaks become spaces, and it contains no tags. Issues and pull
// requests become links.
func Escape(s string) string {
	return linked(inLine.Replace(strings.Join(strings.Fields(s), " ")))
}

var (
	inLine = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "<", "\\<", "|", "\\|")
	// The table's writer escapes the bar.
	inCell = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "<", "\\<")
)

// linked converts the issues and pull requests in a text to links.
func linked(s string) string {
	return mutationtest.IssuePattern.ReplaceAllStringFunc(s, func(one string) string {
		return fmt.Sprintf("[%s](%s)", one, mutants.URL(one))
	})
}

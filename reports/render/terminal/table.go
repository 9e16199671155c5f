package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// The columns after the first. A narrow screen drops the windows, the documented one first. It always shows the
// measurement and the verdict. The sections below the table explain the rest.
const (
	columnMeasured    = "measured"
	columnImplemented = "the code computes"
	columnDocumented  = "documented"
	columnVerdict     = "verdict"
)

const (
	// narrowestFirst is the least width of the first column, in columns. Its names wrap to that width before
	// another column is dropped.
	narrowestFirst = 28
	gutter         = "  "
)

// lines returns the rows of one outcome with all columns: the trial, then its claims.
func (p *page) lines(s run.Subject, o run.Outcome) [][]string {
	name := o.Trial
	if n := len(o.Attempts); n > 1 {
		name += fmt.Sprintf(" (attempt %d)", n)
	}
	claims := view.FindingsOf(o)
	measured, verdict := "", ""
	if len(claims) == 0 {
		verdict = p.verdict(o.Verdict)
		if o.Verdict == trial.Inconclusive && len(o.Attempts) == 0 {
			measured = "never ran"
		}
	}
	all := [][]string{{name, measured, "", "", verdict}}
	for _, f := range claims {
		all = append(all, []string{gutter + view.ClaimName(s, f), view.FormatMeasured(f),
			view.FormatWindow(f.Implemented), view.FormatDocumented(f), p.verdict(f.Verdict)})
	}
	return all
}

// claims returns one subject's table with every claim, at most as wide as the page.
func (p *page) claims(b view.Column) string {
	header := []string{b.Title(), columnMeasured, columnImplemented, columnDocumented, columnVerdict}
	var rows [][]string
	var separators []int
	present := ""
	for _, o := range b.Outcomes {
		if a := view.AreaOf(o); a != present {
			if present != "" {
				separators = append(separators, len(rows))
			}
			present = a
		}
		rows = append(rows, p.lines(b.Subject, o)...)
	}
	room := p.room(header, rows)
	for _, give := range []string{columnDocumented, columnImplemented} {
		if room >= narrowestFirst {
			break
		}
		at := slices.Index(header, give)
		header = slices.Delete(header, at, at+1)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], at, at+1)
		}
		room = p.room(header, rows)
	}

	t := bare()
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 1, WidthMax: max(room, len(gutter)+1), WidthMaxEnforcer: WrapName},
		{Name: columnMeasured, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	t.AppendHeader(view.CellsOf(header))
	for i, row := range rows {
		if len(separators) > 0 && separators[0] == i {
			t.AppendSeparator()
			separators = separators[1:]
		}
		t.AppendRow(view.CellsOf(row))
	}
	return t.Render()
}

// bare returns a table without borders.
func bare() table.Writer {
	t := table.NewWriter()
	t.SuppressTrailingSpaces()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true, SeparateRows: false}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", gutter
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	return t
}

// widestSubject is the width at which the name above a column of verdicts wraps.
const widestSubject = 14

// grid is a table with a name and a few words for each subject, in groups. On a narrow page the names wrap. It
// is empty if the page is too narrow even then.
func (p *page) grid(header []string, groups [][][]string) string {
	room := p.width - len(gutter)
	for i, h := range header[1:] {
		widest := min(widestSubject, len(h))
		for _, lines := range groups {
			for _, l := range lines {
				widest = max(widest, text.StringWidthWithoutEscSequences(l[i+1]))
			}
		}
		room -= widest + len(gutter)
	}
	if room < widestSubject {
		return ""
	}
	t := bare()
	configs := []table.ColumnConfig{{Number: 1, WidthMax: room, WidthMaxEnforcer: WrapName}}
	for i := range header[1:] {
		configs = append(configs,
			table.ColumnConfig{Number: i + 2, WidthMax: widestSubject, WidthMaxEnforcer: WrapCell})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(view.CellsOf(header))
	for i, lines := range groups {
		if i > 0 {
			t.AppendSeparator()
		}
		for _, l := range lines {
			t.AppendRow(view.CellsOf(l))
		}
	}
	return t.Render()
}

// WrapCell breaks a subject's name, if possible after one of its signs. A coloured verdict always fits.
func WrapCell(s string, width int) string {
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	var lines []string
	for len(s) > width {
		cut := strings.LastIndexAny(s[:width], "-+@/. ") + 1
		if before := strings.IndexAny(s[:width], " :"); before > 0 {
			cut = before + 1
		}
		if cut == 0 {
			cut = width
		}
		lines, s = append(lines, strings.TrimSpace(s[:cut])), s[cut:]
	}
	return strings.Join(append(lines, s), "\n")
}

// room is the width that the other columns leave for the first.
func (p *page) room(header []string, rows [][]string) int {
	room := p.width - len(gutter)
	for i := range header[1:] {
		widest := text.StringWidthWithoutEscSequences(header[i+1])
		for _, row := range rows {
			widest = max(widest, text.StringWidthWithoutEscSequences(row[i+1]))
		}
		room -= widest + len(gutter)
	}
	return room
}

// WrapName breaks a long name of a trial or claim after a dash or slash. It indents what follows.
func WrapName(name string, width int) string {
	var lines []string
	indent := ""
	for len(indent)+len(name) > width {
		room := width - len(indent)
		if room < 1 {
			break
		}
		cut := strings.LastIndexAny(name[:room], "-/ ") + 1
		if cut <= len(name)-len(strings.TrimLeft(name, " ")) {
			cut = room
		}
		lines = append(lines, indent+name[:cut])
		name, indent = name[cut:], strings.Repeat(gutter, 2)
	}
	return strings.Join(append(lines, indent+name), "\n")
}

// sections writes sections with their titles.
func (p *page) sections(all []view.Section) {
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
		p.block(part.Block)
		if part.Note != "" {
			p.line("", part.Note)
		}
	}
}

// block writes a block, indented below its introduction.
func (p *page) block(b view.Block) {
	indent := ""
	if b.About != "" {
		p.line("  ", b.About)
		indent = "    "
	}
	for line := range strings.Lines(b.Text) {
		p.write(indent + strings.TrimSuffix(line, "\n"))
	}
}

// tableOf returns a section's table. The first column gets the width that the others leave, and its names wrap.
// A row that is still too wide runs over the edge, because a number must not be broken.
func (p *page) tableOf(part view.Section) string {
	t := bare()
	width := max(p.room(part.Header, part.Rows), narrowestFirst)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, WidthMax: width, WidthMaxEnforcer: WrapName}})
	t.AppendHeader(view.CellsOf(part.Header))
	for _, r := range part.Rows {
		cells := view.CellsOf(r)
		for i, c := range r {
			cells[i] = painted(trial.Verdict(c), p.colour) // painted returns any other text unchanged
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

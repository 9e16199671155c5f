package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
)

// The columns after the first. On a narrow screen the windows are given up, the documented one first: what was measured and
// what came of it must stay, and the sections below the table tell the rest.
const (
	columnMeasured    = "measured"
	columnImplemented = "the code computes"
	columnDocumented  = "documented"
	columnVerdict     = "verdict"
)

const (
	// narrowestFirst is how narrow the first column may get, its names wrapped, before another column is given up.
	narrowestFirst = 28
	gutter         = "  "
)

// cells is one line of a table: the first column and the others by name.
type cells struct {
	first  string
	others map[string]string
}

func claimCells(f trial.Finding, first string, verdict string) cells {
	return cells{first: first, others: map[string]string{
		columnMeasured: measured(f), columnImplemented: span(f.Implemented), columnDocumented: documented(f), columnVerdict: verdict,
	}}
}

// lines are the lines of one outcome: the trial, then its claims.
func (p *page) lines(o Outcome) []cells {
	name := o.Trial
	if n := len(o.Attempts); n > 1 {
		name += fmt.Sprintf(" (attempt %d)", n)
	}
	claims := findings(o)
	head := cells{first: name, others: map[string]string{}}
	if len(claims) == 0 {
		head.others[columnVerdict] = p.verdict(o.Verdict)
		if o.Verdict == trial.Inconclusive && len(o.Attempts) == 0 {
			head.others[columnMeasured] = "never ran"
		}
	}
	all := []cells{head}
	for _, f := range claims {
		all = append(all, claimCells(f, gutter+f.Claim, p.verdict(f.Verdict)))
	}
	return all
}

// table is one subject's table: as wide as the page at most.
func (p *page) table(b block) string {
	columns := []string{columnMeasured, columnImplemented, columnDocumented, columnVerdict}
	var rows []cells
	var separators []int
	present := ""
	for _, o := range b.outcomes {
		if a := area(o); a != present {
			if present != "" {
				separators = append(separators, len(rows))
			}
			present = a
		}
		rows = append(rows, p.lines(o)...)
	}
	room := p.room(columns, rows)
	for _, give := range []string{columnDocumented, columnImplemented} {
		if room >= narrowestFirst {
			break
		}
		columns = without(columns, give)
		room = p.room(columns, rows)
	}

	t := table.NewWriter()
	t.SuppressTrailingSpaces()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true, SeparateRows: false}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", gutter
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	configs := []table.ColumnConfig{{Number: 1, WidthMax: max(room, len(gutter)+1), WidthMaxEnforcer: wrapName}}
	header := table.Row{b.subject.Name}
	for i, c := range columns {
		header = append(header, c)
		if c == columnMeasured {
			configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for i, row := range rows {
		if len(separators) > 0 && separators[0] == i {
			t.AppendSeparator()
			separators = separators[1:]
		}
		cells := table.Row{row.first}
		for _, c := range columns {
			cells = append(cells, row.others[c])
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

// room is what the other columns leave for the first.
func (p *page) room(columns []string, rows []cells) int {
	room := p.width - len(gutter)
	for _, c := range columns {
		widest := text.StringWidthWithoutEscSequences(c)
		for _, row := range rows {
			widest = max(widest, text.StringWidthWithoutEscSequences(row.others[c]))
		}
		room -= widest + len(gutter)
	}
	return room
}

func without(columns []string, name string) []string {
	var rest []string
	for _, c := range columns {
		if c != name {
			rest = append(rest, c)
		}
	}
	return rest
}

// wrapName breaks a trial's or claim's name that is too long after a dash or slash, and indents what follows.
func wrapName(name string, width int) string {
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

// Markdown writes the run's verdicts as plain Markdown: a sentence with the counts and a table for each subject.
func Markdown(w io.Writer, r Run) error {
	p := &page{}
	p.write("Run " + r.ID + ", " + tally(r.Outcomes) + ".")
	for _, b := range r.blocks() {
		if len(b.outcomes) == 0 {
			continue
		}
		t := table.NewWriter()
		t.Style().Format.Header = text.FormatDefault
		t.AppendHeader(table.Row{"trial on " + b.subject.Name, "claim", columnMeasured, columnImplemented, columnDocumented, columnVerdict})
		for _, o := range b.outcomes {
			name := "`" + o.Trial + "`"
			claims := findings(o)
			if len(claims) == 0 {
				t.AppendRow(table.Row{name, "", "", "", "", string(o.Verdict) + ": " + reason(o)})
			}
			for i, f := range claims {
				if i > 0 {
					name = ""
				}
				verdict := string(f.Verdict)
				if f.Diagnosis != nil {
					verdict += ", " + asIf(*f.Diagnosis)
				}
				t.AppendRow(table.Row{name, f.Claim, measured(f), span(f.Implemented), documented(f), verdict})
			}
		}
		p.write("\n" + t.RenderMarkdown())
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing run %s as Markdown: %w", r.ID, err)
	}
	return nil
}

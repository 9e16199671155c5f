package forecast

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
)

// Findings writes one line with the place for each finding, as compilers do, and the documentation.
func Findings(w io.Writer, f Forecast, o TextOptions) error {
	if o.Columns == 0 {
		o.Columns = usualColumns
	}
	p := &part{TextOptions: o}
	for _, prediction := range f.Predictions {
		for _, found := range prediction.Findings {
			where := prediction.File
			if found.Line > 0 {
				where = fmt.Sprintf("%s:%d", where, found.Line)
			}
			p.line("%s: %s: %s: %s [%s]", where, p.level(found.Level), about(prediction, found), found.Description,
				found.Rule)
			p.line("    %s, see %s", found.Field, found.DocumentedAt)
			p.line("    fix: %s", found.Fix)
		}
	}
	p.line("%s: %s%s, %s", f.Manifest, tally(f.findings()), f.ignored(), f.rules())
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *part) findings(all []findings.Finding) {
	if len(all) == 0 {
		return
	}
	p.line("")
	for _, f := range all {
		where := f.Field
		if f.Line > 0 {
			where = fmt.Sprintf("line %d, %s", f.Line, f.Field)
		}
		p.wrapped(2, fmt.Sprintf("%s: %s [%s]", p.level(f.Level), f.Description, f.Rule))
		p.wrapped(4, where)
		p.wrapped(4, "fix: "+f.Fix)
		if p.All {
			p.line("    see %s", f.DocumentedAt)
		}
	}
}

// about returns the object of a finding: "Deployment shop/web, container app".
func about(p predict.Prediction, f findings.Finding) string {
	if f.Container == "" {
		return address(p)
	}
	return address(p) + ", container " + f.Container
}

// TextOptions are the format of a text.
type TextOptions struct {
	// Columns is the width of the text; 0 means 80.
	Columns int
	// Colour allows coloured levels.
	Colour bool
	// All adds every timeline step by step.
	All bool
}

const usualColumns = 80

type part struct {
	TextOptions
	b   strings.Builder
	err error
}

func (p *part) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *part) block(by int, lines string) {
	for line := range strings.Lines(strings.TrimRight(lines, "\n")) {
		p.b.WriteString(strings.TrimRight(strings.Repeat(" ", by)+strings.TrimRight(line, "\n"), " ") + "\n")
	}
}

func (p *part) wrapped(by int, sentence string) {
	p.block(by, text.WrapSoft(sentence, max(20, p.Columns-by)))
}

// hanging writes a sentence beside its label.
func (p *part) hanging(by, room int, label, sentence string) {
	lines := strings.Split(text.WrapSoft(sentence, max(20, p.Columns-by-room)), "\n")
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		p.block(by, fmt.Sprintf("%-*s%s", room, label, line))
	}
}

// bare starts a table without borders.
func bare(header ...any) table.Writer {
	t := table.NewWriter()
	t.SuppressTrailingSpaces()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row(header))
	return t
}

// table writes a table. If it is too wide, the words of its first column are wrapped.
func (p *part) table(t table.Writer) {
	p.line("")
	drawn := t.Render()
	for first := 30; first >= 10 && text.LongestLineLen(drawn) > p.Columns-4; first-- {
		t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, WidthMax: first, WidthMaxEnforcer: text.WrapSoft}})
		drawn = t.Render()
	}
	p.block(4, drawn)
}

var levelColours = map[findings.Level]text.Colors{
	findings.Error: {text.FgRed, text.Bold}, findings.Warning: {text.FgYellow}, findings.Note: {text.FgCyan},
}

func (p *part) level(l findings.Level) string {
	if p.Colour {
		return levelColours[l].Sprint(string(l))
	}
	return string(l)
}

package forecast

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/predict/findings"
)

// TextOptions are the format of a text.
type TextOptions struct {
	// Columns is the width of the text; 0 means 120.
	Columns int
	// Colour is set if findings may be coloured by their level.
	Colour bool
	// All adds every timeline step by step, with the terms of its windows. Without it the text has a container's
	// answers and a picture of its longest delete.
	All bool
}

// usualColumns is the default width.
const usualColumns = 120

// part is a part of a text under construction.
type part struct {
	TextOptions
	b   strings.Builder
	err error
}

func (p *part) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// block writes lines with an indent.
func (p *part) block(by int, lines string) {
	for line := range strings.Lines(strings.TrimRight(lines, "\n")) {
		p.b.WriteString(strings.TrimRight(strings.Repeat(" ", by)+strings.TrimRight(line, "\n"), " ") + "\n")
	}
}

// wrapped writes a sentence with an indent, over several lines if necessary.
func (p *part) wrapped(by int, sentence string) {
	p.block(by, text.WrapSoft(sentence, max(20, p.Columns-by)))
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

func (p *part) table(t table.Writer) {
	p.line("")
	p.block(4, t.Render())
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

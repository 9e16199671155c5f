package prediction

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// list is a text of entries that fits some columns.
type list struct {
	strings.Builder
	columns int
}

// entry begins the next entry.
func (l *list) entry(name, remark string) {
	if l.Len() > 0 {
		l.WriteString("\n")
	}
	l.WriteString(name + " (" + remark + ")\n")
}

// paragraph writes indented lines.
func (l *list) paragraph(s string) {
	const by = 2
	for line := range strings.SplitSeq(text.WrapSoft(s, max(20, l.columns-by)), "\n") {
		l.WriteString(strings.Repeat(" ", by) + strings.TrimRight(line, " ") + "\n")
	}
}

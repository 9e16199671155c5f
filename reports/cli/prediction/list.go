package prediction

import (
	"fmt"
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
	fmt.Fprintf(l, "%s (%s)\n", name, remark)
}

// paragraph writes indented lines.
func (l *list) paragraph(s string) {
	const by = 2
	for line := range strings.SplitSeq(text.WrapSoft(s, max(20, l.columns-by)), "\n") {
		fmt.Fprintf(l, "%*s%s\n", by, "", strings.TrimRight(line, " "))
	}
}

package markdown

import (
	"github.com/podclock/podclock/reports/view"
)

// passages writes them as Run.
func (d *Document) passages(all []view.Passage) {
	for _, part := range all {
		d.Line("\n## %s\n", part.Title)
		if part.Note != "" {
			d.Line("%s\n", part.Note)
		}
		if len(part.Rows) > 0 {
			t := view.MarkdownTable(part.Header...)
			for _, r := range part.Rows {
				cells := view.TableRow(r)
				for _, i := range part.Code {
					if r[i] != "" {
						cells[i] = view.Code(r[i])
					}
				}
				t.AppendRow(cells)
			}
			d.Line("%s", t.RenderMarkdown())
		}
		for _, l := range part.Lines {
			d.Line("- %s", l.Text)
			for _, more := range l.More {
				d.Line("  - %s", more)
			}
		}
		if rest := part.RestText(); rest != "" {
			d.Line("\n%s", rest)
		}
	}
}

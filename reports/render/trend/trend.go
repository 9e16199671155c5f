// Package trend renders a comparison, a history and what a source tree changes as pages. Each page is one file that
// loads nothing. Words and numbers come from packages series and difference.
package trend

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
	"github.com/podclock/podclock/reports/render/html"
	"github.com/podclock/podclock/reports/view"
)

//go:embed page/*.tmpl
var templates embed.FS

//go:embed style.css
var style string

//go:embed script/page.js
var pageScript string

var tree = template.Must(template.New("").Funcs(template.FuncMap{
	"glyph": html.Glyph, "class": html.Class, "verdicts": view.Verdicts,
}).ParseFS(templates, "page/*.tmpl"))

type contents struct {
	// Eyebrow is what is shown, Title the result, Size how much was compared. Good is true if the exit code is 0.
	Eyebrow, Title, Size string
	Good                 bool
	// First are the parts before the explorer. A page without an explorer has nil.
	First, Parts []part
	Explorer     *explorer

	Policy, Shapes, Data template.HTML
	Style                template.CSS
	Script               template.JS
}

// timelines are those of a trial on both kubelets, on one axis.
type timelines struct {
	Trial string
	SVG   template.HTML
}

// part is one section, and drawings beside its rows.
type part struct {
	view.Section
	// Drawn has a drawing for each row, or none. DrawnTitle is the title of the column.
	DrawnTitle template.HTML
	Drawn      []template.HTML
	// Pictures follow the lines. Key explains them.
	Pictures []timelines
	Key      template.HTML
}

func (p contents) write(w io.Writer, what string) error {
	p.Policy = page.Policy(p.Script)
	p.Style = template.CSS(page.Style()+drawing.Style()+style) + p.Style
	if err := tree.ExecuteTemplate(w, "page.tmpl", p); err != nil {
		return fmt.Errorf("writing %s as a page: %w", what, err)
	}
	return nil
}

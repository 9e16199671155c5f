// Package trend renders what several runs say together as pages: two runs side by side, and many runs as
// one history. Each page is one file that loads nothing. It judges nothing and compares nothing; all words
// and numbers come from package reports.
package trend

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"

	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/html"
	"github.com/podclock/podclock/reports/page"
	"github.com/podclock/podclock/reports/view"
)

// The pages' names, where they are saved.
const (
	ComparisonFile = "compare.html"
	HistoryFile    = "history.html"
)

//go:embed page/*.tmpl
var templates embed.FS

//go:embed style.css
var style string

//go:embed script/page.js
var pageScript string

var tree = template.Must(template.New("").Funcs(template.FuncMap{
	"glyph": html.Glyph, "class": html.Class, "verdicts": view.Verdicts, "verdictOf": verdictOf, "flush": flush,
}).ParseFS(templates, "page/*.tmpl"))

// verdictOf is the verdict that a cell consists of, empty for any other cell.
func verdictOf(cell string) trial.Verdict {
	if v := trial.Verdict(cell); slices.Contains(view.Verdicts(), v) {
		return v
	}
	return ""
}

// numbers are cells that hold a number with or without its unit, or nothing.
var numbers = regexp.MustCompile(`^([+-]?[0-9.]+(e-[0-9]+)?( (s|%|trials?|earlier values?))?|-)$`)

// flush says which columns are set flush right: those that have nothing but numbers.
func flush(rows [][]string) []bool {
	all := make([]bool, len(rows[0]))
	for i := range all {
		all[i] = !slices.ContainsFunc(rows, func(r []string) bool { return !numbers.MatchString(r[i]) })
	}
	return all
}

// contents is what both kinds of pages have.
type contents struct {
	// Eyebrow says what is shown, Title what came of it, Size how much it is, and Good whether that is as it should be.
	Eyebrow, Title, Size string
	Good                 bool
	// First are the parts that a reader wants to see before the explorer of all trials, which is nil in a
	// page without one.
	First, Parts []part
	Explorer     *explorer

	Policy, Data template.HTML
	Style        template.CSS
	Script       template.JS
}

// part is one passage and what is drawn beside its rows.
type part struct {
	view.Passage
	// Drawn are as many as there are rows, or none, in a column of this title.
	DrawnTitle template.HTML
	Drawn      []template.HTML
}

// write fills a page.
func (p contents) write(w io.Writer, what string) error {
	p.Policy = page.Policy(p.Script)
	p.Style = template.CSS(page.Style()+drawing.Style()+style) + p.Style
	if err := tree.ExecuteTemplate(w, "page.tmpl", p); err != nil {
		return fmt.Errorf("writing %s as a page: %w", what, err)
	}
	return nil
}

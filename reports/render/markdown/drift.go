package markdown

import (
	"io"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/drift"
	"github.com/podclock/podclock/reports/view"
)

// Drift writes the formulas whose functions changed.
func Drift(w io.Writer, r drift.Report) error {
	var d Document
	d.Line("%s", r.Summary())
	formulas := func(ids []string) {
		codes := make([]string, len(ids))
		for i, id := range ids {
			codes[i] = view.Code(id)
		}
		d.Line("\n%s", strings.Join(codes, ", "))
	}
	if len(r.Gone) > 0 {
		d.Line("\n## Gone")
	}
	for _, g := range r.Gone {
		d.Line("\n%s", Escape(g.String()))
		formulas(g.Formulas)
	}
	if len(r.Changed) > 0 {
		d.Line("\n## Changed")
	}
	for _, f := range r.Changed {
		d.Line("\n### %s", view.Code(f.Name))
		formulas(f.Formulas)
		d.Line("")
		d.fenced("diff", f.Diff)
	}
	if len(r.Elsewhere) > 0 {
		d.Line("\n## Not compared\n\n%s", drift.ElsewhereNote)
		formulas(r.Elsewhere)
	}
	_, err := io.WriteString(w, d.String())
	return err
}

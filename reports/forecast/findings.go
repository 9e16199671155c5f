package forecast

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
)

var levelColours = map[findings.Level]text.Colors{
	findings.Error: {text.FgRed, text.Bold}, findings.Warning: {text.FgYellow}, findings.Note: {text.FgCyan},
}

// Findings tells what was found in a manifest alone, as compilers do: a line that begins with the place,
// and the documentation.
func Findings(w io.Writer, f Forecast, o TextOptions) error {
	if o.Columns == 0 {
		o.Columns = usualColumns
	}
	p := &part{TextOptions: o}
	for _, prediction := range f.Predictions {
		for _, found := range prediction.Findings {
			where := f.Manifest
			if found.Line > 0 {
				where = fmt.Sprintf("%s:%d", f.Manifest, found.Line)
			}
			p.line("%s: %s: %s: %s [%s]", where, p.level(found.Level), about(prediction, found), found.Says, found.Rule)
			p.line("    %s, see %s", found.Field, found.DocumentedAt)
		}
	}
	p.line("%s: %s, %s", f.Manifest, tally(f.findings()), f.rules())
	_, err := io.WriteString(w, p.b.String())
	return err
}

// findings are those about one workload, in the text about it.
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
		p.wrapped(2, fmt.Sprintf("%s: %s [%s]", p.level(f.Level), f.Says, f.Rule))
		p.line("    %s", where)
		p.line("    see %s", f.DocumentedAt)
	}
}

func (p *part) level(l findings.Level) string {
	if p.Colour {
		return levelColours[l].Sprint(string(l))
	}
	return string(l)
}

// about is what a finding is about: "Deployment shop/web, container app".
func about(p predict.Prediction, f findings.Finding) string {
	if f.Container == "" {
		return address(p)
	}
	return address(p) + ", container " + f.Container
}

// same says whether two windows are the same to a reader.
func same(a, b formula.Window) bool { return a.Earliest == b.Earliest && a.Latest == b.Latest }

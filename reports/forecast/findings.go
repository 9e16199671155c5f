package forecast

import (
	"fmt"
	"io"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
)

// Findings writes the findings in a manifest as compilers do: a line that begins with the place, and the
// documentation.
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

// findings writes the findings about one workload.
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

// about returns the object of a finding: "Deployment shop/web, container app".
func about(p predict.Prediction, f findings.Finding) string {
	if f.Container == "" {
		return address(p)
	}
	return address(p) + ", container " + f.Container
}

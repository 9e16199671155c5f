package forecast

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/podclock/podclock/harness/predict/findings"
)

// home is the project's page.
const home = "https://github.com/podclock/podclock"

// SARIF writes the findings in a manifest as SARIF 2.1.0, with all rules.
func SARIF(w io.Writer, f Forecast) error {
	run := sarif.NewRunWithInformationURI("podclock", home)
	for _, r := range findings.Rules() {
		run.AddRule(r.ID).WithDescription(r.Says).WithHelpURI(r.DocumentedAt).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(string(r.Level))).
			WithHelp(sarif.NewMultiformatMessageString().WithText(r.Says + " See " + r.DocumentedAt))
	}
	artifact := sarif.NewSimpleArtifactLocation((&url.URL{Path: filepath.ToSlash(f.Manifest)}).EscapedPath())
	for _, p := range f.Predictions {
		for _, found := range p.Findings {
			physical := sarif.NewPhysicalLocation().WithArtifactLocation(artifact)
			if found.Line > 0 {
				physical.WithRegion(sarif.NewSimpleRegion(found.Line, found.Line))
			}
			place := sarif.NewLocationWithPhysicalLocation(physical)
			place.LogicalLocations = []*sarif.LogicalLocation{
				sarif.NewLogicalLocation().
					WithFullyQualifiedName(about(p, found) + ": " + found.Field).
					WithName(found.Field).
					WithKind("member"),
			}
			run.CreateResultForRule(found.Rule).WithLevel(string(found.Level)).
				WithMessage(sarif.NewTextMessage(fmt.Sprintf("%s: %s.", about(p, found), found.Says))).
				WithLocations([]*sarif.Location{place})
		}
	}
	report := sarif.NewReport()
	report.AddRun(run)
	if err := report.PrettyWrite(w); err != nil {
		return fmt.Errorf("writing the findings in %s as SARIF: %w", f.Manifest, err)
	}
	return nil
}

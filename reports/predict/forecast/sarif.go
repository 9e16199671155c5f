package forecast

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/predict/manifest/source"
)

const home = "https://github.com/podclock/podclock"

// SARIF writes the findings in a manifest as SARIF 2.1.0, with all rules and the program's version.
func SARIF(w io.Writer, f Forecast, version string) error {
	run := toolRun(version)
	for _, r := range findings.Rules() {
		run.AddRule(r.ID).WithDescription(r.Description).WithHelpURI(r.DocumentedAt).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(r.Description)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(string(r.Level))).
			WithHelp(sarif.NewMultiformatMessageString().
				WithText(fmt.Sprintf("%s Fix: %s. See %s", r.Description, r.Fix, r.DocumentedAt)).
				WithMarkdown(fmt.Sprintf("%s\n\n**Fix**: %s.\n\n**Example**, in a pod's spec:\n\n```yaml\n%s```\n\n"+
					"[Documentation](%s)", r.Description, r.Fix, r.Example, r.DocumentedAt)))
	}
	for _, p := range f.Predictions {
		for _, found := range p.Findings {
			addResult(run, p, found)
		}
		for _, found := range p.Ignored {
			kind := "external"
			if found.InSource {
				kind = "inSource"
			}
			addResult(run, p, found.Finding).
				AddSuppression(sarif.NewSuppression().WithKind(kind).WithJustification(found.Reason))
		}
	}
	return writeRun(w, run)
}

func addResult(run *sarif.Run, p predict.Prediction, found findings.Finding) *sarif.Result {
	place := location(p.File, found.Line)
	place.LogicalLocations = []*sarif.LogicalLocation{
		sarif.NewLogicalLocation().
			WithFullyQualifiedName(about(p, found) + ": " + found.Field).
			WithName(found.Field).
			WithKind("member"),
	}
	return run.CreateResultForRule(found.Rule).WithLevel(string(found.Level)).
		WithMessage(sarif.NewTextMessage(fmt.Sprintf("%s: %s. Fix: %s.", about(p, found), found.Description,
			found.Fix))).
		WithLocations([]*sarif.Location{place})
}

// RefusedSARIF writes the errors of refused manifests as SARIF 2.1.0: the run failed, and has no results.
func RefusedSARIF(w io.Writer, all []error, version string) error {
	notes := []*sarif.Notification{}
	note := func(says string) *sarif.Notification {
		n := sarif.NewNotification().WithLevel("error").WithMessage(sarif.NewTextMessage(says))
		notes = append(notes, n)
		return n
	}
	for _, err := range all {
		invalid := (*manifest.Invalid)(nil)
		if !errors.As(err, &invalid) {
			note(err.Error())
			continue
		}
		for _, p := range invalid.Problems {
			note(p.String()).AddLocation(location(invalid.Name, p.Line))
		}
	}
	run := toolRun(version)
	run.Invocations = []*sarif.Invocation{
		sarif.NewInvocation().WithExecutionSuccessful(false).WithToolExecutionNotifications(notes),
	}
	return writeRun(w, run)
}

func toolRun(version string) *sarif.Run {
	run := sarif.NewRunWithInformationURI("podclock", home)
	run.Tool.Driver.WithVersion(version)
	return run
}

// location returns a line of a file, or the file if the line is 0.
func location(file string, line int) *sarif.Location {
	physical := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(uri(file)))
	if line > 0 {
		physical.WithRegion(sarif.NewSimpleRegion(line, line))
	}
	return sarif.NewLocationWithPhysicalLocation(physical)
}

// uri returns the URI of a file, an address or standard input. GitHub refuses a result without one. A relative one is
// below the repository's root.
func uri(file string) string {
	slashed := filepath.ToSlash(file)
	switch {
	case file == source.Name(source.StandardInput):
		return "stdin"
	case strings.HasPrefix(file, "https://"), strings.HasPrefix(file, "http://"):
		return file
	case filepath.IsAbs(file):
		return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(slashed, "/")}).String()
	}
	return (&url.URL{Path: path.Clean(slashed)}).String()
}

func writeRun(w io.Writer, run *sarif.Run) error {
	report := sarif.NewReport()
	report.AddRun(run)
	if err := report.PrettyWrite(w); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	return nil
}

// Package render makes the reports of a run. It names every format and arranges the run for them. It judges nothing,
// decides no layout and writes no file.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/conformance"
	"github.com/podclock/podclock/reports/render/github"
	"github.com/podclock/podclock/reports/render/html"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/openmetrics"
	"github.com/podclock/podclock/reports/view"
)

// Files in a run's folder beside those of package run.
const (
	MetricsFile     = "metrics.txt"
	SummaryFile     = "summary.md"
	AnnotationsFile = "annotations.txt"
)

// Options are what neither a run nor the catalogue knows. All may be empty.
type Options struct {
	Catalogue func() []trial.Trial
	github.JobSummaryOptions
	// Conformance has what conformance reports need beside the catalogue.
	Conformance conformance.Options
}

// View arranges a run for the formats. The divergences have commands if the options have a catalogue.
func (o Options) View(r run.Run) view.Overview {
	if o.Catalogue == nil {
		return view.OverviewOf(r, nil)
	}
	return view.OverviewOf(r, trial.Finder(o.Catalogue()))
}

// Scope names the folders that a format is written into.
type Scope int

const (
	// OnRequest is no folder: the user requests the format.
	OnRequest Scope = iota
	// OfRun is the folder of a single run.
	OfRun
	// OfSeries is also the folder of every run of a series.
	OfSeries
)

// Format is one kind of report.
type Format struct {
	// Name selects it, Description describes it.
	Name, Description string
	Scope             Scope
	// Files returns one file, or one for each subject. The view is that of [Options.View].
	Files func(v view.Overview, o Options) []File
}

// File is one file of a report. Its name is relative to the folder that it is written into.
type File struct {
	Name   string
	Render func(w io.Writer) error
}

// Formats returns all formats. [Find] returns one by its name.
func Formats() []Format {
	return []Format{
		{"html", "one page for people, which loads nothing", OfRun, one(html.File, renderHTML)},
		{"markdown", "every verdict and claim for people", OfSeries, one(run.MarkdownFile, plain(markdown.Run))},
		{"junit", "JUnit, with the measured numbers as properties", OfSeries, one(run.JUnitFile, plain(junit.Run))},
		{"conformance", "a conformance report of each subject, as YAML", OfRun, conformanceFiles},
		{"openmetrics", "OpenMetrics text", OfRun, one(MetricsFile, plain(openmetrics.Run))},
		{"summary", "a short page for a CI job, as Markdown", OfRun, one(SummaryFile, summary)},
		{"annotations", "problems as GitHub's commands", OnRequest, one(AnnotationsFile, plain(github.Annotations))},
	}
}

func plain(render func(io.Writer, view.Overview) error) func(io.Writer, view.Overview, Options) error {
	return func(w io.Writer, v view.Overview, _ Options) error { return render(w, v) }
}

// Names returns the names that [Find] knows, in the order of Formats.
func Names() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// Find returns the format of a name, or an error with the remedy.
func Find(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("there is no format %q: there are %s", name, strings.Join(Names(), ", "))
}

func one(
	name string, render func(io.Writer, view.Overview, Options) error,
) func(view.Overview, Options) []File {
	return func(v view.Overview, o Options) []File {
		return []File{{name, func(w io.Writer) error { return render(w, v, o) }}}
	}
}

func renderHTML(w io.Writer, v view.Overview, o Options) error {
	return html.Report(w, v, trial.Finder(o.Catalogue()))
}

func summary(w io.Writer, v view.Overview, o Options) error {
	return github.JobSummary(w, v, o.JobSummaryOptions)
}

// conformanceFiles returns none for a run of a manifest's trials: conformance is about the catalogue.
func conformanceFiles(v view.Overview, o Options) []File {
	if v.Run.Promises != nil {
		return nil
	}
	with := o.Conformance
	with.Catalogue = o.Catalogue()
	var files []File
	for _, s := range v.Run.Subjects {
		files = append(files, File{conformance.File(s.Name), func(w io.Writer) error {
			return conformance.Write(w, v.Run, s.Name, with)
		}})
	}
	return files
}

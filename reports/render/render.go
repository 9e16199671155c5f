// Package render makes the reports of a run. It names every format and gives the renderers the catalogue. It judges
// nothing and decides no layout.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/conformance"
	"github.com/podclock/podclock/reports/github"
	"github.com/podclock/podclock/reports/html"
	"github.com/podclock/podclock/reports/junit"
	"github.com/podclock/podclock/reports/markdown"
	"github.com/podclock/podclock/reports/openmetrics"
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
	// Before is an earlier run that the job summary compares with. Links are its links.
	Before *run.Run
	Links  []github.Link
	// Podclock is this revision, for conformance reports.
	Podclock string
	// Implementation is responsible for the subjects of published conformance reports. Numbers puts measured numbers
	// into them.
	Implementation *v1alpha1.Implementation
	Numbers        bool
}

// Format is one kind of report.
type Format struct {
	// Name selects it, Says describes it.
	Name, Says string
	// atEnd is true if only the end of a run writes it.
	atEnd bool
	// each returns one file, or one for each subject.
	each func(r run.Run, o Options) []File
}

type File struct {
	Name   string
	Render func(w io.Writer) error
}

func Formats() []Format {
	return []Format{
		{"html", "one page for people, which loads nothing", true, one(html.File, renderHTML)},
		{"markdown", "every verdict and claim for people", false, one(run.MarkdownFile, plain(markdown.Run))},
		{"junit", "JUnit, with the measured numbers as properties", false, one(run.JUnitFile, plain(junit.Run))},
		{"conformance", "a conformance report of each subject, as YAML", true, conformanceFiles},
		{"openmetrics", "OpenMetrics text", true, one(MetricsFile, plain(openmetrics.Run))},
		{"summary", "a short page for a CI job, as Markdown", true, one(SummaryFile, summary)},
		{"annotations", "problems as GitHub's commands", false, one(AnnotationsFile, plain(github.Annotations))},
	}
}

func plain(render func(io.Writer, run.Run) error) func(io.Writer, run.Run, Options) error {
	return func(w io.Writer, r run.Run, _ Options) error { return render(w, r) }
}

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

// Files returns the format's files of a run.
func (f Format) Files(r run.Run, o Options) []File { return f.each(r, o) }

func one(name string, render func(io.Writer, run.Run, Options) error) func(run.Run, Options) []File {
	return func(r run.Run, o Options) []File {
		return []File{{name, func(w io.Writer) error { return render(w, r, o) }}}
	}
}

func renderHTML(w io.Writer, r run.Run, o Options) error {
	find := Finder(o.Catalogue())
	return html.Report(w, r, html.Options{Catalogue: find, Settings: Settings(find)})
}

// Finder finds trials by ID.
func Finder(catalogue []trial.Trial) func(id string) (trial.Trial, bool) {
	all := map[string]trial.Trial{}
	for _, t := range catalogue {
		all[t.ID] = t
	}
	return func(id string) (trial.Trial, bool) {
		t, known := all[id]
		return t, known
	}
}

func summary(w io.Writer, r run.Run, o Options) error {
	return github.JobSummary(w, r, github.JobSummaryOptions{Before: o.Before, Links: o.Links})
}

func conformanceFiles(r run.Run, o Options) []File {
	catalogue := o.Catalogue()
	var files []File
	for _, s := range r.Subjects {
		files = append(files, File{conformance.File(s.Name), func(w io.Writer) error {
			return conformance.Write(
				w,
				r,
				s.Name,
				conformance.Options{
					Catalogue: catalogue, Podclock: o.Podclock, Implementation: o.Implementation,
					Numbers: o.Numbers,
				},
			)
		}})
	}
	return files
}

// Settings returns the setting that a run needs for a trial, or "".
func Settings(find func(id string) (trial.Trial, bool)) func(id string) string {
	return func(id string) string {
		if t, known := find(id); known && !session.Quick.Holds(t) {
			return "PROFILE=" + string(session.Full)
		}
		return ""
	}
}

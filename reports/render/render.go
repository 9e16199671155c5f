// Package render makes the reports of a run: it names every format that there is, and gives the renderers
// of package reports what a run does not know itself, the catalogue. It judges nothing, and decides nothing
// about how a report looks.
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

// The names of the files in a run's folder that [reports.Write] does not name.
const (
	MetricsFile     = "metrics.txt"
	SummaryFile     = "summary.md"
	AnnotationsFile = "annotations.txt"
)

// Options are what neither a run nor the catalogue knows. All of them may be left out.
type Options struct {
	// Catalogue returns all trials.
	Catalogue func() []trial.Trial
	// Before is an earlier run, by which the job summary knows what is new.
	Before *run.Run
	// Links are what the job summary leads to.
	Links []github.Link
	// Podclock is the revision of this code, for conformance reports.
	Podclock string
	// Implementation is who answers for the subjects, for conformance reports that are to be published;
	// Numbers puts every measured number into them.
	Implementation *v1alpha1.Implementation
	Numbers        bool
}

// Format is one kind of report.
type Format struct {
	// Name is how it is asked for, Says what it is in a few words.
	Name, Says string
	// atEnd says that a run's folder has it from the run's end on; reports.Write writes others before.
	atEnd bool
	// each has the files of a run: one, or one for each subject.
	each func(r run.Run, o Options) []File
}

// File is one file of a report.
type File struct {
	Name   string
	Render func(w io.Writer) error
}

// Formats are all of them.
func Formats() []Format {
	return []Format{
		{"html", "one page for people, which loads nothing", true, one(html.File, renderHTML)},
		{
			"markdown",
			"every verdict and claim for people",
			false,
			one(run.MarkdownFile,
				func(w io.Writer, r run.Run, _ Options) error { return markdown.Run(w, r) }),
		},
		{
			"junit",
			"JUnit, with the measured numbers as properties",
			false,
			one(run.JUnitFile, func(w io.Writer, r run.Run, _ Options) error { return junit.Run(w, r) }),
		},
		{"conformance", "a conformance report of each subject, as YAML", true, conformanceFiles},
		{
			"openmetrics",
			"OpenMetrics text",
			true,
			one(MetricsFile, func(w io.Writer, r run.Run, _ Options) error { return openmetrics.Run(w, r) }),
		},
		{"summary", "a short page for a CI job, as Markdown", true, one(SummaryFile, summary)},
		{
			"annotations",
			"what is wrong, as GitHub's workflow commands",
			false,
			one(AnnotationsFile,
				func(w io.Writer, r run.Run, _ Options) error { return github.Annotations(w, r) }),
		},
	}
}

// Names are those of all formats.
func Names() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// Find is the format of a name. The error is one line with the remedy.
func Find(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("there is no format %q: there are %s", name, strings.Join(Names(), ", "))
}

// Files are the format's files of a run.
func (f Format) Files(r run.Run, o Options) []File { return f.each(r, o) }

// one is a format that has one file.
func one(name string, render func(io.Writer, run.Run, Options) error) func(run.Run, Options) []File {
	return func(r run.Run, o Options) []File {
		return []File{{name, func(w io.Writer) error { return render(w, r, o) }}}
	}
}

func renderHTML(w io.Writer, r run.Run, o Options) error {
	find := Finder(o.Catalogue())
	return html.Report(w, r, html.Options{Catalogue: find, Settings: Settings(find)})
}

// Finder finds trials by their IDs in a catalogue that is made once.
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

// conformanceFiles has a file for each subject.
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
					Catalogue:      catalogue,
					Podclock:       o.Podclock,
					Implementation: o.Implementation,
					Numbers:        o.Numbers,
				},
			)
		}})
	}
	return files
}

// Settings tells the setting without which a run would not have a trial, empty where there is none.
func Settings(find func(id string) (trial.Trial, bool)) func(id string) string {
	return func(id string) string {
		if t, known := find(id); known && !session.Quick.Holds(t) {
			return "PROFILE=" + string(session.Full)
		}
		return ""
	}
}

// Package conformance makes the conformance report of one subject of a run, by the types of
// reports/apis/v1alpha1. It knows no renderer for people.
package conformance

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// Options are what a run does not know itself.
type Options struct {
	// Catalogue is every trial there is. A trial that was not selected keeps its area from being a success.
	Catalogue []trial.Trial
	// Podclock is the revision of this code, whose formulas and judge the report rests on; empty where the
	// build does not know it.
	Podclock string
	// Implementation is who answers for the subject, nil where the report is not to be published.
	Implementation *v1alpha1.Implementation
	// Numbers puts the measured numbers of every trial in, with their windows.
	Numbers bool
}

// Conformance is the conformance report of one subject of a run. Its profiles are the areas of the catalogue.
//
// The run is judged again first, from what it recorded: the report says which formulas its results rest on,
// so they must be those that the catalogue has now, and not those of the revision that ran it. What the run
// itself had come to another verdict of is listed. An error names the trial that the catalogue has not.
func Conformance(r run.Run, subject string, o Options) (v1alpha1.TimingConformanceReport, error) {
	saved, err := series.Only(r, subject)
	if err != nil {
		return v1alpha1.TimingConformanceReport{}, fmt.Errorf("making a conformance report: %w", err)
	}
	asked, err := planOf(saved, o.find)
	if err != nil {
		return v1alpha1.TimingConformanceReport{}, fmt.Errorf(
			"making the conformance report of %s in run %s: %w",
			subject,
			r.ID,
			err,
		)
	}
	part, _ := run.Rejudge(saved, o.find)
	s := part.Subject(subject)
	report := v1alpha1.TimingConformanceReport{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind,
		Date: concluded(r), Run: r.ID, Mode: r.Profile, PlanDigest: asked.digest(),
		Subject:        conformance(s),
		Implementation: o.Implementation,
		Environment: v1alpha1.Environment{
			Podclock:    r.Environment.Podclock,
			Go:          r.Environment.Go,
			Kernel:      r.Environment.Kernel,
			CPUs:        r.Environment.CPUs,
			Engine:      r.Environment.Engine,
			NodeImage:   r.Environment.NodeImage,
			Components:  r.Environment.Components,
			Adaptations: r.Environment.Adaptations,
		},
		Oracle:   asked.oracle(),
		Problems: r.Problems,
	}
	if r.Reported.IsZero() {
		report.Problems = append(slices.Clone(r.Problems), "the run did not come to its end")
	}
	report.Oracle.Podclock, report.Oracle.Changed = cmp.Or(o.Podclock, "unknown"), judgedOtherwise(saved, part)
	report.Oracle.Extrapolated = view.Extrapolated(part)
	report.Profiles, report.SkippedProfiles = profiles(part, s, o.Catalogue)
	for _, d := range view.DivergencesOf(part, view.DivergencesOptions{}) {
		report.Divergences = append(report.Divergences, divergenceEntry(d))
	}
	if o.Numbers {
		report.Trials = numbers(part)
	}
	report.Conclude()
	return report, nil
}

// Write writes the conformance report of one subject as YAML. What is not valid is not written.
func Write(w io.Writer, r run.Run, subject string, o Options) error {
	report, err := Conformance(r, subject, o)
	if err != nil {
		return err
	}
	text, err := v1alpha1.Write(report)
	if err != nil {
		return fmt.Errorf("making the conformance report of run %s: %w", r.ID, err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("writing the conformance report of %s in run %s: %w", subject, r.ID, err)
	}
	return nil
}

// File is the name of a subject's conformance report in the run's folder.
func File(subject string) string {
	return "conformance-" + run.InFileName(subject) + ".yaml"
}

// find is the catalogue as [Rejudge] asks for it.
func (o Options) find(id string) (trial.Trial, bool) {
	i := slices.IndexFunc(o.Catalogue, func(t trial.Trial) bool { return t.ID == id })
	if i < 0 {
		return trial.Trial{}, false
	}
	return o.Catalogue[i], true
}

// judgedOtherwise returns the trials whose verdict changed when the run was judged again.
func judgedOtherwise(saved, judged run.Run) []string {
	var all []string
	for i, o := range judged.Outcomes {
		if was := saved.Outcomes[i].Verdict; was != o.Verdict {
			all = append(all, fmt.Sprintf("%s: was %s, now %s", o.Trial, was, o.Verdict))
		}
	}
	return all
}

// concluded is when the last verdict was there, else when the run began; empty where the run knows neither.
func concluded(r run.Run) string {
	at := r.Reported
	if at.IsZero() {
		at = r.Started
	}
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// conformance describes the subject.
func conformance(s run.Subject) v1alpha1.Subject {
	described := v1alpha1.Subject{
		Name:          s.Name,
		Lane:          string(s.RanIn()),
		Mutation:      s.Mutation,
		Reported:      s.Reported,
		Configuration: digestOfJSON(s.Configuration),
	}
	if s.Kubelet.Valid() {
		described.Kubelet = s.Kubelet.Version
	}
	return described
}

// divergenceEntry describes a divergence.
func divergenceEntry(d view.Divergence) v1alpha1.Divergence {
	return v1alpha1.Divergence{
		Formula:     d.Formula,
		Implemented: d.Says,
		Source:      d.Source,
		Documented:  d.Promise,
		Page:        d.Page,
		Measured:    d.Gap,
		Trials:      d.Trials(),
		Issues:      issues(d),
	}
}

// issues are the references of a divergence one by one; a text that has none stands for itself.
func issues(d view.Divergence) []string {
	var all []string
	for _, text := range d.Issues {
		switch found := detection.IssuePattern.FindAllString(text, -1); {
		case len(found) > 0:
			all = append(all, found...)
		case !view.NoIssue(text):
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

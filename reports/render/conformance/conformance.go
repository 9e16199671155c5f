// Package conformance makes the conformance report of one subject of a run with the types of
// reports/apis/v1alpha1. It knows no renderer for people.
package conformance

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// Options are facts that a run does not record.
type Options struct {
	// Catalogue is every known trial. An area with a trial that was not selected is no success.
	Catalogue []trial.Trial
	// Podclock is the revision of the program, and thus of its formulas and judge. It is empty if the build has
	// no revision.
	Podclock string
	// Implementation identifies who publishes the report. It is nil for an unpublished one.
	Implementation *v1alpha1.Implementation
	// Numbers adds the measured numbers and windows of every trial.
	Numbers bool
}

// Conformance makes the report of one subject of a run. The report's profiles are the areas of the catalogue.
//
// It judges the recorded run again first. The report names the formulas of its results, so they must be those
// of the present catalogue. It lists the trials whose verdict changed. A trial that was another one when it ran is
// inconclusive. An error names a trial that the
// catalogue does not have.
func Conformance(r run.Run, subject string, o Options) (v1alpha1.TimingConformanceReport, error) {
	saved, err := series.Only(r, subject)
	if err != nil {
		return v1alpha1.TimingConformanceReport{}, fmt.Errorf("making a conformance report: %w", err)
	}
	find := trial.Finder(o.Catalogue)
	asked, err := planOf(saved, find)
	if err != nil {
		return v1alpha1.TimingConformanceReport{}, fmt.Errorf("making the conformance report of %s in run %s: %w",
			subject, r.ID, err)
	}
	part, _ := run.Rejudge(saved, find)
	for i := range part.Outcomes {
		if was := &part.Outcomes[i]; was.Kept != "" { // its verdict is that of another trial
			was.Verdict, was.Why, was.Attempts = trial.Inconclusive, was.Kept, nil
		}
	}
	s := part.Subject(subject)
	report := v1alpha1.TimingConformanceReport{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind,
		Date: concluded(r), Run: r.ID, Mode: r.Profile, PlanDigest: asked.digest(),
		Subject:        conformance(r, s),
		Implementation: o.Implementation,
		Environment: v1alpha1.Environment{
			Podclock: r.Environment.Podclock, Go: r.Environment.Go, Kernel: r.Environment.Kernel,
			CPUs: r.Environment.CPUs, Engine: r.Environment.Engine, NodeImage: r.Environment.NodeImage,
			Components: r.Environment.Components, Adaptations: r.Environment.Adaptations,
		},
		Oracle:   asked.oracle(),
		Problems: r.Problems,
	}
	if r.Reported.IsZero() {
		report.Problems = append(slices.Clone(r.Problems), "the run did not end")
	}
	var group map[string]string
	if nodes := report.Subject.Nodes; s.Group != "" {
		group = map[string]string{"NODES": strings.Join(nodes, ",")}
	}
	report.Environment.Command = r.Environment.Command(group)
	report.Oracle.Podclock, report.Oracle.Changed = cmp.Or(o.Podclock, "unknown"), judgedOtherwise(saved, part)
	report.Oracle.Extrapolated = view.Extrapolated(part)
	report.Profiles, report.SkippedProfiles = profiles(part, s, o.Catalogue)
	for _, d := range view.DivergencesOf(part, nil) {
		report.Divergences = append(report.Divergences, divergenceEntry(d))
	}
	if o.Numbers {
		report.Trials = numbers(part)
	}
	report.Conclude()
	return report, nil
}

// Write writes the conformance report of one subject as YAML. It returns an error instead of writing an invalid
// report.
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

// judgedOtherwise returns the trials whose verdict changed when the run was judged again.
func judgedOtherwise(saved, judged run.Run) []string {
	was := map[string]trial.Verdict{}
	for _, o := range saved.Outcomes {
		was[o.Trial] = o.Verdict
	}
	var all []string
	for _, o := range judged.Outcomes {
		if before, known := was[o.Trial]; known && before != o.Verdict {
			all = append(all, fmt.Sprintf("%s: was %s, now %s", o.Trial, before, o.Verdict))
		}
	}
	return all
}

// concluded returns the time of the last verdict, else the start of the run, else "".
func concluded(r run.Run) string {
	at := cmp.Or(r.Reported, r.Started)
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// none is what a report names instead of a provider or a distribution.
const none = "none"

// conformance describes the subject.
func conformance(r run.Run, s run.Subject) v1alpha1.Subject {
	described := v1alpha1.Subject{
		Name: s.Name, Lane: string(s.RanIn()), Mutation: s.Mutation, Reported: s.Reported,
		Configuration: digestOfJSON(s.Configuration),
	}
	if s.Kubelet.Valid() {
		described.Kubelet = s.Kubelet.Version
	}
	if n := s.System; n != nil {
		described.System = &v1alpha1.System{
			Provider: cmp.Or(n.Provider, none), Runtime: n.Runtime, OS: n.OS, Kernel: n.Kernel,
			Distribution: cmp.Or(distribution(n.Kubelet, s.Mutation), none), Architecture: n.Architecture,
		}
	}
	if described.Group = s.Group; s.Group == "" {
		if s.RanIn() == run.NodeLane && s.Node != "" {
			described.Nodes = []string{s.Node}
		}
		return described
	}
	for _, other := range r.Subjects {
		if other.Group == s.Group {
			described.Nodes = append(described.Nodes, other.Node)
		}
	}
	return described
}

// distribution returns what a kubelet's version adds to its release, but no mutation of podclock's.
func distribution(version, mutation string) string {
	added := strings.TrimLeft(strings.TrimPrefix(version, formula.Release(version)), "+-")
	if added == mutation {
		return ""
	}
	return added
}

// divergenceEntry describes a divergence.
func divergenceEntry(d view.Divergence) v1alpha1.Divergence {
	return v1alpha1.Divergence{
		Formula: d.Formula, Implemented: d.Description, Source: d.Source, Documented: d.Promise, Page: d.Page,
		Measured: d.Gap,
		Trials:   d.Trials(), Issues: issues(d),
	}
}

// issues splits the references of a divergence. A text without references is returned whole.
func issues(d view.Divergence) []string {
	var all []string
	for _, text := range d.Issues {
		switch found := mutationtest.IssuePattern.FindAllString(text, -1); {
		case len(found) > 0:
			all = append(all, found...)
		case !view.NoIssue(text):
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

package reports

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
)

// ConformanceOptions are what a run does not know itself.
type ConformanceOptions struct {
	// Catalogue is every trial there is. A trial that was not selected keeps its area from being a success.
	Catalogue []trial.Trial
	// Implementation is who answers for the subject, nil where the report is not to be published.
	Implementation *v1alpha1.Implementation
	// Numbers puts the measured numbers of every trial in, with their windows.
	Numbers bool
}

// Conformance is the conformance report of one subject of a run. Its profiles are the areas of the catalogue. The run must have been judged by the same
// catalogue: an error names what is not in it.
func Conformance(r Run, subject string, o ConformanceOptions) (v1alpha1.TimingConformanceReport, error) {
	part := r.on(subject)
	if len(part.Subjects)+len(part.Outcomes) == 0 {
		return v1alpha1.TimingConformanceReport{}, fmt.Errorf("run %s has no subject %s: it has %s", r.ID, subject, strings.Join(r.subjectNames(), ", "))
	}
	asked, err := part.plan(o.Catalogue)
	if err != nil {
		return v1alpha1.TimingConformanceReport{}, fmt.Errorf("making the conformance report of %s in run %s: %w", subject, r.ID, err)
	}
	s := part.subject(subject)
	report := v1alpha1.TimingConformanceReport{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind,
		Date: r.concluded(), Run: r.ID, Mode: r.Profile, PlanDigest: asked.digest(),
		Subject:        s.conformance(),
		Implementation: o.Implementation,
		Environment: v1alpha1.Environment{
			Kernel: r.Environment.Kernel, CPUs: r.Environment.CPUs, Engine: r.Environment.Engine, NodeImage: r.Environment.NodeImage,
			Components: r.Environment.Components, Adaptations: r.Environment.Adaptations,
		},
		Oracle:   asked.oracle(),
		Problems: r.Problems,
	}
	report.Oracle.Podclock, report.Oracle.Go = cmp.Or(r.Environment.Podclock, "unknown"), r.Environment.Go
	report.Oracle.Extrapolated = part.extrapolated()
	report.Profiles, report.SkippedProfiles = part.profiles(s, o.Catalogue)
	for _, d := range divergences(part) {
		report.Divergences = append(report.Divergences, d.conformance())
	}
	if o.Numbers {
		report.Trials = part.numbers()
	}
	report.Conclude()
	return report, nil
}

// WriteConformance writes the conformance report of one subject as YAML. What is not valid is not written.
func WriteConformance(w io.Writer, r Run, subject string, o ConformanceOptions) error {
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

// ConformanceFile is the name of a subject's conformance report in the run's folder.
func ConformanceFile(subject string) string {
	name := DeviationFile(Outcome{Trial: "conformance", Subject: subject}) // what a file can be called after a subject
	return strings.TrimSuffix(name, filepath.Ext(name)) + ".yaml"
}

// on is the run as far as it is about one subject.
func (r Run) on(subject string) Run {
	r.Subjects = slices.DeleteFunc(slices.Clone(r.Subjects), func(s Subject) bool { return s.Name != subject })
	r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool { return o.Subject != subject })
	return r
}

// subjectNames are those of the run, in its order.
func (r Run) subjectNames() []string {
	var names []string
	for _, b := range r.blocks() {
		names = append(names, b.subject.Name)
	}
	return names
}

// concluded is when the last verdict was there, else when the run began; empty where the run knows neither.
func (r Run) concluded() string {
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
func (s Subject) conformance() v1alpha1.Subject {
	described := v1alpha1.Subject{Name: s.Name, Lane: string(s.lane()), Mutation: s.Mutation, Reported: s.Reported, Configuration: digestOfJSON(s.Configuration)}
	if s.Kubelet.Valid() {
		described.Kubelet = s.Kubelet.Version
	}
	return described
}

// conformance describes a divergence.
func (d divergence) conformance() v1alpha1.Divergence {
	return v1alpha1.Divergence{
		Formula: d.formula, Implemented: d.says, Source: d.source, Documented: d.promise, Page: d.page, Measured: d.gap(), Trials: d.trials(),
		Issues: d.issues(),
	}
}

// issues are the references of a divergence one by one; a text that has none stands for itself.
func (d divergence) issues() []string {
	var all []string
	for _, text := range d.references() {
		switch found := reference.FindAllString(text, -1); {
		case len(found) > 0:
			all = append(all, found...)
		case text != formula.NoIssueKnown:
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

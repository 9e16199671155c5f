// Package manifest reads manifests as an API server does: it decodes them strictly into Kubernetes' own types,
// fills in the API's defaults, and refuses what the API server's validation refuses.
//
// It covers the fields that predictions read, by the rules of Kubernetes v1.36.3. k8s.io/kubernetes cannot be a
// dependency; tests of the virtual node check that the two agree. The package knows no formulas and no predictions.
package manifest

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Manifest is the content of a stream of valid documents.
type Manifest struct {
	Objects     []Object
	Budgets     []Budget
	Autoscalers []Autoscaler
	Services    []Service
	Skipped     []Skipped
}

// Template is where custom resources of a kind have a pod template. A kind may have several.
type Template struct {
	Group, Kind string
	// Path is a field path such as "spec.workers[*].template". An asterisk means every item of a list.
	Path string
	// known is set if podclock, not the user, names the path. Some objects of the kind have no template.
	known bool
}

// Job is a Job, or those that a CronJob makes.
type Job struct {
	// JobSpec has the API server's defaults, but no template: the object has the pod.
	batchv1.JobSpec
	// Replaced is set if the CronJob's next run deletes the pods of the last one (concurrencyPolicy Replace).
	Replaced bool
	// CronSuspended is set if the CronJob makes no Jobs now (suspend).
	CronSuspended bool
}

// AtOnce returns how many pods of a Job run at the same time, at least 1 (pkg/controller/job/job_controller.go
// manageJob, wantActive). The Job has the API server's defaults.
func (j Job) AtOnce() int {
	most := *j.Parallelism
	if j.Completions != nil {
		most = min(most, *j.Completions)
	}
	return max(1, int(most))
}

// Add adds the content of another stream.
func (m *Manifest) Add(other Manifest) {
	m.Objects = append(m.Objects, other.Objects...)
	m.Budgets, m.Autoscalers = append(m.Budgets, other.Budgets...), append(m.Autoscalers, other.Autoscalers...)
	m.Services = append(m.Services, other.Services...)
	for _, s := range other.Skipped {
		m.skip(s)
	}
}

// ServicesOf returns those that select an object's pods. Of several with one name, the last counts.
func (m Manifest) ServicesOf(o Object) (all []Service) {
	for i, s := range m.Services {
		same := func(other Service) bool { return other.Namespace == s.Namespace && other.Name == s.Name }
		if s.Namespace == o.Namespace && s.selector.Matches(labels.Set(o.Pod.Labels)) &&
			!slices.ContainsFunc(m.Services[i+1:], same) {
			all = append(all, s)
		}
	}
	return all
}

func (m *Manifest) skip(s Skipped) {
	i := slices.IndexFunc(m.Skipped, func(known Skipped) bool {
		return known.Kind == s.Kind && known.Unknown == s.Unknown && known.Files == s.Files
	})
	if i < 0 {
		m.Skipped = append(m.Skipped, s)
	} else {
		m.Skipped[i].Count += s.Count
	}
}

// Skipped counts objects of one kind that make no pods, or whose kind is not one of Kubernetes. Or it counts files that
// are no manifests.
type Skipped struct {
	Kind    string
	Unknown bool
	Files   bool
	Count   int
}

// Object is one object that makes pods.
type Object struct {
	// File is the name of its manifest. Document counts its documents that are not empty, from 1. Line is the object's
	// first one, from 1, or 0 if it is not known.
	File     string
	Document int
	Line     int
	// Namespace may be empty. Name has an asterisk after a generateName.
	APIVersion, Kind, Namespace, Name string
	// Annotations are the object's own and its pod template's, which prevail.
	Annotations map[string]string
	// Pod has the API's defaults, but no suffix of its name.
	Pod *corev1.Pod
	// PodPath is the field path of the pod's spec, such as "items[2].spec.template.spec".
	PodPath string
	// Job is nil for what is neither a Job nor a CronJob.
	Job *Job
	// StopSignals are the containers whose lifecycle.stopSignal the API server drops, by its default feature gates.
	StopSignals []string
	// Controller is nil for what neither keeps nor replaces pods, or is a custom resource.
	Controller *Controller

	// nil for an object of a cluster
	lines *lines
}

// LineOf returns the stream's line of a field of the object, or of its nearest parent in the manifest.
func (o Object) LineOf(path string) int {
	if o.lines == nil {
		return 0
	}
	return o.lines.of(path)
}

// DropLines removes the lines, which an object of a cluster does not have.
func (o *Object) DropLines() { o.Line, o.lines = 0, nil }

// Revision reports whether the pod is one of Knative, whose queue-proxy carries out the readiness probe, and whose
// grace period has another name.
func (o Object) Revision() bool { return strings.HasPrefix(o.APIVersion, Knative+"/") }

const maxShown = 20

// Problem is one error in a manifest.
type Problem struct {
	// Document is from 1, as in [Object].
	Document int
	// Line is from 1, or 0 if the line is not known.
	Line int
	// Object is the kind and name, as far as they could be read.
	Object string
	// Field is the field's path; empty if the problem is not about one field.
	Field string
	// Wrong is the problem and its remedy.
	Wrong string
}

// String writes the problem in one line.
func (p Problem) String() string {
	var b strings.Builder
	if p.Document > 0 {
		fmt.Fprintf(&b, "document %d", p.Document)
		if p.Line > 0 {
			fmt.Fprintf(&b, ", line %d", p.Line)
		}
		b.WriteString(": ")
	}
	for _, part := range []string{p.Object, p.Field} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	return b.String() + p.Wrong
}

// Invalid is the error of a manifest with problems.
type Invalid struct {
	Name     string
	Problems []Problem
}

// Error lists the problems, up to maxShown.
func (e *Invalid) Error() string {
	if len(e.Problems) == 1 {
		return fmt.Sprintf("%s: %s", e.Name, e.Problems[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d problems; nothing is predicted until they are solved", e.Name, len(e.Problems))
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-maxShown)
			break
		}
		fmt.Fprintf(&b, "\n  %s", p)
	}
	return b.String()
}

// Other is the error of a file that is no manifest, such as a "template to render". It may lie beside manifests.
type Other struct {
	What string
	Err  error
}

func (o Other) Error() string { return o.Err.Error() }

// Unwrap returns the problems.
func (o Other) Unwrap() error { return o.Err }

type reading struct {
	name      string
	templates []Template
	served    bool // by an API server, whose unknown fields are ignored
	found     Manifest
	problems  []Problem
	// other is what the document is if it is part of an [Other]. empty is set if it has nothing.
	other string
	empty bool
}

func (r *reading) wrong(at place, field, what string) {
	path, document := at.in(field), at.lines.document.number
	r.problems = append(r.problems,
		Problem{Document: document, Line: at.lines.of(path), Object: at.object, Field: path, Wrong: what})
}

type place struct {
	lines *lines
	// empty, or "items[2]" of a list
	path   string
	object string
	// the path of a custom resource's pod template, which is read as the field "template" of another kind
	template string
}

func (p place) in(field string) string {
	if below, is := strings.CutPrefix(field, "template"); is && p.template != "" {
		field = p.template + below
	}
	switch {
	case p.path == "":
		return field
	case field == "" || strings.HasPrefix(field, "["):
		return p.path + field
	}
	return p.path + "." + field
}

func (p place) item(i int, object string) place {
	return place{lines: p.lines, path: p.in(fmt.Sprintf("items[%d]", i)), object: object}
}

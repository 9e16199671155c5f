package v1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Publishable returns what a valid report lacks to be published: others must be able to repeat the run on the same kind
// of node with the same podclock, to see its numbers, and to ask somebody.
func (r TimingConformanceReport) Publishable() field.ErrorList {
	v := &validation{}
	subject, environment := field.NewPath("subject"), field.NewPath("environment")
	if r.Implementation == nil {
		v.add(field.Required(field.NewPath("implementation"), "name who is responsible, with --implementation"))
	}
	if r.Subject.Lane != NodeLane {
		v.add(field.Invalid(subject.Child("lane"), r.Subject.Lane, noNode))
	}
	if r.Subject.Mutation != "" {
		v.add(field.Invalid(subject.Child("mutation"), r.Subject.Mutation, "this kubelet is wrong on purpose"))
	}
	needs := func(at *field.Path, has bool, why string) {
		if !has {
			v.add(field.Required(at, why))
		}
	}
	system := subject.Child("system")
	if s := r.Subject.System; s == nil {
		needs(system, false, "this run is of a podclock that did not record it")
	} else {
		needs(system.Child("provider"), s.Provider != "", "it is none if the node has no provider ID")
		needs(system.Child("distribution"), s.Distribution != "",
			"it is none if the version adds nothing to its release")
	}
	needs(subject.Child("configuration"), r.Subject.Configuration != "",
		"the run could not read it: allow `get nodes/proxy`, see podclock rbac")
	needs(subject.Child("group"), r.Subject.Group != "" || r.Environment.NodeImage != "",
		"say what the nodes have in common, or name the environment.nodeImage of podclock's own cluster")
	needs(subject.Child("nodes"), len(r.Subject.Nodes) > 0, "name the nodes of the subject's group")
	needs(environment.Child("command"), r.Environment.Command != "",
		"name the command that repeats the run: podclock report writes it from the run's settings")
	v.revision(environment.Child("podclock"), r.Environment.Podclock)
	v.revision(field.NewPath("oracle", "podclock"), r.Oracle.Podclock)
	if len(r.Trials) == 0 {
		v.add(field.Required(field.NewPath("trials"), "add the measured numbers, with --numbers"))
	}
	return v.errors
}

// revision requires a revision that others can have as well.
func (v *validation) revision(at *field.Path, value string) {
	if value == "" || value == "unknown" || strings.HasSuffix(value, "-dirty") {
		v.add(field.Invalid(at, value, "it is the revision of a podclock without own changes"))
	}
}

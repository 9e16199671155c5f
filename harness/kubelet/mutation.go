package kubelet

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"
)

// Component is the program whose code a mutation changes.
type Component string

// The components. What of other modules is compiled into a component is part of it: client-go's back-off is
// the kubelet's.
const (
	TheKubelet           Component = "kubelet"
	TheAPIServer         Component = "kube-apiserver"
	TheControllerManager Component = "kube-controller-manager"
)

// Mutation is one change of a component's source that breaks one formula, or mends a place where the code
// parts from its documentation.
type Mutation struct {
	// Name is how a subject asks for it: lower case letters, digits and dashes, as semantic versions and
	// DNS labels allow.
	Name string
	// Component is whose code it is.
	Component Component
	// Module is the module that the file is in; empty is k8s.io/kubernetes.
	Module string
	// File is the file, relative to the module.
	File string
	// Within is the top-level declaration that is changed, written as go doc does: "Func", "Type.Method", or the name
	// of a constant or variable.
	Within string
	// Now is the code to be replaced, Mutant what takes its place. Now must stand in Within exactly once; spaces, line
	// breaks and comments do not matter.
	Now, Mutant string
	// Breaks says, in plain words, which formula the mutant breaks and what it does instead.
	Breaks string
	// Formula is the ID of the formula of package formula that is broken: the trials that measure it are
	// those that should notice.
	Formula string
	// Mends says that the mutant does what the documentation promises where the released code does not. It
	// is caught where a divergence is gone.
	Mends bool
	// Unseen is why no observer outside the process could tell the mutant from the released code; empty
	// where one can. Such a mutant counts for nothing, but is run like the others: being caught would prove
	// the reason wrong.
	Unseen string
	// Unmeasured is why no trial measures what the mutant breaks, though an observer could see it. Such a
	// mutant counts like any other: as a survivor, for now.
	Unmeasured string
	// Versions are the kubelets whose source the mutation was written for.
	Versions Range
	// Reference is the report or change that tells that somebody really wrote this bug, if there is one,
	// such as "kubernetes#53530".
	Reference string
}

// Since when a source reads as it does now, where nothing more is known of it, in steps of the releases
// that can be built: what is older than the first was not looked at.
var (
	since123 = Range{From: "v1.23.0"}
	since134 = Range{From: "v1.34.0"}
	since135 = Range{From: "v1.35.0"}
)

// Range is a range of versions. An empty bound is open.
type Range struct {
	// From is the first version, Before the first one after the range.
	From, Before string
}

// Contains says whether a version is in the range.
func (r Range) Contains(version string) bool {
	return (r.From == "" || semver.Compare(version, r.From) >= 0) &&
		(r.Before == "" || semver.Compare(version, r.Before) < 0)
}

func (r Range) String() string {
	switch {
	case r.From == "" && r.Before == "":
		return "of every version"
	case r.Before == "":
		return "from " + r.From
	case r.From == "":
		return "before " + r.Before
	default:
		return fmt.Sprintf("from %s and before %s", r.From, r.Before)
	}
}

// Component is the program that is built for the subject, or that the mutation is in, where it is built
// into a virtual node.
func (s Subject) Component() Component {
	m, _ := findMutation(s.Mutation)
	return cmp.Or(m.Component, TheKubelet)
}

// module is where the mutation's file is.
func (m Mutation) module() string { return cmp.Or(m.Module, module) }

// Mutations are the known mutations, by what they break.
func Mutations() []Mutation {
	return slices.Concat(
		proberMutations(),
		killMutations(),
		podWorkerMutations(),
		crashLoopMutations(),
		evictionMutations(),
		controlPlaneMutations(),
	)
}

func findMutation(name string) (Mutation, bool) {
	for _, m := range Mutations() {
		if m.Name == name {
			return m, true
		}
	}
	return Mutation{}, false
}

func mutationNames() []string {
	var names []string
	for _, m := range Mutations() {
		names = append(names, m.Name)
	}
	return names
}

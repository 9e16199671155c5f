// Package mutation holds the mutations: changes of one place in the source of Kubernetes, as data.
// Each breaks one formula, so a trial that measures the formula should notice a mutant.
//
// A mutation must match its source exactly once. Otherwise nothing is built. The package knows nothing of builds,
// subjects, trials or measurements.
package mutation

import (
	"cmp"
	"fmt"

	"golang.org/x/mod/semver"
)

// Component is a program of Kubernetes.
type Component string

// The components. A module that is compiled into a component is part of it: client-go's back-off is the kubelet's. No
// mutation changes the scheduler.
const (
	Kubelet           Component = "kubelet"
	APIServer         Component = "kube-apiserver"
	ControllerManager Component = "kube-controller-manager"
	Scheduler         Component = "kube-scheduler"
)

// Kubernetes is the module of the kubelet and of the other components.
const Kubernetes = "k8s.io/kubernetes"

// Mutation is one change of a component's source. It breaks one formula, or repairs code that differs from its
// documentation.
type Mutation struct {
	// Name is what a subject has after its version: lower-case letters, digits and dashes.
	Name string
	// Component is the program that contains the code.
	Component Component
	// Module is the module of the file. Empty: k8s.io/kubernetes.
	Module string
	// File is the file, relative to the module.
	File string
	// Within is the changed top-level declaration as go doc writes it: "Func", "Type.Method", or a constant or
	// variable.
	Within string
	// Now is the code to replace, Mutant its replacement. Now occurs in Within exactly once; spaces and comments do not
	// matter.
	Now, Mutant string
	// Breaks is what the reference does, and what the mutant does instead.
	Breaks string
	// Formula is the ID of the broken formula.
	Formula string
	// Repairs reports that only the mutant does what the documentation promises. It is killed when a divergence
	// disappears.
	Repairs bool
	// Equivalent is why no observer outside the process can distinguish the mutant from the reference. The
	// mutation report runs such a mutant but does not count it.
	Equivalent string
	// Versions are the versions whose source the mutation was written for.
	Versions Range
	// Reference is a report or a change that shows that this bug existed, such as "kubernetes#53530", or empty.
	Reference string
	// value reports that the mutation changes a constant.
	value bool
}

// The first releases with the source as it is now. Releases between two steps, and before the first, were not read.
var (
	since123 = Range{From: "v1.23.0"}
	since132 = Range{From: "v1.32.0"}
	since133 = Range{From: "v1.33.0"}
	since134 = Range{From: "v1.34.0"}
	since135 = Range{From: "v1.35.0"}
	since136 = Range{From: "v1.36.0"}
	since137 = Range{From: "v1.37.0"}
)

// Range is a range of versions. An empty bound is open.
type Range struct {
	// From is the first version of the range, Before the first version after it.
	From, Before string
}

// Contains reports whether a version is in the range.
func (r Range) Contains(version string) bool {
	return (r.From == "" || semver.Compare(version, r.From) >= 0) &&
		(r.Before == "" || semver.Compare(version, r.Before) < 0)
}

// String returns the range in words, such as "from v1.34.0".
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

// with returns mutations that have the values of common in their empty fields.
func with(common Mutation, all []Mutation) []Mutation {
	for i := range all {
		m := &all[i]
		m.Component = cmp.Or(m.Component, common.Component)
		m.Module = cmp.Or(m.Module, common.Module)
		m.File = cmp.Or(m.File, common.File)
		m.Within = cmp.Or(m.Within, common.Within)
		m.Formula = cmp.Or(m.Formula, common.Formula)
		m.Versions = cmp.Or(m.Versions, common.Versions)
	}
	return all
}

// constant returns the mutation of a constant: Now and Mutant are its values.
func constant(m Mutation) Mutation {
	m.value = true
	m.Now, m.Mutant = m.Within+" = "+m.Now, m.Within+" = "+m.Mutant
	return m
}

// SourceModule returns the module of the mutation's file.
func (m Mutation) SourceModule() string { return cmp.Or(m.Module, Kubernetes) }

// DialerFile is the file of k8s.io/kubernetes that a virtual node replaces.
const DialerFile = "pkg/probe/dialer_others.go"

// podCollector is the file of the garbage collector of pods, which a virtual node does not run.
const podCollector = "pkg/controller/podgc/gc_controller.go"

// runtimeClient is the module that connects a kubelet to its container runtime. A virtual node replaces it.
const runtimeClient = "k8s.io/cri-client"

// NodeOnly reports whether no virtual node can have the mutation, or can show it.
func (m Mutation) NodeOnly() bool { return m.Lacking() != "" }

// Lacking returns what a virtual node lacks of the mutated code: a module or file that the node replaces or does not
// contain. It is empty if a virtual node can have the mutation.
func (m Mutation) Lacking() string {
	switch module := m.SourceModule(); {
	case module == runtimeClient:
		return runtimeClient
	case module == Kubernetes && (m.File == DialerFile || m.File == podCollector):
		return m.File
	default:
		return ""
	}
}

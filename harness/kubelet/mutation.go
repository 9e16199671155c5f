package kubelet

import (
	"fmt"

	"golang.org/x/mod/semver"
)

// Mutation is one change of the kubelet's source that breaks one formula.
type Mutation struct {
	// Name is how a subject asks for it: lower case letters, digits and dashes, as semantic versions and DNS labels allow.
	Name string
	// File is the file, relative to the module k8s.io/kubernetes.
	File string
	// Within is the top-level declaration that is changed, written as go doc does: "Func", "Type.Method", or the name
	// of a constant or variable.
	Within string
	// Now is the code to be replaced, Mutant what takes its place. Now must stand in Within exactly once; spaces, line
	// breaks and comments do not matter.
	Now, Mutant string
	// Breaks says, in plain words, which formula the mutant breaks and what it does instead.
	Breaks string
	// Versions are the kubelets whose source the mutation was written for.
	Versions Range
	// Reference is the report or change that tells that somebody really wrote this bug, if there is one.
	Reference string
}

// Range is a range of versions. An empty bound is open.
type Range struct {
	// From is the first version, Before the first one after the range.
	From, Before string
}

// Contains says whether a version is in the range.
func (r Range) Contains(version string) bool {
	return (r.From == "" || semver.Compare(version, r.From) >= 0) && (r.Before == "" || semver.Compare(version, r.Before) < 0)
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

// Mutations are the known mutations.
func Mutations() []Mutation {
	// Before 1.28 a deletion's grace period was put in place again after the hook's time and the minimum had been applied
	// (killContainer), so a deleted pod had neither formula, and nothing would be broken.
	hookBeforeOverride := Range{From: "v1.28.0"}
	return []Mutation{
		{
			Name: "resultrun-one",
			File: "pkg/kubelet/prober/worker.go", Within: "worker.doProbe",
			Now: "w.resultRun = 0", Mutant: "w.resultRun = 1",
			Breaks: "A container is killed by failureThreshold failing probes in every life. " +
				"Here the count begins at one after a kill, so later lives are killed one failing probe early.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes PR 62853",
		},
		{
			Name: "resultrun-kept",
			File: "pkg/kubelet/prober/worker.go", Within: "worker.doProbe",
			Now: "w.resultRun = 0", Mutant: "w.resultRun = w.resultRun",
			Breaks: "A container is killed by failureThreshold failing probes in every life. " +
				"Here the count outlives a kill, so later lives are killed by their first failing probe.",
			Versions: Range{From: "v1.11.0"}, Reference: "kubernetes#53530",
		},
		{
			Name: "hook-not-subtracted",
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go", Within: "kubeGenericRuntimeManager.killContainer",
			Now: "gracePeriod = gracePeriod - m.executePreStopHook", Mutant: "_ = m.executePreStopHook",
			Breaks: "The preStop hook's time is part of the grace period. " +
				"Here the whole grace period begins again when the hook has ended.",
			Versions: hookBeforeOverride, Reference: "kubernetes#115817",
		},
		{
			Name: "no-minimum-grace",
			File: "pkg/kubelet/kuberuntime/kuberuntime_manager.go", Within: "minimumGracePeriodInSeconds",
			Now: "minimumGracePeriodInSeconds = 2", Mutant: "minimumGracePeriodInSeconds = 0",
			Breaks: "A container has two seconds between SIGTERM and SIGKILL, whatever the hook left of its grace period. " +
				"Here it may have less, down to none.",
			Versions: hookBeforeOverride,
		},
	}
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

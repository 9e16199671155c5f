// Package status compares what the API shows of a pod with the pod's specification and with itself: each version of the
// status alone, and each one with the version before. What does not fit is a misreport of the kubelet. No time is
// measured here.
package status

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// The kinds of reports that the package checks. Each is a formula's: see harness/rules/formula.
const (
	// Containers are the statuses of containers: one for each, with one state that fits its other fields.
	Containers timeline.Report = "container-statuses"
	// LastEnds are restartCount and lastState: the number and the newest end of a container's earlier lives.
	LastEnds timeline.Report = "last-states"
	// Conditions are the kubelet's conditions: they follow from the statuses of containers.
	Conditions timeline.Report = "conditions"
	// Transitions are the times of the conditions' last transitions.
	Transitions timeline.Report = "transition-times"
	// Phases are the phases: they follow from the statuses of containers, and an end is for good.
	Phases timeline.Report = "phases"
	// Addresses are the pod's and the host's IPs.
	Addresses timeline.Report = "addresses"
	// Class is the qosClass.
	Class timeline.Report = "qos-class"
	// Generations are the observedGenerations.
	Generations timeline.Report = "observed-generations"
	// KeptEnds are the ends of containers that the kubelet removed.
	KeptEnds timeline.Report = "kept-ends"
	// Reasons are why the pod has ended, as its reason and message say.
	Reasons timeline.Report = "end-reasons"
	// Waits are why containers wait, or ended without the runtime, as reason and message say.
	Waits timeline.Report = "wait-reasons"
	// Disruptions are the conditions DisruptionTarget.
	Disruptions timeline.Report = "disruptions"
	// Sandboxes are the conditions PodReadyToStartContainers.
	Sandboxes timeline.Report = "sandbox-conditions"
	// Resources are the resources of containers.
	Resources timeline.Report = "container-resources"
	// Server are what the API server writes.
	Server timeline.Report = "api-server-fields"
)

// Check adds the versions of one pod, in their order. It leaves out those that no kubelet has written, and those of
// runs that saved less than the status.
func Check(k timeline.Checked, spec *corev1.PodSpec, versions []timeline.Version) {
	some := func(is func(corev1.PodStatus) bool) bool {
		return slices.ContainsFunc(versions, func(v timeline.Version) bool { return is(v.Status) })
	}
	c := &checker{
		spec: spec, checked: k,
		rejected: some(func(s corev1.PodStatus) bool { return refusal.MatchString(s.Message) }),
		ran:      some(func(s corev1.PodStatus) bool { return s.Phase == corev1.PodRunning }),
		ended:    some(func(s corev1.PodStatus) bool { return terminal(s.Phase) && s.Reason != "" }),
	}
	var before *timeline.Version
	for i := range versions {
		v := &versions[i]
		c.first, c.qos, c.ref = cmp.Or(c.first, v), cmp.Or(c.qos, v.Status.QOSClass), v.Ref
		c.at, c.until = v.At.At, v.At.At+v.At.Late
		if !writtenByKubelet(v.Status) || v.Deleted {
			continue
		}
		for _, rule := range alone {
			c.kind = rule.of
			c.checked.Count[rule.of]++
			rule.check(c, v)
		}
		if before != nil && samePod(before, v) {
			for _, rule := range after {
				c.kind = rule.of
				c.checked.Count[rule.of]++
				rule.check(c, before, v)
			}
		}
		before = v
	}
}

// samePod reports whether two versions are of one pod. Another pod of its name has another startTime. So has a mirror
// of a static pod that another one had before.
func samePod(before, v *timeline.Version) bool {
	if before.Ref != "" {
		return before.Ref == v.Ref
	}
	return before.Status.StartTime.Equal(v.Status.StartTime)
}

// alone are the rules of one version, after those of a version and the one before it.
var (
	alone = []struct {
		of    timeline.Report
		check func(*checker, *timeline.Version)
	}{
		{Containers, (*checker).containers},
		{Conditions, (*checker).conditions},
		{Phases, (*checker).phase},
		{Addresses, (*checker).addresses},
		{Class, (*checker).class},
		{Generations, (*checker).generations},
		{Conditions, (*checker).others},
		{Reasons, (*checker).reason},
		{Waits, (*checker).waits},
		{Disruptions, (*checker).disruption},
		{Sandboxes, (*checker).sandbox},
		{Resources, (*checker).resources},
		{Server, (*checker).server},
	}
	after = []struct {
		of    timeline.Report
		check func(*checker, *timeline.Version, *timeline.Version)
	}{
		{LastEnds, (*checker).lastEnds},
		{Transitions, (*checker).transitions},
		{Phases, (*checker).nextPhase},
		{Addresses, (*checker).sameAddresses},
		{Generations, (*checker).nextGeneration},
		{Conditions, (*checker).nextConditions},
		{KeptEnds, (*checker).keptEnds},
		{LastEnds, (*checker).forGood},
		{Reasons, (*checker).sameReason},
		{Resources, (*checker).nextResources},
	}
)

// writtenByKubelet reports whether a status is the kubelet's work. The API server writes the class of a new pod, and
// the scheduler its condition.
func writtenByKubelet(s corev1.PodStatus) bool { return s.QOSClass != "" && s.StartTime != nil }

package findings

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

const (
	website          = "https://kubernetes.io/docs/concepts/"
	terminationPage  = website + "workloads/pods/pod-lifecycle/#pod-termination"
	nodePressurePage = website + "scheduling-eviction/node-pressure-eviction/"
	statefulSetPage  = website + "workloads/controllers/statefulset/#deployment-and-scaling-guarantees"
	hooksPage        = website + "containers/container-lifecycle-hooks/"

	graceField = "terminationGracePeriodSeconds"
	raiseGrace = "set terminationGracePeriodSeconds to what the hook and the process need together"
)

// longGrace is the API's default. A longer grace period was chosen on purpose.
const longGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second

var graceRules = []Rule{
	{
		ID: "grace-zero", Level: Note, DocumentedAt: terminationPage,
		Description: "A grace period of 0 deletes the pod's object at once, leaves a preStop hook at most a second, " +
			"and its processes the kubelet's minimum.",
		Fix:     raiseGrace,
		Example: example("terminationGracePeriodSeconds: 0", ""),
		pod: func(t target) []found {
			if t.grace() != 0 {
				return nil
			}
			all := report(graceField, "a delete of a pod with a grace period of 0 removes its object at once, "+
				"while its processes have %s from SIGTERM to SIGKILL", left(t.first().killed(formula.ByDelete)))
			all = t.longerGrace(all)
			hook, certain := t.hookCut()
			if all[0].says += hook; certain {
				all[0].level = Error
			}
			return all
		},
	},
	{
		ID: "grace-zero-of-statefulset", Level: Error, DocumentedAt: statefulSetPage,
		Description: "A StatefulSet whose pods have a grace period of 0 may run two pods of one identity at the same time.",
		Fix:         raiseGrace,
		Example:     example("# of a StatefulSet\nterminationGracePeriodSeconds: 0", ""),
		pod: func(t target) []found {
			if t.grace() != 0 || t.Kind != "StatefulSet" {
				return nil
			}
			return t.longerGrace(report(graceField, "with a grace period of 0 a pod's object is removed, and its "+
				"successor created, up to %s before its processes end", left(t.first().killed(formula.ByDelete))))
		},
	},
	{
		ID: "grace-one", Level: Note, DocumentedAt: terminationPage,
		Description: "A grace period of 1 s is shorter than the kubelet's minimum between SIGTERM and SIGKILL, " +
			"and is all the time that a preStop hook has.",
		Fix:     raiseGrace,
		Example: example("terminationGracePeriodSeconds: 1", ""),
		pod: func(t target) []found {
			if t.grace() != time.Second {
				return nil
			}
			hook, _ := t.hookCut()
			return t.longerGrace(report(graceField, "a grace period of 1 s leaves %s from SIGTERM to SIGKILL%s",
				left(t.first().killed(formula.ByDelete)), hook))
		},
	},
	{
		ID: "grace-above-eviction", Level: Note, DocumentedAt: nodePressurePage,
		Description: "An eviction under node pressure does not give the pod its own grace period: " +
			"a hard one gives a second, a soft one at most evictionMaxPodGracePeriod.",
		Fix:     "make the process survive a SIGKILL, or set requests so high that other pods are evicted first",
		Example: example("terminationGracePeriodSeconds: 120", ""),
		pod:     graceAboveEviction,
	},
}

// longerGrace adds the shortest grace period that leaves the process two seconds after the longest hook, if the
// durations of all hooks are known.
func (t target) longerGrace(all []found) []found {
	for _, c := range t.Pod.All() {
		if _, exact := t.hookTakes(c.Container); !exact {
			return all
		}
	}
	_, hook := t.longestHook()
	return fixed(all, "set terminationGracePeriodSeconds to %d or more", graceFor(hook))
}

// graceAboveEviction reports pods that need more time than an eviction gives.
func graceAboveEviction(t target) []found {
	first, grace := t.first(), t.grace()
	hard, soft := first.killed(formula.ByHardEviction).GracePeriod(), first.killed(formula.BySoftEviction).GracePeriod()
	if hard >= grace && soft >= grace || t.Pod.Critical() {
		return nil
	}
	all := report(graceField, "an eviction by a hard threshold gives the pod %s, not %s", hard, grace)
	maximum := effective.Seconds(t.Kubelet.EvictionMaxPodGracePeriod)
	switch {
	case maximum > 0 && soft < grace:
		all[0].says += fmt.Sprintf("; one by a soft threshold gives it %s (evictionMaxPodGracePeriod)",
			effective.Words(soft))
		all[0].level = Warning
	case grace > longGrace:
	default:
		container, takes := t.longestHook()
		if takes <= hard {
			return nil
		}
		all[0].says += fmt.Sprintf(", and stops the preStop hook of container %s, which takes %s",
			container, effective.Words(takes))
	}
	return all
}

// hookCut describes what a plain delete does to the pod's first preStop hook, and whether it certainly loses time: it
// does not run, or is known to take longer.
func (t target) hookCut() (says string, certain bool) {
	for _, c := range t.Pod.All() {
		if kind, _ := podspec.Hook(c.Container); kind == formula.NoHook {
			continue
		}
		t.container = c.Container
		if in := t.killed(formula.ByDelete); in.RunsHook() {
			takes, _ := t.hookTakes(c.Container)
			return fmt.Sprintf("; the preStop hook of container %s is stopped after %s",
				c.Name, effective.Words(in.GracePeriod())), takes > in.GracePeriod()
		}
		return fmt.Sprintf("; the preStop hook of container %s is not run", c.Name), true
	}
	return "", false
}

// longestHook returns the preStop hook of the longest known duration.
func (t target) longestHook() (container string, longest time.Duration) {
	for _, c := range t.Pod.All() {
		if takes, _ := t.hookTakes(c.Container); takes > longest {
			container, longest = c.Name, takes
		}
	}
	return container, longest
}

package predict

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

const (
	terminationPage  = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination"
	nodePressurePage = "https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"
	statefulSetPage  = "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees"
	hooksPage        = "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/"
)

// longGrace is a grace period that nobody writes who does not need it: longer than the API's default.
const longGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second

var graceRules = []Rule{
	{
		ID:           "grace-zero",
		Level:        Warning,
		DocumentedAt: terminationPage,
		Says:         "A grace period of 0 deletes the pod's object at once, leaves a preStop hook a second at the most, and the processes the least that a kubelet gives.",
		pod: func(c checked) []found {
			if c.grace() != 0 {
				return nil
			}
			f := found{
				field: "terminationGracePeriodSeconds",
				says: fmt.Sprintf(
					"a delete of a pod with a grace period of 0 removes its object at once, while its processes "+
						"have %s from SIGTERM to SIGKILL",
					left(c.first().killed(formula.ByDelete)),
				),
			}
			if says := c.hookCut(); says != "" {
				f.says += says
				f.level = Error
			}
			return []found{f}
		},
	},
	{
		ID: "grace-zero-of-statefulset", Level: Error, DocumentedAt: statefulSetPage,
		Says: "A StatefulSet whose pods have a grace period of 0 may run two pods of one identity at the same time.",
		pod: func(c checked) []found {
			if c.grace() != 0 || c.prediction.Kind != "StatefulSet" {
				return nil
			}
			return []found{
				{
					field: "terminationGracePeriodSeconds",
					says: fmt.Sprintf(
						"with a grace period of 0 the object of a pod is gone, and its successor made, up to %s "+
							"before its processes are",
						left(c.first().killed(formula.ByDelete)),
					),
				},
			}
		},
	},
	{
		ID:           "grace-one",
		Level:        Warning,
		DocumentedAt: terminationPage,
		Says:         "A grace period of 1 s is less than the least time that a kubelet leaves between SIGTERM and SIGKILL, and all that a preStop hook gets.",
		pod: func(c checked) []found {
			if c.grace() != time.Second {
				return nil
			}
			f := found{
				field: "terminationGracePeriodSeconds",
				says: fmt.Sprintf(
					"a grace period of 1 s leaves %s from SIGTERM to SIGKILL",
					left(c.first().killed(formula.ByDelete)),
				),
			}
			f.says += c.hookCut()
			return []found{f}
		},
	},
	{
		ID:           "grace-above-eviction",
		Level:        Note,
		DocumentedAt: nodePressurePage,
		Says:         "An eviction under node pressure does not give the pod its own grace period: a hard one gives a second, a soft one evictionMaxPodGracePeriod at the most.",
		pod:          graceAboveEviction,
	},
}

// graceAboveEviction speaks up where the pod counts on more: a grace period above the default, or a hook
// that certainly takes longer than an eviction waits; and where the kubelet is configured with a maximum.
func graceAboveEviction(c checked) []found {
	first, grace := c.first(), c.grace()
	hard, soft := first.killed(formula.ByHardEviction).GracePeriod(), first.killed(formula.BySoftEviction).GracePeriod()
	if hard >= grace && soft >= grace || critical(&c.pod.Spec) {
		return nil
	}
	says := fmt.Sprintf("an eviction by a hard threshold gives the pod %s, not %s", short(hard), short(grace))
	level := Note
	switch maximum := whole(c.prediction.Kubelet.EvictionMaxPodGracePeriod); {
	case maximum > 0 && soft < grace:
		says += fmt.Sprintf("; one by a soft threshold %s, by evictionMaxPodGracePeriod", short(soft))
		level = Warning
	case grace > longGrace:
	default:
		container, takes := c.longestHook()
		if takes <= hard {
			return nil
		}
		says += fmt.Sprintf(", and gives up the preStop hook of container %s, which takes %s", container, short(takes))
	}
	return []found{{field: "terminationGracePeriodSeconds", says: says, level: level}}
}

// first is the pod's first main container: what is the same for all of its containers, any of them tells.
func (c checked) first() checked {
	c.container = &c.pod.Spec.Containers[0]
	return c
}

// hookCut says what a plain delete leaves of the first preStop hook that the pod has, empty where it has none.
func (c checked) hookCut() string {
	for _, s := range (&known{pod: c.pod}).scenes() {
		if kind, _ := podspec.Hook(s.spec); kind == formula.NoHook {
			continue
		}
		c.container = s.spec
		if in := c.killed(formula.ByDelete); in.RunsHook() {
			return fmt.Sprintf(
				"; the preStop hook of container %s is given up after %s",
				s.spec.Name,
				short(in.GracePeriod()),
			)
		}
		return fmt.Sprintf("; the preStop hook of container %s is never run by it", s.spec.Name)
	}
	return ""
}

// longestHook is the container whose preStop hook certainly takes longest, and how long.
func (c checked) longestHook() (container string, longest time.Duration) {
	for _, s := range (&known{pod: c.pod}).scenes() {
		if takes, _ := hookTakes(s.spec); takes > longest {
			container, longest = s.spec.Name, takes
		}
	}
	return container, longest
}

// left is the time from SIGTERM to SIGKILL in words.
func left(in formula.Input) string {
	r := in.Left()
	if r.Low == r.High {
		return short(r.Low)
	}
	return short(r.Low) + " to " + short(r.High)
}

package predict

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is one thing that a manifest may do, and that does not work as its author probably means.
type Rule struct {
	// ID is stable: it is what others are told to ignore.
	ID string
	// Level is that of what it finds, unless the numbers make it graver.
	Level Level
	// Says is the rule in one sentence, DocumentedAt the page that it rests on.
	Says         string
	DocumentedAt string

	// pod looks at a pod, container at a container; each rule has one of them.
	pod, container func(checked) []found
}

// Rules are all rules, in the order in which they are applied.
func Rules() []Rule { return slices.Clone(rules) }

var rules = slices.Concat(graceRules, hookRules, probeGraceRules, probeRules, startupRules, []Rule{{
	ID: "kubelet-lacks-it", Level: Warning,
	Says:         "What a kubelet of the chosen version does not know has no effect there.",
	DocumentedAt: "https://kubernetes.io/releases/version-skew-policy/",
	pod: func(c checked) []found {
		var all []found
		for _, ignored := range c.prediction.Ignored {
			name, _, _ := strings.Cut(strings.TrimPrefix(ignored, "container "), ":")
			all = append(all, found{field: c.containerField(name), says: ignored})
		}
		return all
	},
}})

// containerField is the field of a container by its name, below the pod's spec.
func (c checked) containerField(name string) string {
	for i := range c.pod.Spec.InitContainers {
		if c.pod.Spec.InitContainers[i].Name == name {
			return fmt.Sprintf("initContainers[%d]", i)
		}
	}
	for i := range c.pod.Spec.Containers {
		if c.pod.Spec.Containers[i].Name == name {
			return fmt.Sprintf("containers[%d]", i)
		}
	}
	return "containers"
}

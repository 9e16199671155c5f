package predict

import "slices"

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
	container: func(c checked) []found {
		var all []found
		for _, i := range c.prediction.ignored {
			if i.container == c.container.Name {
				all = append(all, found{field: i.field, says: i.says})
			}
		}
		return all
	},
}})

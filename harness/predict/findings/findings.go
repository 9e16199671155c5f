// Package findings reports what in a pod's spec probably does not work as its author meant, by the rules of one
// kubelet version.
package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
)

// Finding is one field of a manifest that probably does not work as its author meant.
type Finding struct {
	Rule  string
	Level Level
	// Line is the field's line from 1, or 0 if it is not known.
	Line int
	// Container is empty if the finding is about the pod.
	Container   string
	Field       string
	Description string
	// Fix is what to do, such as "set terminationGracePeriodSeconds to 42 or more".
	Fix          string
	DocumentedAt string
}

// Rules returns all rules in the order in which they are applied.
func Rules() []Rule { return slices.Clone(rules) }

// IDs returns the IDs of all rules.
func IDs() (all []string) {
	for _, r := range rules {
		all = append(all, r.ID)
	}
	return all
}

// Named returns some rules, all if none is named. It fails if one is unknown.
func Named(ids []string) ([]Rule, error) {
	if len(ids) == 0 {
		return Rules(), nil
	}
	var chosen []Rule
	for _, id := range ids {
		i := slices.Index(IDs(), id)
		if i < 0 {
			return nil, fmt.Errorf("there is no rule %q: podclock rules lists them", id)
		}
		chosen = append(chosen, rules[i])
	}
	return chosen, nil
}

var rules = slices.Concat(graceRules, nodeRules, hookRules, probeGraceRules, probeRules, startupRules, rolloutRules,
	trafficRules, generalRules)

// generalRules are about fields that the kubelet does not use as their author means.
var generalRules = []Rule{{
	ID: "kubelet-lacks-it", Level: Warning,
	Description:  "A field that the kubelet's version does not know has no effect.",
	Fix:          "remove the field, or run the pod on kubelets that know it",
	DocumentedAt: "https://kubernetes.io/releases/version-skew-policy/",
	Example:      example("# on a kubelet v1.23", "lifecycle: {preStop: {sleep: {seconds: 5}}}"),
	container: func(t target) []found {
		return t.without(t.Pod.Ignored)
	},
}, {
	ID: "port-unknown", Level: Error,
	Description: "A probe of a named port that the container does not declare never has a result, " +
		"and a hook of one fails.",
	Fix:          "declare a port of this name under the container's ports, or write its number",
	DocumentedAt: configurePage + "#use-a-named-port",
	Example:      example("", "livenessProbe: {httpGet: {port: http}}"),
	container: func(t target) []found {
		return t.without(t.Pod.Impossible)
	},
}}

// without reports the container's fields among those that have no effect.
func (t target) without(fields []effective.Ignored) (all []found) {
	for _, i := range fields {
		if i.Container == t.container.Name {
			all = append(all, found{field: i.Field, says: i.Description})
		}
	}
	return all
}

// Of returns the findings about a workload's pod, then about each container in the order of the spec.
func Of(w Workload) []Finding {
	all := target{Workload: w, path: w.PodPath}.findings(func(r Rule) func(target) []found { return r.pod })
	for _, t := range w.containers() {
		all = append(all, t.findings(func(r Rule) func(target) []found { return r.container })...)
	}
	return all
}

func (t target) findings(look func(Rule) func(target) []found) []Finding {
	var all []Finding
	for _, r := range rules {
		if look(r) == nil {
			continue
		}
		for _, f := range look(r)(t) {
			finding := Finding{
				Rule: r.ID, Level: r.Level, Description: f.says,
				Field: strings.TrimPrefix(strings.TrimSuffix("."+t.path, string(f.of))+"."+f.field, "."),
				Fix:   cmp.Or(f.fix, r.Fix), DocumentedAt: cmp.Or(f.documentedAt, r.DocumentedAt),
			}
			if f.level != "" {
				finding.Level = f.level
			}
			if t.container != nil {
				finding.Container = t.container.Name
			}
			if t.Revision() {
				named := strings.NewReplacer("terminationGracePeriodSeconds", manifest.RevisionTimeout)
				finding.Field, finding.Fix = named.Replace(finding.Field), named.Replace(finding.Fix)
			}
			finding.Line = t.LineOf(finding.Field)
			all = append(all, finding)
		}
	}
	return all
}

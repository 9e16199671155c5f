package findings

import (
	"regexp"
	"slices"
)

// Known identifies a finding by what stays when something else in its manifest changes: it has no line, and a
// container's name instead of its index.
type Known struct {
	Rule string `yaml:"rule"`
	// Object is such as "Deployment shop/web".
	Object string `yaml:"object"`
	// Field is such as "spec.template.spec.containers[app].livenessProbe".
	Field string `yaml:"field"`
}

var (
	itemsOfLists   = regexp.MustCompile(`^(items\[\d+\]\.)+`)
	containerIndex = regexp.MustCompile(`ontainers\[\d+\]`)
)

// Known identifies a finding about an object.
func (f Finding) Known(object string) Known {
	field := itemsOfLists.ReplaceAllString(f.Field, "")
	if f.Container != "" {
		field = containerIndex.ReplaceAllLiteralString(field, "ontainers["+f.Container+"]")
	}
	return Known{Rule: f.Rule, Object: object, Field: field}
}

// Baseline has the findings that were known when its file was written.
type Baseline struct {
	File  string
	Known []Known
}

// Split separates the findings about an object that are known.
func (b Baseline) Split(object string, all []Finding) (others []Finding, known []Ignored) {
	for _, f := range all {
		if slices.Contains(b.Known, f.Known(object)) {
			known = append(known, Ignored{Finding: f, Reason: "it is in the baseline " + b.File})
		} else {
			others = append(others, f)
		}
	}
	return others, known
}

package findings

import (
	"slices"
	"strings"
)

// Annotation begins the key of an annotation, such as "podclock/ignore-grace-zero", that ignores a rule's findings in a
// workload. Its value is the reason. The annotation can be the workload's or its pod template's.
const Annotation = "podclock/ignore-"

// Ignored is a finding that its author knows and wants.
type Ignored struct {
	Finding
	Reason string `json:"reason"`
}

// Split separates findings that are ignored: those of some rules everywhere, and those that an annotation of the
// workload gives a reason for. An annotation without a reason ignores nothing.
func Split(all []Finding, everywhere []string, annotations map[string]string) (active []Finding, ignored []Ignored) {
	for _, f := range all {
		reason := strings.TrimSpace(annotations[Annotation+f.Rule])
		if reason == "" && slices.Contains(everywhere, f.Rule) {
			reason = "all findings of this rule are ignored"
		}
		if reason == "" {
			active = append(active, f)
			continue
		}
		ignored = append(ignored, Ignored{Finding: f, Reason: reason})
	}
	return active, ignored
}

package findings

import "strings"

// Annotation begins the key of an annotation, such as "podclock/ignore-grace-zero", that ignores a rule's findings in a
// workload. Its value is the reason. The annotation can be the workload's or its pod template's.
const Annotation = "podclock/ignore-"

// Ignored is a finding that its author knows and wants.
type Ignored struct {
	Finding
	Reason string
	// InSource is set if an annotation has the reason.
	InSource bool
}

// Policy is what a user wants of rules in every workload.
type Policy struct {
	// Ignored has the reasons to ignore rules.
	Ignored map[string]string
	// Levels replace those of rules' findings.
	Levels map[string]Level
}

// Split separates findings that are ignored: those that an annotation of the workload gives a reason for, and those of
// rules that the policy ignores. An annotation without a reason ignores nothing.
func (p Policy) Split(all []Finding, annotations map[string]string) (active []Finding, ignored []Ignored) {
	for _, f := range all {
		if level, set := p.Levels[f.Rule]; set {
			f.Level = level
		}
		if reason := strings.TrimSpace(annotations[Annotation+f.Rule]); reason != "" {
			ignored = append(ignored, Ignored{Finding: f, Reason: reason, InSource: true})
		} else if reason, is := p.Ignored[f.Rule]; is {
			ignored = append(ignored, Ignored{Finding: f, Reason: reason})
		} else {
			active = append(active, f)
		}
	}
	return active, ignored
}

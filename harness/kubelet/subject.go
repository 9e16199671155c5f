package kubelet

import (
	"fmt"
	"regexp"
	"strings"
)

// Subject names a kubelet under test: "v1.36.3" as released, "v1.36.3+resultrun-one" with a mutation. The zero value names none.
type Subject struct {
	// Version is the Kubernetes version, one of [Versions].
	Version string
	// Mutation is the name of one of [Mutations], or empty.
	Mutation string
}

// Clean says that the kubelet is as released. Where the node image has the same version, its own kubelet will do.
func (s Subject) Clean() bool { return s.Mutation == "" }

// String is what [ParseSubject] reads. It is also the version that the kubelet reports of itself, in the Node object for
// one: the mutation is build metadata of a semantic version, which no version comparison minds.
func (s Subject) String() string {
	if s.Clean() {
		return s.Version
	}
	return s.Version + "+" + s.Mutation
}

// Slug is the subject's name where only a DNS label is allowed, as in node names, label values and file names.
func (s Subject) Slug() string {
	return strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(s.String()), "-"), "-")
}

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// ParseSubject reads one subject, such as "v1.36.3" or "v1.36.3+resultrun-one". The error is one line and lists what exists.
func ParseSubject(s string) (Subject, error) {
	version, mutation, mutated := strings.Cut(s, "+")
	if s == "" {
		return Subject{}, fmt.Errorf("an empty subject: write a version (%s), or a version+mutation (%s)", list(Versions()), list(mutationNames()))
	}
	if _, ok := findPin(version); !ok {
		return Subject{}, fmt.Errorf("subject %q: there is no kubelet %q; the versions are %s", s, version, list(Versions()))
	}
	if !mutated {
		return Subject{Version: version}, nil
	}
	m, ok := findMutation(mutation)
	if !ok {
		return Subject{}, fmt.Errorf("subject %q: there is no mutation %q; the mutations are %s", s, mutation, list(mutationNames()))
	}
	if !m.Versions.Contains(version) {
		return Subject{}, fmt.Errorf("subject %q: mutation %s is for kubelets %s", s, m.Name, m.Versions)
	}
	return Subject{Version: version, Mutation: mutation}, nil
}

// ParseSubjects reads a list of subjects separated by commas, each of which may stand there once. Spaces around them are ignored.
// The error is one line and names the subject at fault.
func ParseSubjects(subjectList string) ([]Subject, error) {
	var subjects []Subject
	seen := map[Subject]bool{}
	for part := range strings.SplitSeq(subjectList, ",") {
		s, err := ParseSubject(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if seen[s] {
			return nil, fmt.Errorf("subject %q is named twice: name it once", s)
		}
		seen[s] = true
		subjects = append(subjects, s)
	}
	return subjects, nil
}

func list(names []string) string { return strings.Join(names, ", ") }

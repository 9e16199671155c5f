package kubelet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Subject names a kubelet under test: "v1.36.3" as released, "v1.36.3+resultrun-one" with a mutation, or
// "./_output/bin/kubelet", a binary of the user's own. "virtual:v1.36.3" and
// "virtual:v1.36.3+resultrun-one" are the first two in a virtual node. "v1.36.3#2" is the second copy of a
// kubelet, on a worker of its own. The zero value names none.
type Subject struct {
	// Virtual says that the kubelet runs in a virtual node, see [Subject.Lane].
	Virtual bool
	// Version is the Kubernetes version: one of [Versions], or what the binary at Path says of itself, with whatever
	// follows the three numbers, such as "v1.37.0-alpha.1.23+0123456789abcd-dirty".
	Version string
	// Mutation is the name of one of [Mutations], or empty.
	Mutation string
	// Path is the user's own binary, as the user wrote it, or empty. A relative one is relative to the
	// working directory.
	Path string
	// Copy tells subjects apart that are the same kubelet: 0 is the first one, 2 the second, and so on.
	// Each is measured by itself; the kubelet knows nothing of it.
	Copy int
}

// Own says that the kubelet is a binary of the user's own.
func (s Subject) Own() bool { return s.Path != "" }

// Clean says that the kubelet is as released. Where the node image has the same version, its own kubelet will do for
// the node lane.
func (s Subject) Clean() bool { return s.Mutation == "" && !s.Own() }

// Reports is the version that the kubelet reports of itself, in the Node object for one. It is that of a
// released kubelet where another component on its side of the API has the mutation.
func (s Subject) Reports() string {
	if s.MutatesControlPlane() {
		return s.Version
	}
	return s.stamp()
}

// MutatesControlPlane says that the mutation is in the cluster's API server or one of its controllers: the
// subject's kubelet is as released, and so would every other kubelet of that cluster be measured with it. A
// virtual node has an API server and controllers of its own.
func (s Subject) MutatesControlPlane() bool { return !s.Virtual && s.Component() != TheKubelet }

// stamp is the version that is compiled into what is built for the subject: the mutation is build metadata
// of a semantic version, which no version comparison minds.
func (s Subject) stamp() string {
	if s.Mutation == "" {
		return s.Version
	}
	return s.Version + "+" + s.Mutation
}

// String is what [ParseSubject] reads, and no two subjects of a list have the same. It is the version with
// the mutation and, for a binary of the user's own, its path: "v1.36.3-dirty@./_output/bin/kubelet". One in
// a virtual node has the lane before it, a copy its number behind it.
func (s Subject) String() string { return s.original() + s.copied(copyMark) }

// original is String without the copy.
func (s Subject) original() string {
	switch {
	case s.Own():
		return s.Version + "@" + s.Path
	case s.Virtual:
		return virtualPrefix + s.stamp()
	default:
		return s.stamp()
	}
}

const (
	// maxLabel is how long a DNS label may be (RFC 1123).
	maxLabel = 63
	// pathHash is how many hexadecimal digits tell two binaries of one version apart.
	pathHash = 8
)

// Slug is the subject's name where only a DNS label is allowed, as in node names, label values and file
// names. That of a binary of the user's own is its version and a hash of its path, so rebuilding it under
// the same version keeps the slug.
func (s Subject) Slug() string {
	copied := s.copied("-copy-")
	if !s.Own() {
		return dashed(s.original()) + copied
	}
	label := dashed(s.Reports())
	sum := sha256.Sum256([]byte(s.Path))
	if longest := maxLabel - pathHash - len("-") - len(copied); len(label) > longest {
		label = strings.TrimRight(label[:longest], "-")
	}
	return label + "-" + hex.EncodeToString(sum[:])[:pathHash] + copied
}

func dashed(name string) string {
	return strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// ParseSubject reads one subject, such as "v1.36.3", "v1.36.3+resultrun-one" or "./_output/bin/kubelet".
// What contains a slash or begins with a dot is a path; the binary is started to read its version. A path
// after a version and an at sign must be a binary of that version. After "virtual:" stands a version, or
// one with a mutation. Each may end with #2, #3 and so on, which makes it another copy of the same kubelet.
// The error is one line and lists what exists, or names the path and the remedy.
func ParseSubject(s string) (Subject, error) { return LaneNode.parse(s) }

// parse reads one subject, which is in this lane unless it names the other.
func (l Lane) parse(s string) (Subject, error) {
	if s == "" {
		return Subject{}, l.explainEmpty()
	}
	original, number, err := cutCopy(s)
	var subject Subject
	if err == nil {
		subject, err = l.read(original)
	}
	subject.Copy = number
	if l == LaneNode && errors.Is(err, ErrNodeOnly) {
		err = fmt.Errorf("%w: leave out %s", err, virtualPrefix)
	}
	if err != nil {
		return Subject{}, fmt.Errorf("subject %q: %w", s, err)
	}
	return subject, nil
}

func (l Lane) read(s string) (Subject, error) {
	name, prefixed := strings.CutPrefix(s, virtualPrefix)
	version, path, own := ownBinary(name)
	switch {
	case !own && strings.Contains(name, ":"):
		return Subject{}, fmt.Errorf(
			"before a version may stand %s, for the virtual lane, and nothing else",
			virtualPrefix,
		)
	case prefixed, l == LaneVirtual:
		return parseVirtual(name)
	case own:
		return parseOwn(version, path)
	default:
		return parseNode(name)
	}
}

// parseNode reads a subject of the node lane that is built here.
func parseNode(s string) (Subject, error) {
	subject, err := parseBuilt(s)
	if err != nil {
		return Subject{}, err
	}
	if c := subject.Component(); subject.MutatesControlPlane() && subject.Version != Versions()[0] {
		return Subject{}, fmt.Errorf(
			"mutation %s changes the %s, and a cluster has that of %s, whatever its kubelets: write %[3]s+%[1]s, or %[4]s%[5]s for a virtual node",
			subject.Mutation,
			c,
			Versions()[0],
			virtualPrefix,
			s,
		)
	}
	return subject, nil
}

// parseBuilt reads a subject that is built here.
func parseBuilt(s string) (Subject, error) {
	version, mutation, mutated := strings.Cut(s, "+")
	if _, ok := findPin(pins(), version); !ok {
		return Subject{}, fmt.Errorf(
			"there is no kubelet %q; the versions are %s; write the path of a binary with a slash, such as ./kubelet",
			version,
			list(Versions()),
		)
	}
	if !mutated {
		return Subject{Version: version}, nil
	}
	m, ok := findMutation(mutation)
	if !ok {
		return Subject{}, fmt.Errorf("there is no mutation %q; the mutations are %s", mutation, list(mutationNames()))
	}
	if !m.Versions.Contains(version) {
		return Subject{}, fmt.Errorf("mutation %s is for kubelets %s", m.Name, m.Versions)
	}
	return Subject{Version: version, Mutation: mutation}, nil
}

// ParseSubjects reads a list of subjects separated by commas, each of which, and each copy, may stand there
// once. Spaces around them are ignored. The error is one line and names the subject at fault. Nothing is
// built; binaries of the user's own are started once, for at most versionTimeout each.
func ParseSubjects(subjectList string) ([]Subject, error) { return LaneNode.ParseSubjects(subjectList) }

// ParseSubjects is [ParseSubjects] where this is the lane of the subjects that name none. The error quotes
// them as they were written.
func (l Lane) ParseSubjects(subjectList string) ([]Subject, error) {
	var subjects []Subject
	seen := map[string]string{} // as they were written
	for part := range strings.SplitSeq(subjectList, ",") {
		written := strings.TrimSpace(part)
		s, err := l.parse(written)
		if err != nil {
			return nil, err
		}
		identity, what := s.String(), "kubelet"
		if s.Own() {
			what = "file"
			if identity, err = s.file(); err != nil {
				return nil, fmt.Errorf("subject %q: %w", written, err)
			}
			identity += s.copied(copyMark)
		}
		if first, twice := seen[identity]; twice && first == written {
			return nil, fmt.Errorf(
				"subject %q is named twice: name it once, or a copy of it, such as %s",
				written,
				s.another(),
			)
		} else if twice {
			return nil, fmt.Errorf(
				"subjects %q and %q are the same %s: name it once, or a copy of it, such as %s",
				first,
				written,
				what,
				s.another(),
			)
		}
		seen[identity] = written
		subjects = append(subjects, s)
	}
	return subjects, nil
}

func list(names []string) string { return strings.Join(names, ", ") }

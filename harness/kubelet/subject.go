// Package kubelet names the kubelets under test: a version of Kubernetes as released, a version with one mutation,
// or a binary of the user's own, in the node lane or the virtual lane. Package builder builds them, package mutation
// holds the mutations.
//
// The package knows no clusters, nodes or trials.
package kubelet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// Subject names a kubelet under test. The zero value names none.
//
//	v1.36.3                        the released kubelet
//	v1.36.3+resultrun-one          the kubelet with a mutation
//	./_output/bin/kubelet          a binary of the user's own
//	virtual:v1.36.3+resultrun-one  a released or mutated kubelet in a virtual node
//	v1.36.3#2                      a second copy of a kubelet, on a worker of its own
type Subject struct {
	// Virtual: the kubelet runs in a virtual node. See [Subject.Lane].
	Virtual bool
	// Version is the Kubernetes version: one of [Versions], or what the binary at Path reports, with anything that
	// follows the three numbers, such as "v1.37.0-alpha.1.23+0123456789abcd-dirty".
	Version string
	// Mutation is the name of a mutation, or empty.
	Mutation string
	// Path is the user's own binary as the user wrote it, or empty. A relative path is relative to the working
	// directory.
	Path string
	// Copy distinguishes subjects with the same kubelet: 0 is the first, 2 the second, and so on. Each is measured
	// by itself.
	Copy int
}

// Lane is where a subject runs.
type Lane string

const (
	// LaneNode runs the kubelet's own program on a real node.
	LaneNode Lane = "node"
	// LaneVirtual runs the kubelet's source inside podclock's virtual node, in virtual time.
	LaneVirtual Lane = "virtual"
)

// virtualPrefix begins the name of a subject in the virtual lane.
const virtualPrefix = string(LaneVirtual) + ":"

// Lane returns where the subject runs.
func (s Subject) Lane() Lane {
	if s.Virtual {
		return LaneVirtual
	}
	return LaneNode
}

// Own reports whether the kubelet is a binary of the user's own.
func (s Subject) Own() bool { return s.Path != "" }

// Released reports whether the kubelet is as released. If the node image has the same version, the image's own
// kubelet serves the node lane.
func (s Subject) Released() bool { return s.Mutation == "" && !s.Own() }

// Component returns the program that is built for the subject. In the virtual lane it is the program that contains
// the mutation, because a virtual node contains all of them.
func (s Subject) Component() mutation.Component {
	m, _ := mutation.Find(s.Mutation)
	return cmp.Or(m.Component, mutation.Kubelet)
}

// MutatesControlPlane reports whether the mutation is in the API server or a controller of the subject's cluster.
// The subject's kubelet is then as released. A virtual node has an API server and controllers of its own.
func (s Subject) MutatesControlPlane() bool { return !s.Virtual && s.Component() != mutation.Kubelet }

// Reports returns the version that the subject's kubelet reports, for instance in the Node object.
func (s Subject) Reports() string {
	if s.MutatesControlPlane() {
		return s.Version
	}
	return s.Stamp()
}

// Stamp returns the version that is compiled into the subject's program. The mutation is build metadata of a
// semantic version, so it changes no comparison of versions.
func (s Subject) Stamp() string {
	if s.Mutation == "" {
		return s.Version
	}
	return s.Version + "+" + s.Mutation
}

// String returns the name that [ParseSubject] reads. It is unique in a list of subjects. A binary of the user's own
// has its version and its path: "v1.36.3-dirty@./_output/bin/kubelet".
func (s Subject) String() string { return s.original() + s.copied(copyMark) }

// original returns String without the copy's number.
func (s Subject) original() string {
	switch {
	case s.Own():
		return s.Version + "@" + s.Path
	case s.Virtual:
		return virtualPrefix + s.Stamp()
	default:
		return s.Stamp()
	}
}

const (
	// maxLabel is the longest DNS label (RFC 1123).
	maxLabel = 63
	// pathHash is the number of hexadecimal digits that distinguish two binaries of one version.
	pathHash = 8
)

// Slug returns the subject's name as a DNS label, for node names, label values and file names. The slug of a binary
// of the user's own is its version and a hash of its path, so a new build of the same version keeps it.
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

const (
	// copyMark is between a subject and the number of its copy.
	copyMark = "#"
	// secondCopy is the lowest number of a copy. The first copy has none.
	secondCopy = 2
)

// copied returns the copy's number after a mark, or "" for the first copy.
func (s Subject) copied(mark string) string {
	if s.Copy == 0 {
		return ""
	}
	return mark + strconv.Itoa(s.Copy)
}

// nextCopy returns the name of the next copy of the subject.
func (s Subject) nextCopy() string {
	s.Copy = max(s.Copy+1, secondCopy)
	return s.String()
}

// Copies returns n subjects: this one and copies of it, in the order of their numbers.
func (s Subject) Copies(n int) []Subject {
	all := []Subject{s}
	for number := secondCopy; number <= n; number++ {
		s.Copy = number
		all = append(all, s)
	}
	return all
}

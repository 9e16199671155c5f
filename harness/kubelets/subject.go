// Package kubelets names the kubelets under test: a version of Kubernetes as released, a version with one mutation,
// a source tree, or a binary of the user's own, in the node lane or the virtual lane. Package builder builds them,
// package mutation holds the mutations, package tree finds source trees.
//
// The package knows no clusters, nodes or trials.
package kubelets

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/kubelets/tree"
	"github.com/podclock/podclock/harness/measure/run"
)

// Subject names a kubelet under test. The zero value names none.
//
//	v1.36.3                        the released kubelet
//	v1.36                          the newest patch of that branch that podclock knows
//	v1.36.3+resultrun-one          the kubelet with a mutation
//	./_output/bin/kubelet          a binary of the user's own
//	./kubernetes                   a source tree with its uncommitted changes
//	./kubernetes@v1.36.3           a revision of a source tree's repository
//	virtual:v1.36.3+resultrun-one  a released or mutated kubelet in a virtual node
//	virtual:./kubernetes           a source tree in a virtual node
//	v1.34.4@containerd-1.7         the kubelet on a worker with another container runtime
//	v1.36.3+EventedPLEG=true       the kubelet with a feature gate on; also behind a mutation, a path or a runtime
//	v1.36.3#2                      a second copy of a kubelet, on a worker of its own
type Subject struct {
	// Virtual reports that the kubelet runs in a virtual node.
	Virtual bool
	// Version is the Kubernetes release, what the binary at Path reports, or the version of Tree.
	Version string
	// Mutation is the name of a mutation, or empty.
	Mutation string
	// Path is the user's own binary as the user wrote it, or empty.
	Path string
	// Tree is the source tree that the kubelet is built from, or the zero value.
	Tree tree.Tree
	// Runtime is the name of a [Runtime], or empty for the node image's own.
	Runtime string
	// Gates are the feature gates that differ from the kubelet's configuration, "+EventedPLEG=true", or empty.
	Gates string
	// Node is the name of a node that podclock did not make, or empty. The subject is the kubelet that is there.
	Node string
	// Copy distinguishes subjects with the same kubelet: 0 is the first, 2 the second, and so on.
	Copy int
}

const virtualPrefix = string(run.VirtualLane) + ":"

// Lane returns where the subject runs.
func (s Subject) Lane() run.Lane {
	if s.Virtual {
		return run.VirtualLane
	}
	return run.NodeLane
}

// Own reports whether the kubelet is a binary of the user's own.
func (s Subject) Own() bool { return s.Path != "" }

// FromTree reports whether the kubelet is built from a source tree.
func (s Subject) FromTree() bool { return s.Tree != tree.Tree{} }

// Source returns the user's own binary, or the source tree with its revision, as the user wrote it. Otherwise it is
// empty.
func (s Subject) Source() string { return cmp.Or(s.Path, s.Tree.String()) }

// Released reports whether the kubelet is as released.
func (s Subject) Released() bool { return s.Mutation == "" && s.Source() == "" }

// Component returns the program that is built for the subject. A virtual node contains all of them.
func (s Subject) Component() mutation.Component {
	m, _ := mutation.Find(s.Mutation)
	return cmp.Or(m.Component, mutation.Kubelet)
}

// MutatesControlPlane reports whether the mutation is in the API server or a controller of the subject's cluster. A
// virtual node has its own.
func (s Subject) MutatesControlPlane() bool { return !s.Virtual && s.Component() != mutation.Kubelet }

// Reports returns the version that the subject's kubelet reports, for instance in the Node object.
func (s Subject) Reports() string {
	if s.MutatesControlPlane() {
		return s.Version
	}
	return s.Stamp()
}

// Stamp returns the version that is compiled into the subject's program. The mutation is build metadata.
func (s Subject) Stamp() string {
	if s.Mutation == "" {
		return s.Version
	}
	return s.Version + "+" + s.Mutation
}

// String returns the name that [ParseSubject] reads: for a binary of the user's own or a source tree its version and
// path, "v1.36.3-dirty@./_output/bin/kubelet".
func (s Subject) String() string { return s.original() + s.Gates + s.copied(copyMark) }

func (s Subject) original() string {
	switch {
	case s.Node != "":
		return s.Node
	case s.Source() != "" && s.Virtual:
		return virtualPrefix + s.Version + "@" + s.Source()
	case s.Source() != "":
		return s.Version + "@" + s.Source() + s.ranAs()
	case s.Virtual:
		return virtualPrefix + s.Stamp()
	default:
		return s.Stamp() + s.ranAs()
	}
}

// ranAs returns the runtime's name after its mark, or "" for the node image's own.
func (s Subject) ranAs() string {
	if s.Runtime == "" {
		return ""
	}
	return runtimeMark + s.Runtime
}

const (
	// maxLabel is the longest DNS label (RFC 1123).
	maxLabel = 63
	// pathHash is the number of hexadecimal digits that distinguish two binaries of one version.
	pathHash = 8
)

// Slug returns the subject's name as a DNS label. That of a binary of the user's own, of a source tree or with feature
// gates is its version and a hash, that of another's node is its name and a hash.
func (s Subject) Slug() string {
	copied := s.copied("-copy-")
	if s.Source() == "" && s.Node == "" && s.Gates == "" {
		return dashed(s.original()) + copied
	}
	label := dashed(cmp.Or(s.Node, s.Reports()+s.ranAs()))
	if s.Virtual {
		label = string(run.VirtualLane) + "-" + label
	}
	sum := sha256.Sum256([]byte(s.Node + s.Source() + s.ranAs() + s.Gates))
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

func (s Subject) nextCopy() string {
	s.Copy = max(s.Copy+1, secondCopy)
	return s.String()
}

// Copies returns n subjects: this one and copies of it.
func (s Subject) Copies(n int) []Subject {
	all := []Subject{s}
	for number := secondCopy; number <= n; number++ {
		s.Copy = number
		all = append(all, s)
	}
	return all
}

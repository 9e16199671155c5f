package kubelet

import (
	"errors"
	"fmt"
	"strings"
)

// Lane is how a kubelet is put under test.
type Lane string

const (
	// LaneNode is the kubelet's own program on a real node.
	LaneNode Lane = "node"
	// LaneVirtual is the kubelet's source compiled into a program of podclock's, the virtual node, in which
	// time is virtual.
	LaneVirtual Lane = "virtual"
)

// virtualPrefix is what a subject of the virtual lane is spelled with.
const virtualPrefix = string(LaneVirtual) + ":"

// Lane says how the subject is put under test.
func (s Subject) Lane() Lane {
	if s.Virtual {
		return LaneVirtual
	}
	return LaneNode
}

// ErrNodeOnly is in the complaint about a subject that was to be in the virtual lane and could be in the
// node lane. Where that is the lane of subjects that name none, the remedy follows; elsewhere the caller
// knows it, if there is one.
var ErrNodeOnly = errors.New("only a real node can have it")

// VirtualVersions are the versions of Kubernetes that have a virtual node, the newest first.
func VirtualVersions() []string { return versions(virtualPins()) }

// explainEmpty says what to write where this is the lane of subjects that name none.
func (l Lane) explainEmpty() error {
	if l == LaneVirtual {
		return fmt.Errorf(
			"an empty subject: write a version (%s) or a version+mutation (%s)",
			list(VirtualVersions()),
			list(mutationNames()),
		)
	}
	return fmt.Errorf(
		"an empty subject: write a version (%s), a version+mutation (%s), or the path of a kubelet binary; "+
			"%s before a version (%s) puts it into a virtual node",
		list(Versions()),
		list(mutationNames()),
		virtualPrefix,
		list(VirtualVersions()),
	)
}

// parseVirtual reads a subject of the virtual lane, without virtualPrefix.
func parseVirtual(s string) (Subject, error) {
	version, mutation, _ := strings.Cut(s, "+")
	_, known := findPin(virtualPins(), version)
	_, elsewhere := findPin(pins(), version)
	_, _, own := ownBinary(s)
	switch {
	case own:
		return Subject{}, fmt.Errorf(
			"a binary can't be put into virtual time, as the kubelet's source is compiled into the virtual node; "+
				"the versions that have one are %s; %w",
			list(VirtualVersions()),
			ErrNodeOnly,
		)
	case !known:
		err := fmt.Errorf(
			"there is no virtual node %q, as one is written and pinned for each version's source; the versions are %s",
			version,
			list(VirtualVersions()),
		)
		if elsewhere {
			err = fmt.Errorf("%w; %w", err, ErrNodeOnly)
		}
		return Subject{}, err
	}
	subject, err := parseBuilt(s)
	if err != nil {
		return Subject{}, err
	}
	m, _ := findMutation(mutation)
	if err := m.virtual(); err != nil {
		return Subject{}, err
	}
	subject.Virtual = true
	return subject, nil
}

// runtimeClient is the module by which a kubelet calls its container runtime. A virtual node has a
// connection of its own in its place.
const runtimeClient = "k8s.io/cri-client"

// NodeOnly says whether no virtual node can have the mutation.
func (m Mutation) NodeOnly() bool { return m.virtual() != nil }

// virtual says why a virtual node can't have the mutation, if so.
func (m Mutation) virtual() error {
	switch {
	case m.module() == runtimeClient:
		return fmt.Errorf(
			"mutation %s changes %s, in whose place a virtual node has a connection to its runtime of its own; %w",
			m.Name,
			runtimeClient,
			ErrNodeOnly,
		)
	case m.module() == module && m.File == dialerFile:
		return fmt.Errorf(
			"mutation %s changes %s, in whose place a virtual node has a file of its own; %w",
			m.Name,
			dialerFile,
			ErrNodeOnly,
		)
	}
	return nil
}

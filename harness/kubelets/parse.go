package kubelets

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/kubelets/tree"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
)

// ErrNodeOnly is in the error about a subject that only the node lane can have.
var ErrNodeOnly = errors.New("only a real node can have it")

// ParseSubject reads the name of one subject, see [Subject]. A name with a slash or a leading dot is a path, whose
// binary is run to read its version. If it is a folder, git finds the version of the source tree. A version and an at
// sign before the path require that version.
func ParseSubject(s string) (Subject, error) { return parse(run.NodeLane, s) }

// ParseSubjects reads a list of subjects separated by commas and optional spaces. No subject may occur twice. A subject
// that names no lane is in lane l.
func ParseSubjects(l run.Lane, subjectList string) ([]Subject, error) {
	var subjects []Subject
	seen := map[string]string{} // as the user wrote them
	for part := range strings.SplitSeq(subjectList, ",") {
		written := strings.TrimSpace(part)
		s, err := parse(l, written)
		if err != nil {
			return nil, err
		}
		identity, what := s.String(), "kubelet"
		switch {
		case s.Own():
			what = "file"
			identity, err = s.File()
		case s.FromTree():
			what = "source tree"
			identity, err = s.Tree.Identity()
			identity = string(s.Lane()) + ":" + identity
		}
		if err != nil {
			return nil, fmt.Errorf("subject %q: %w", written, err)
		}
		if s.Source() != "" {
			identity += s.ranAs() + s.Gates + s.copied(copyMark)
		}
		const remedy = "remove one, or write a copy of it, such as"
		if first, twice := seen[identity]; twice && first == written {
			return nil, fmt.Errorf("subject %q occurs twice: %s %s", written, remedy, s.nextCopy())
		} else if twice {
			const format = "subjects %q and %q are the same %s: %s %s"
			return nil, fmt.Errorf(format, first, written, what, remedy, s.nextCopy())
		}
		seen[identity] = written
		subjects = append(subjects, s)
	}
	return subjects, nil
}

func parse(l run.Lane, s string) (Subject, error) {
	if s == "" {
		return Subject{}, explainEmpty(l)
	}
	original, number, err := cutCopy(s)
	var subject Subject
	var gates string
	if err == nil {
		original, gates, err = cutGates(original)
	}
	if err == nil {
		subject, err = parseOriginal(l, original)
	}
	subject.Copy, subject.Gates = number, gates
	if l == run.NodeLane && errors.Is(err, ErrNodeOnly) {
		err = fmt.Errorf("%w: leave out %s", err, virtualPrefix)
	}
	if err != nil {
		return Subject{}, fmt.Errorf("subject %q: %w", s, err)
	}
	return subject, nil
}

func explainEmpty(l run.Lane) error {
	virtual, mutations := list(VirtualVersions()), list(mutation.Names())
	if l == run.VirtualLane {
		const format = "an empty subject: write a version (%s) or a version+mutation (%s), or the folder of " +
			"a source tree"
		return fmt.Errorf(format, virtual, mutations)
	}
	const format = "an empty subject: write a version (%s), a version+mutation (%s), " +
		"or the path of a kubelet binary or of a source tree; %s before a version (%s) or a source tree runs it in a " +
		"virtual node, and %s behind one gives it another runtime (%s)"
	return fmt.Errorf(format, list(formula.Versions()), mutations, virtualPrefix, virtual, runtimeMark,
		list(RuntimeNames()))
}

// cutCopy splits a subject from the number of its copy.
func cutCopy(s string) (original string, number int, err error) {
	i := strings.LastIndex(s, copyMark)
	if i < 0 || strings.ContainsRune(s[i:], '/') {
		return s, 0, nil
	}
	digits := s[i+len(copyMark):]
	number, err = strconv.Atoi(digits)
	if err != nil || number < secondCopy || strconv.Itoa(number) != digits {
		const format = "%s is no number of a copy: write #%d or more; the first copy has none"
		return "", 0, fmt.Errorf(format, s[i:], secondCopy)
	}
	return s[:i], number, nil
}

func parseOriginal(l run.Lane, s string) (Subject, error) {
	name, prefixed := strings.CutPrefix(s, virtualPrefix)
	name, runtime, other := cutRuntime(name)
	version, path, own := cutOwn(name)
	var subject Subject
	var err error
	switch {
	case !own && strings.Contains(name, ":"):
		return Subject{}, fmt.Errorf("the only prefix of a version is %s, for the virtual lane", virtualPrefix)
	case prefixed, l == run.VirtualLane:
		if subject, err = parseVirtual(name); err == nil && other {
			err = fmt.Errorf("a virtual node has a model of a runtime instead of %s; %w", runtime, ErrNodeOnly)
		}
		return subject, err
	case own:
		subject, err = parsePath(version, path)
	default:
		subject, err = parseNode(name)
	}
	if err != nil || !other {
		return subject, err
	}
	return subject.withRuntime(runtime)
}

// cutRuntime splits a subject from its runtime's name. Behind a path, only a known name is a runtime's.
func cutRuntime(s string) (rest, runtime string, named bool) {
	i := strings.LastIndex(s, runtimeMark)
	if i < 0 || looksLikePath(s[i+len(runtimeMark):]) {
		return s, "", false
	}
	rest, runtime = s[:i], s[i+len(runtimeMark):]
	if _, known := FindRuntime(runtime); !known && looksLikePath(rest) {
		return s, "", false
	}
	return rest, runtime, true
}

// withRuntime returns the subject with a runtime, or why it can't have that.
func (s Subject) withRuntime(name string) (Subject, error) {
	r, known := FindRuntime(name)
	switch {
	case !known:
		const format = "there is no runtime %q; the runtimes are %s; the path of a binary has a slash, such as " +
			"./kubelet"
		return Subject{}, fmt.Errorf(format, name, list(RuntimeNames()))
	case !r.Kubelets.Contains(s.Version):
		const format = "runtime %s is for kubelets %s, because %s: leave out %s%[1]s"
		return Subject{}, fmt.Errorf(format, name, r.Kubelets, r.Reason, runtimeMark)
	}
	s.Runtime = name
	return s, nil
}

// parsePath reads a binary of the user's own or a source tree, in the node lane.
func parsePath(version, path string) (Subject, error) {
	if folder, revision, found := tree.Cut(path); found {
		return parseTree(version, folder, revision)
	}
	return parseOwn(version, path)
}

// parseNode reads a subject of the node lane that podclock builds from a release.
func parseNode(s string) (Subject, error) {
	subject, err := parseBuilt(s)
	if err != nil {
		return Subject{}, err
	}
	if newest := formula.Versions()[0]; subject.MutatesControlPlane() && subject.Version != newest {
		const format = "mutation %s changes the %s, and every cluster has the one of %s: " +
			"write %[3]s+%[1]s, or %[4]s%[5]s for a virtual node"
		return Subject{}, fmt.Errorf(format, subject.Mutation, subject.Component(), newest, virtualPrefix, s)
	}
	return subject, nil
}

func parseBuilt(s string) (Subject, error) {
	written, name, mutated := strings.Cut(s, "+")
	version := release(written)
	if version == "" {
		const format = "there is no kubelet %q: write %s; the path of a binary or a source tree has a slash, such as " +
			"./kubelet"
		return Subject{}, fmt.Errorf(format, written, nearby(written, formula.Patches()))
	}
	if !mutated {
		return Subject{Version: version}, nil
	}
	m, ok := mutation.Find(name)
	if !ok {
		return Subject{}, fmt.Errorf("there is no mutation %q; the mutations are %s", name, list(mutation.Names()))
	}
	if !m.Versions.Contains(version) {
		return Subject{}, fmt.Errorf("mutation %s is for kubelets %s", m.Name, m.Versions)
	}
	return Subject{Version: version, Mutation: name}, nil
}

// parseVirtual reads a subject of the virtual lane, without virtualPrefix.
func parseVirtual(s string) (Subject, error) {
	if wanted, path, own := cutOwn(s); own {
		return parseVirtualTree(wanted, path)
	}
	written, name, _ := strings.Cut(s, "+")
	version := release(written)
	if version == "" || !InVirtualLane(version) {
		const format = "there is no virtual node %q: write %s"
		err := fmt.Errorf(format, written, nearby(written, VirtualPatches()))
		if version != "" {
			err = fmt.Errorf("%w; %w", err, ErrNodeOnly)
		}
		return Subject{}, err
	}
	subject, err := parseBuilt(s)
	if err != nil {
		return Subject{}, err
	}
	if m, _ := mutation.Find(name); m.NodeOnly() {
		const format = "mutation %s is about %s, which is no part of a virtual node; %w"
		return Subject{}, fmt.Errorf(format, m.Name, m.Lacking(), ErrNodeOnly)
	}
	subject.Virtual = true
	return subject, nil
}

// parseVirtualTree returns the subject of a source tree in the virtual lane.
func parseVirtualTree(wanted, path string) (Subject, error) {
	folder, revision, found := tree.Cut(path)
	if !found {
		const format = "a binary can't run in virtual time, because the virtual node is compiled from the kubelet's " +
			"source: write %s, or the folder of a source tree, which %q is not; %w"
		return Subject{}, fmt.Errorf(format, nearby("", VirtualPatches()), path, ErrNodeOnly)
	}
	s, err := parseTree(wanted, folder, revision)
	if err != nil {
		return Subject{}, err
	}
	s.Virtual = true
	return s, s.checkTree()
}

// Validate returns an error unless podclock can build the subject.
func (s Subject) Validate() error {
	if s.FromTree() {
		return s.checkTree()
	}
	parse := parseBuilt
	if s.Virtual {
		parse = parseVirtual
	}
	_, err := parse(s.Stamp())
	return err
}

// branchIn finds the branch in what is meant as a version.
var branchIn = regexp.MustCompile(`^v?1\.\d+`)

// nearby names what can be written instead of a version: releases of its own branch, or of the patches' branches.
func nearby(version string, patches []string) string {
	branch := "v" + strings.TrimPrefix(branchIn.FindString(version), "v")
	if i := slices.Index(patches, formula.NewestPatch(branch)); i >= 0 {
		patches = patches[i : i+1]
	}
	oldest, newest := semver.MajorMinor(patches[len(patches)-1]), patches[0]
	if len(patches) == 1 {
		return fmt.Sprintf("the branch %s or a release of it; the newest that podclock knows is %s", oldest, newest)
	}
	const format = "a branch from %s to %s, or a release such as %s"
	return fmt.Sprintf(format, oldest, semver.MajorMinor(newest), newest)
}

func list(names []string) string { return strings.Join(names, ", ") }

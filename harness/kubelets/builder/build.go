// Package builder builds the kubelets under test, and virtual nodes, from the pinned source of Kubernetes or from a
// source tree. It keeps them in podclock's cache, by a hash of everything they are built from. For a source tree the go
// command finds what changed. The user's own binary stays as it is.
package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// buildTimeout includes the wait for another build. An empty compiler cache costs minutes on two cores.
const buildTimeout = 30 * time.Minute

// Options say where to build. The zero value builds from the podclock source that contains the working directory.
type Options struct {
	// Source is the folder of podclock's source. Empty: the go command finds it.
	Source string
	// Log gets a line, in one Write, for each step that takes time. It may be nil. Concurrent builds write
	// concurrently.
	Log io.Writer
	// Cover are import paths of packages that count their executions, in a virtual node. The node writes the counts
	// when it is asked to.
	Cover []string
	// Files replace files of Kubernetes in a virtual node, by the import path of their package and their name, such as
	// k8s.io/client-go/util/flowcontrol/backoff.go.
	Files map[string][]byte
	// Component is the program to build in the node lane, by default that of the subject.
	Component mutation.Component
}

// Build returns the program of a subject, and builds it unless the cache contains one made from the same inputs. In the
// virtual lane that is the virtual node, and for a mutation of another component that component.
//
// Build may be called concurrently. Builds run one after another, because each uses all cores. An interrupted build
// leaves nothing that a later one could take for complete.
func Build(ctx context.Context, s kubelets.Subject, o Options) (Binary, error) {
	if s.Own() {
		return own(s)
	}
	if err := checkGates(ctx, s); err != nil {
		return Binary{}, err
	}
	if err := host.NeedLinux("kubelets and virtual nodes are built", "run --on=external needs neither"); err != nil {
		return Binary{}, err
	}
	return bounded(ctx, s, o, nil)
}

func bounded(ctx context.Context, s kubelets.Subject, o Options, together []mutation.Mutation) (Binary, error) {
	late := fmt.Errorf("building a kubelet took more than %v", buildTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, buildTimeout, late)
	defer cancel()
	binary, err := build(ctx, s, o, together)
	if err != nil {
		return Binary{}, fmt.Errorf("building %s %s: %w", cmp.Or(o.Component, mutation.Kubelet), s, err)
	}
	return binary, nil
}

// Key returns the hash, in hexadecimal, of everything that a subject's program is built from: module files, flags,
// toolchain, mutation. For the user's own binary it is the hash of the file. A source tree that may change has none.
func Key(ctx context.Context, s kubelets.Subject, o Options) (string, error) {
	if s.Own() {
		binary, err := own(s)
		return binary.SHA256, err
	}
	if s.FromTree() {
		return "", fmt.Errorf("%s has no hash: the files of a source tree can change before it is built", s)
	}
	r, err := newRecipe(ctx, s, "", o.Source)
	if err != nil {
		return "", fmt.Errorf("hashing what kubelet %s is built from: %w", s, err)
	}
	return r.key(), nil
}

func own(s kubelets.Subject) (Binary, error) {
	file, err := s.File()
	if err != nil {
		return Binary{}, err
	}
	sum, size, err := hashFile(file)
	if err != nil {
		return Binary{}, fmt.Errorf("hashing %q: %w", s.Path, err)
	}
	return Binary{Path: file, Version: s.Reports(), SHA256: sum, Size: size}, nil
}

// coldBuild is the cost of a virtual node with an empty compiler cache: 220 s for v1.36.3.
const coldBuild = "some 1750 packages to compile, up to 4 minutes on two cores"

// Check returns an error if the source of a pre-release or the Go version that it needs can't be downloaded, or if a
// release does not have a feature gate.
func Check(ctx context.Context, s kubelets.Subject) error {
	if err := checkGates(ctx, s); err != nil {
		return err
	}
	if s.Source() != "" || semver.Prerelease(s.Version) == "" {
		return nil
	}
	if _, err := newRecipe(ctx, s, "", ""); err != nil {
		return fmt.Errorf("subject %s: %w", s, err)
	}
	return nil
}

func build(ctx context.Context, s kubelets.Subject, o Options, together []mutation.Mutation) (Binary, error) {
	logf := func(format string, args ...any) {
		if o.Log != nil {
			of := cmp.Or(o.Component, mutation.Kubelet)
			_, _ = fmt.Fprintf(o.Log, "%s %s: "+format+"\n", append([]any{of, s}, args...)...)
		}
	}
	if s.FromTree() {
		return buildTree(ctx, s, o.Source, logf)
	}
	if err := s.Validate(); err != nil {
		return Binary{}, err
	}
	var b Binary
	var err error
	nearest := s.Nearest()
	for i, branch := range nearest {
		if b, err = buildRelease(ctx, s, branch, o, together, logf); !errors.As(err, new(movedError)) {
			break
		}
		if i+1 < len(nearest) {
			logf("%v; trying the code for kubelets %s", err, nearest[i+1])
		}
	}
	return b, err
}

func buildRelease(
	ctx context.Context, s kubelets.Subject, branch string, o Options, together []mutation.Mutation,
	logf func(string, ...any),
) (Binary, error) {
	r, err := newRecipe(ctx, s, branch, o.Source)
	if err != nil {
		return Binary{}, err
	}
	r.together = together
	r.files, r.built = o.Files, o.Component
	if len(o.Files) > 0 {
		r.flags = append(r.flags, everyError(o.Files)...)
	}
	if len(o.Cover) > 0 {
		// Counters are cleared between nodes of one process, which needs atomic ones. The main package registers them,
		// in Go 1.26 only if it counts itself (cmd/go/internal/load SelectCoverPackages).
		cover := append([]string{podclock + strings.TrimPrefix(virtualProgram, ".")}, o.Cover...)
		r.flags = append(r.flags, "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(cover, ","))
	}
	folder, err := cache.Dir("kubelet")
	if err != nil {
		return Binary{}, err
	}
	place := shelf{folder: folder, key: r.key(), name: r.binaryName(), length: shelfLength, inUse: inUse}
	if b, ok := place.find(); ok {
		logf("built before, from the same inputs: %s", b.Path)
		return b, nil
	}
	unlock, err := cache.Lock(ctx, "kubelet", logf)
	if err != nil {
		return Binary{}, err
	}
	defer unlock()
	if b, ok := place.find(); ok {
		logf("just built by another process: %s", b.Path)
		return b, nil
	}
	logf("building %s, nothing in the cache was made from these inputs", r)
	if s.Virtual && place.first(s.Version, r.toolchain) {
		logf("the first virtual node of %s here: %s; mutants and later ones take seconds", s.Version, coldBuild)
	}
	start := time.Now()
	b, err := place.put(func(folder string) (Binary, error) { return r.make(ctx, folder, logf) })
	if err != nil {
		return Binary{}, err
	}
	logf("built in %v, %d MB: %s", time.Since(start).Round(100*time.Millisecond), b.Size>>20, b.Path)
	return b, nil
}

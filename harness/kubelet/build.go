package kubelet

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/podclock/podclock/harness/cache"
	"github.com/podclock/podclock/images/node"
)

// buildTimeout bounds one build, the wait for another process's included. A cold one takes minutes on two cores.
const buildTimeout = 30 * time.Minute

// Options say where to build. The zero value is for a working directory inside podclock's source, and silent.
type Options struct {
	// Source is the folder of podclock's source, where the versions are pinned. Empty: asked of the go command.
	Source string
	// Log gets a line, in one Write, for everything that takes time or is decided. Nil: nothing is written.
	// Subjects that are built at the same time need one that allows for that.
	Log io.Writer
}

// Binary is a kubelet or a virtual node that was built, or a kubelet of the user's own.
type Binary struct {
	// Path is the file in the cache, which is never written again (who needs it changed copies it), or the
	// user's own file.
	Path string `json:"-"`
	// Version is what the kubelet reports of itself, see [Subject.Reports].
	Version string `json:"version"`
	// SHA256 is the file's, in hexadecimal, Size its size in bytes.
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// Toolchain is the Go version and the platform it was built with and for. Empty for a binary of the user's own.
	Toolchain string `json:"toolchain"`
}

// Build returns the kubelet of a subject, and builds it if the cache has none made from the same inputs.
// For a subject of the virtual lane that is the program of the virtual node that the kubelet is part of,
// and for one of the node lane whose mutation is in another component that component. It may be called for
// several subjects at once: they are built one after another, as each build keeps all cores busy and leaves
// much of its work to the next. An interrupted build leaves nothing behind that a later one could take for
// whole. A binary of the user's own is described as it is, and stays where it is.
func Build(ctx context.Context, s Subject, o Options) (Binary, error) {
	if s.Own() {
		return s.takeOwn()
	}
	ctx, cancel := context.WithTimeoutCause(
		ctx,
		buildTimeout,
		fmt.Errorf("building a kubelet took more than %v", buildTimeout),
	)
	defer cancel()
	binary, err := build(ctx, s, o)
	if err != nil {
		return Binary{}, fmt.Errorf("building kubelet %s: %w", s, err)
	}
	return binary, nil
}

func build(ctx context.Context, s Subject, o Options) (Binary, error) {
	r, err := newRecipe(ctx, s, o.Source)
	if err != nil {
		return Binary{}, err
	}
	say := func(format string, args ...any) {
		if o.Log != nil {
			_, _ = fmt.Fprintf(o.Log, "kubelet %s: "+format+"\n", append([]any{s}, args...)...)
		}
	}
	folder, err := cache.Dir("kubelet")
	if err != nil {
		return Binary{}, err
	}
	place := shelf{folder: folder, key: r.key(), name: r.binaryName()}
	if b, ok := place.find(); ok {
		say("built before, from the same inputs: %s", b.Path)
		return b, nil
	}
	unlock, err := cache.Lock(ctx, "kubelet")
	if err != nil {
		return Binary{}, err
	}
	defer unlock()
	if b, ok := place.find(); ok {
		say("just built by another process: %s", b.Path)
		return b, nil
	}
	say("building %s, nothing in the cache was made from these inputs", r)
	if s.Virtual && place.first(s.Version, r.toolchain) {
		say("the first virtual node of %s here: %s; mutants and later ones take seconds", s.Version, coldBuild)
	}
	start := time.Now()
	b, err := place.put(func(folder string) (Binary, error) { return r.cook(ctx, folder, say) })
	if err != nil {
		return Binary{}, err
	}
	say("built in %v, %d MB: %s", time.Since(start).Round(100*time.Millisecond), b.Size>>20, b.Path)
	return b, nil
}

// coldBuild says what a virtual node costs of which nothing is in the compiler's cache: 220 s were measured
// for v1.36.3.
const coldBuild = "some 1750 packages to compile, up to 4 minutes on two cores"

// recipe is everything a kubelet is made from.
type recipe struct {
	subject   Subject
	mutation  Mutation // the zero value for a clean subject
	pin       pin
	modules   pinned
	virtual   virtualSource // none in the node lane
	flags     []string
	toolchain string
}

func newRecipe(ctx context.Context, s Subject, source string) (recipe, error) {
	parse := parseBuilt
	if s.Virtual {
		parse = parseVirtual
	}
	if _, err := parse(s.stamp()); err != nil {
		return recipe{}, err
	}
	r := recipe{subject: s, flags: node.BuildFlags(s.stamp())}
	r.mutation, _ = findMutation(s.Mutation)
	r.pin, _ = findPin(pins(), s.Version)
	if source == "" {
		found, err := sourceFolder(ctx)
		if err != nil {
			return recipe{}, err
		}
		source = found
	}
	var err error
	if s.Virtual {
		r.flags = append(r.flags, "-tags", virtualTags(s.Version))
		r.pin, _ = findPin(virtualPins(), s.Version)
		if r.virtual, err = readVirtualSource(source); err != nil {
			return recipe{}, err
		}
	}
	if r.modules, err = r.pin.read(source); err != nil {
		return recipe{}, err
	}
	r.toolchain, err = toolchain(ctx, filepath.Join(source, filepath.FromSlash(r.pin.folder)))
	return r, err
}

func (r recipe) String() string {
	what := "a " + string(r.subject.Component())
	if r.subject.Virtual {
		what = "a virtual node"
	}
	if r.subject.Clean() {
		return fmt.Sprintf("%s of %s as released", what, r.subject.Version)
	}
	m := r.mutation
	return fmt.Sprintf(
		"%s of %s with %s in place of %s (%s, %s)",
		what,
		r.subject.Version,
		m.Mutant,
		m.Now,
		m.Within,
		m.File,
	)
}

// program is the main package.
func (r recipe) program() string {
	if r.subject.Virtual {
		return virtualProgram
	}
	return module + "/cmd/" + string(r.subject.Component())
}

// binaryName is what its file is called, which a list of processes shows.
func (r recipe) binaryName() string {
	if r.subject.Virtual {
		return virtualName
	}
	return string(r.subject.Component())
}

// cook builds the binary in an empty folder and leaves it there under the name binaryName, among other things.
func (r recipe) cook(ctx context.Context, folder string, say func(string, ...any)) (Binary, error) {
	work := filepath.Join(folder, workFolder)
	if err := r.layOut(ctx, work); err != nil {
		return Binary{}, err
	}
	path := filepath.Join(folder, r.binaryName())
	if err := compile(ctx, work, r.program(), path, r.flags, say); err != nil {
		return Binary{}, r.pin.explain(err)
	}
	if err := r.start(ctx, path); err != nil {
		return Binary{}, err
	}
	sum, size, err := hashFile(path)
	if err != nil {
		return Binary{}, fmt.Errorf("hashing the new binary: %w", err)
	}
	return Binary{Version: r.subject.stamp(), SHA256: sum, Size: size, Toolchain: r.toolchain}, nil
}

// start makes sure that the binary starts, understands what it will be given, and says of itself what the
// cluster will be told it is.
func (r recipe) start(ctx context.Context, binary string) error {
	args := []string{"--version"}
	switch {
	case r.subject.Virtual:
		args = []string{"-version"}
	case r.subject.Component() == TheKubelet:
		args = append(args, r.subject.Args()...)
	}
	got, err := askVersion(ctx, binary, args...)
	if err != nil {
		return fmt.Errorf("starting the new binary to see its version: %w", err)
	}
	if want := r.subject.stamp(); got != want {
		return fmt.Errorf(
			"the new binary says it is %q, not %q: the flags that stamp the version no longer work",
			got,
			want,
		)
	}
	return nil
}

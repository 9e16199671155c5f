package kubelet

import (
	"context"
	"fmt"
	"io"
	"os"
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
	// Log gets a line, in one Write, for everything that takes time or is decided. Nil: nothing is written. Subjects that
	// are built at the same time need one that allows for that.
	Log io.Writer
}

// Binary is a kubelet that was built, or one of the user's own.
type Binary struct {
	// Path is the file in the cache, which is never written again (who needs it changed copies it), or the user's own file.
	Path string `json:"-"`
	// Version is what the kubelet reports of itself, see [Subject.Reports].
	Version string `json:"version"`
	// SHA256 is the file's, in hexadecimal, Size its size in bytes.
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// Toolchain is the Go version and the platform it was built with and for. Empty for a binary of the user's own.
	Toolchain string `json:"toolchain"`
}

// Build returns the kubelet of a subject, and builds it if the cache has none made from the same inputs. It may be called for
// several subjects at once: they are built one after another, as each build keeps all cores busy and leaves much of
// its work to the next. An interrupted build leaves nothing behind that a later one could take for whole. A binary of the
// user's own is described as it is, and stays where it is.
func Build(ctx context.Context, s Subject, o Options) (Binary, error) {
	if s.Own() {
		return s.takeOwn()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, buildTimeout, fmt.Errorf("building a kubelet took more than %v", buildTimeout))
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
	place := shelf{folder: folder, key: r.key()}
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
	start := time.Now()
	b, err := place.put(func(folder string) (Binary, error) { return r.cook(ctx, folder, say) })
	if err != nil {
		return Binary{}, err
	}
	say("built in %v, %d MB: %s", time.Since(start).Round(100*time.Millisecond), b.Size>>20, b.Path)
	return b, nil
}

// recipe is everything a kubelet is made from.
type recipe struct {
	subject   Subject
	mutation  Mutation // the zero value for a clean subject
	pin       pin
	modules   pinned
	flags     []string
	toolchain string
}

func newRecipe(ctx context.Context, s Subject, source string) (recipe, error) {
	if _, err := parseBuilt(s.Reports()); err != nil {
		return recipe{}, err
	}
	p, _ := findPin(s.Version)
	r := recipe{subject: s, pin: p, flags: node.BuildFlags(s.Reports())}
	r.mutation, _ = findMutation(s.Mutation)
	if source == "" {
		found, err := sourceFolder(ctx)
		if err != nil {
			return recipe{}, err
		}
		source = found
	}
	var err error
	if r.modules, err = p.read(source); err != nil {
		return recipe{}, err
	}
	r.toolchain, err = toolchain(ctx, filepath.Join(source, filepath.FromSlash(p.folder)))
	return r, err
}

func (r recipe) String() string {
	if r.subject.Clean() {
		return r.subject.Version + " as released"
	}
	m := r.mutation
	return fmt.Sprintf("%s with %s in place of %s (%s, %s)", r.subject.Version, m.Mutant, m.Now, m.Within, m.File)
}

// cook builds the kubelet in an empty folder and leaves it there under the name binaryName, among other things.
func (r recipe) cook(ctx context.Context, folder string, say func(string, ...any)) (Binary, error) {
	work := filepath.Join(folder, workFolder)
	if err := writeModule(work, r.modules.goMod, r.modules.goSum); err != nil {
		return Binary{}, err
	}
	if !r.subject.Clean() {
		if err := r.mutate(ctx, work); err != nil {
			return Binary{}, err
		}
	}
	path := filepath.Join(folder, binaryName)
	if err := compile(ctx, work, path, r.flags, say); err != nil {
		return Binary{}, r.pin.explain(err)
	}
	if err := r.start(ctx, path); err != nil {
		return Binary{}, err
	}
	sum, size, err := hashFile(path)
	if err != nil {
		return Binary{}, fmt.Errorf("hashing the new binary: %w", err)
	}
	return Binary{Version: r.subject.Reports(), SHA256: sum, Size: size, Toolchain: r.toolchain}, nil
}

// mutate puts a mutated source beside the go.mod and points it there.
func (r recipe) mutate(ctx context.Context, work string) error {
	original, err := download(ctx, work)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.Join(original, filepath.FromSlash(r.mutation.File)))
	if err != nil {
		return fmt.Errorf("mutation %s: reading the file it changes: %w", r.mutation.Name, err)
	}
	mutated, err := r.mutation.Apply(source)
	if err != nil {
		return fmt.Errorf("%s %s: %w", module, r.subject.Version, err)
	}
	const beside = "kubernetes"
	if err := mutatedTree(filepath.Join(work, beside), original, r.mutation.File, mutated); err != nil {
		return err
	}
	goMod, err := r.modules.replaced(beside)
	if err != nil {
		return err
	}
	return writeModule(work, goMod, r.modules.goSum)
}

func writeModule(folder string, goMod, goSum []byte) error {
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "go.mod"), goMod, 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "go.sum"), goSum, 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the module to build in: %w", err)
	}
	return nil
}

// start makes sure that the binary starts, understands what it will be given, and says of itself what the cluster will be
// told it is.
func (r recipe) start(ctx context.Context, binary string) error {
	got, err := askVersion(ctx, binary, r.subject.Args()...)
	if err != nil {
		return fmt.Errorf("starting the new binary to see its version: %w", err)
	}
	if want := r.subject.Reports(); got != want {
		return fmt.Errorf("the new binary says it is %q, not %q: the flags that stamp the version no longer work", got, want)
	}
	return nil
}

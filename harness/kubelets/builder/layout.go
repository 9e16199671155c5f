package builder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// layOut makes a folder the main module of the program, with the dependencies of one Kubernetes release.
func (r recipe) layOut(ctx context.Context, work string, logf func(string, ...any)) error {
	if err := errors.Join(r.virtual.write(work), r.stub.write(work)); err != nil {
		return err
	}
	modules := r.modules
	if r.goVersion != "" {
		var err error
		if modules, err = (&derived{recipe: r, work: work, logf: logf}).files(ctx); err != nil {
			return r.explain(err)
		}
	}
	if err := modules.write(work); err != nil {
		return err
	}
	for _, m := range r.changedModules() {
		original := r.source
		if original == "" {
			var err error
			if original, err = download(ctx, work, m); err != nil {
				return err
			}
		}
		files, err := r.changedFiles(m, original)
		if err != nil {
			return err
		}
		beside := path.Base(m)
		if err := changedTree(filepath.Join(work, beside), original, files); err != nil {
			return err
		}
		if modules.goMod, err = modules.replaced(m, beside); err != nil {
			return err
		}
	}
	return modules.write(work)
}

func (r recipe) changedModules() []string {
	var modules []string
	if r.subject.Virtual || r.source != "" {
		modules = append(modules, mutation.Kubernetes)
	}
	if len(r.together) > 0 {
		modules = append(modules, versionModule)
	}
	for _, m := range r.mutations() {
		modules = append(modules, m.SourceModule())
	}
	for file := range r.files {
		modules = append(modules, moduleOf(file))
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}

// moduleOf returns the module of a package of Kubernetes or of its staging area: its first two steps.
func moduleOf(pkg string) string {
	steps := strings.SplitN(pkg, "/", 3)
	return strings.Join(steps[:min(2, len(steps))], "/")
}

// everyError makes the compiler report all errors of the packages of these files, not only the first ten.
func everyError(files map[string][]byte) (flags []string) {
	for file := range files {
		flags = append(flags, "-gcflags="+path.Dir(file)+"=-e")
	}
	slices.Sort(flags)
	return slices.Compact(flags)
}

func (r recipe) mutations() []mutation.Mutation {
	if r.subject.Mutation == "" {
		return r.together
	}
	return []mutation.Mutation{r.mutation}
}

func (r recipe) changedFiles(module, original string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if r.subject.Virtual && module == mutation.Kubernetes {
		if _, err := os.Stat(filepath.Join(original, filepath.FromSlash(mutation.DialerFile))); err != nil {
			return nil, fmt.Errorf("the virtual lane replaces a file that %s does not have: %w", r.subject.Version, err)
		}
		files[mutation.DialerFile] = r.virtual[dialerHook]
		if _, err := os.Stat(filepath.Join(original, filepath.FromSlash(kernelLogFile))); err == nil {
			files[kernelLogFile] = r.virtual[kernelLogHook]
		}
	}
	change := func(file string, by func([]byte) ([]byte, error)) error {
		source, err := os.ReadFile(filepath.Join(original, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("reading a file to change: %w", err)
		}
		if files[file], err = by(source); err != nil {
			return fmt.Errorf("%s of Kubernetes %s: %w", module, r.subject.Version, err)
		}
		return nil
	}
	if module == versionModule && len(r.together) > 0 {
		if err := change(versionFile, reportChosen); err != nil {
			return nil, err
		}
	}
	for file, content := range r.files {
		if below, ok := strings.CutPrefix(file, module+"/"); ok {
			files[below] = content
		}
	}
	here := slices.DeleteFunc(slices.Clone(r.mutations()),
		func(m mutation.Mutation) bool { return m.SourceModule() != module })
	for _, m := range here {
		if _, done := files[m.File]; done {
			continue
		}
		apply := m.Apply
		if len(r.together) > 0 {
			apply = func(source []byte) ([]byte, error) { return mutation.Choose(m.File, source, here) }
		}
		if err := change(m.File, apply); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// changedTree links original's files into folder, except for some with other contents, given by
// slash-separated paths. go build refuses overlays of the module cache.
func changedTree(folder, original string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the changed source: %w", err)
	}
	entries, err := os.ReadDir(original)
	if err != nil {
		return fmt.Errorf("reading the source to change: %w", err)
	}
	changed := byFirstStep(files)
	for _, e := range entries {
		from, to := filepath.Join(original, e.Name()), filepath.Join(folder, e.Name())
		below, ok := changed[e.Name()]
		delete(changed, e.Name())
		content, isFile := below[""]
		switch {
		case !ok:
			err = os.Symlink(from, to)
		case isFile:
			err = os.WriteFile(to, content, 0o644)
		default:
			err = changedTree(to, from, below)
		}
		if err != nil {
			return fmt.Errorf("making the changed source: %w", err)
		}
	}
	for missing := range changed {
		return fmt.Errorf("making the changed source: %s has no %s", original, missing)
	}
	return nil
}

func byFirstStep(files map[string][]byte) map[string]map[string][]byte {
	groups := map[string]map[string][]byte{}
	for path, content := range files {
		first, rest, _ := strings.Cut(path, "/")
		if groups[first] == nil {
			groups[first] = map[string][]byte{}
		}
		groups[first][rest] = content
	}
	return groups
}

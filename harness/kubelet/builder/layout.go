package builder

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// layOut makes a folder the main module of the program, with the dependencies of one Kubernetes release.
func (r recipe) layOut(ctx context.Context, work string, logf func(string, ...any)) error {
	if err := r.virtual.write(work); err != nil {
		return err
	}
	modules := r.modules
	if r.goVersion != "" {
		var err error
		if modules, err = (&derived{recipe: r, work: work, logf: logf}).files(ctx); err != nil {
			return r.pin.explain(err)
		}
	}
	if err := modules.write(work); err != nil {
		return err
	}
	for _, m := range r.changedModules() {
		original, err := download(ctx, work, m)
		if err != nil {
			return err
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
	if r.subject.Virtual {
		modules = append(modules, mutation.Kubernetes)
	}
	if m := r.mutation.SourceModule(); !r.subject.Released() && !slices.Contains(modules, m) {
		modules = append(modules, m)
	}
	return modules
}

func (r recipe) changedFiles(module, original string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if r.subject.Virtual && module == mutation.Kubernetes {
		files[mutation.DialerFile] = r.virtual[dialerHook]
		if _, err := os.Stat(filepath.Join(original, filepath.FromSlash(kernelLogFile))); err == nil {
			files[kernelLogFile] = r.virtual[kernelLogHook]
		}
	}
	m := r.mutation
	if r.subject.Released() || m.SourceModule() != module {
		return files, nil
	}
	source, err := os.ReadFile(filepath.Join(original, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, fmt.Errorf("mutation %s: reading the file that it changes: %w", m.Name, err)
	}
	files[m.File], err = m.Apply(source)
	if err != nil {
		return nil, fmt.Errorf("%s of Kubernetes %s: %w", module, r.subject.Version, err)
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

package kubelet

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// layOut makes a folder the main module that the recipe's program is compiled in. For a virtual node that
// is not podclock's own folder: its dependencies are those of one Kubernetes release, and the relative
// paths in its go.mod make the binary the same wherever it is built.
func (r recipe) layOut(ctx context.Context, work string) error {
	if err := writeModule(work, r.modules.goMod, r.modules.goSum); err != nil {
		return err
	}
	if err := r.virtual.write(work); err != nil {
		return err
	}
	modules := r.modules
	for _, m := range r.exchangedModules() {
		original, err := download(ctx, work, m)
		if err != nil {
			return err
		}
		files, err := r.exchanged(m, original)
		if err != nil {
			return err
		}
		beside := path.Base(m)
		if err := exchangedTree(filepath.Join(work, beside), original, files); err != nil {
			return err
		}
		if modules.goMod, err = modules.replaced(m, beside); err != nil {
			return err
		}
	}
	return writeModule(work, modules.goMod, modules.goSum)
}

// exchangedModules are the modules of which some file is compiled in another form than the released one.
func (r recipe) exchangedModules() []string {
	var modules []string
	if r.subject.Virtual {
		modules = append(modules, module)
	}
	if !r.subject.Clean() && !slices.Contains(modules, r.mutation.module()) {
		modules = append(modules, r.mutation.module())
	}
	return modules
}

// exchanged are the files of a module that are compiled in another form than the released one: contents by paths.
func (r recipe) exchanged(of, original string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if r.subject.Virtual && of == module {
		files[dialerFile] = r.virtual[dialerHook]
	}
	if r.subject.Clean() || r.mutation.module() != of {
		return files, nil
	}
	source, err := os.ReadFile(filepath.Join(original, filepath.FromSlash(r.mutation.File)))
	if err != nil {
		return nil, fmt.Errorf("mutation %s: reading the file it changes: %w", r.mutation.Name, err)
	}
	files[r.mutation.File], err = r.mutation.Apply(source)
	if err != nil {
		return nil, fmt.Errorf("%s of Kubernetes %s: %w", of, r.subject.Version, err)
	}
	return files, nil
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

package kubelet

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// layOut makes a folder the main module that the recipe's program is compiled in. For a virtual node that is not podclock's own folder: its
// dependencies are those of one Kubernetes release, and the relative paths in its go.mod make the binary the same wherever it is built.
func (r recipe) layOut(ctx context.Context, work string) error {
	if err := writeModule(work, r.modules.goMod, r.modules.goSum); err != nil {
		return err
	}
	if err := r.virtual.write(work); err != nil {
		return err
	}
	if r.subject.Clean() && !r.subject.Virtual {
		return nil
	}
	original, err := download(ctx, work, module)
	if err != nil {
		return err
	}
	files, err := r.exchanged(original)
	if err != nil {
		return err
	}
	return r.exchange(work, module, original, files)
}

// exchanged are the files of the kubelet's module that are compiled in another form than the released one: contents by paths.
func (r recipe) exchanged(original string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if r.subject.Virtual {
		files[dialerFile] = r.virtual[dialerHook]
	}
	if r.subject.Clean() {
		return files, nil
	}
	source, err := os.ReadFile(filepath.Join(original, filepath.FromSlash(r.mutation.File)))
	if err != nil {
		return nil, fmt.Errorf("mutation %s: reading the file it changes: %w", r.mutation.Name, err)
	}
	files[r.mutation.File], err = r.mutation.Apply(source)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", module, r.subject.Version, err)
	}
	return files, nil
}

// exchange puts a module's source, with some files exchanged, beside the go.mod of the work folder and points the go.mod there.
func (r recipe) exchange(work, module, original string, files map[string][]byte) error {
	beside := path.Base(module)
	if err := exchangedTree(filepath.Join(work, beside), original, files); err != nil {
		return err
	}
	goMod, err := r.modules.replaced(module, beside)
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

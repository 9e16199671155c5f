package drift

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets/tree"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Source returns the folder of a module's source.
type Source func(ctx context.Context, module string) (string, error)

// Open returns the source of a release such as v1.37.2, of the newest known one of a branch such as v1.37, or of a
// folder with a Kubernetes tree, or of a revision of its repository (./kubernetes@REVISION). It has the modules in
// which the formulas were read. source returns the folder of a release's module, such as k8s.io/api@v0.37.2.
func Open(ctx context.Context, name string, formulas []formula.Formula, source Source) (*Tree, error) {
	modules, err := modulesOf(formulas)
	if err != nil {
		return nil, err
	}
	if semver.IsValid(name) {
		return openRelease(ctx, name, modules, source)
	}
	return openFolder(ctx, name, modules)
}

func modulesOf(formulas []formula.Formula) ([]string, error) {
	modules := []string{formula.Kubernetes}
	for _, f := range formulas {
		places, err := f.Places()
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			if p.Module != "" && !slices.Contains(modules, p.Module) {
				modules = append(modules, p.Module)
			}
		}
	}
	return modules, nil
}

func openRelease(ctx context.Context, name string, modules []string, source Source) (*Tree, error) {
	t := &Tree{Name: name, Version: name, Modules: map[string]fs.FS{}}
	if name == semver.MajorMinor(name) {
		if t.Version = formula.NewestPatch(name); t.Version == "" {
			return nil, fmt.Errorf("%s: no release of this branch is known; name a release, such as %s.0", name, name)
		}
		t.Name = t.Version
	}
	if err := t.known(); err != nil {
		return nil, err
	}
	for _, m := range modules {
		version := t.Version
		if m != formula.Kubernetes {
			version = "v0" + strings.TrimPrefix(version, semver.Major(version))
		}
		folder, err := source(ctx, m+"@"+version)
		if err != nil {
			return nil, fmt.Errorf("release %s: %w, or name a folder with its source", t.Name, err)
		}
		t.Modules[m] = os.DirFS(folder)
	}
	return t, nil
}

// known returns an error for a tree that is older than every formula.
func (t *Tree) known() error {
	if semver.Compare(t.Version, formula.OldestKnown) < 0 {
		return fmt.Errorf("%s: formulas were read in %s to %s; name a newer release", t.Name, formula.OldestKnown,
			formula.NewestKnown)
	}
	return nil
}

// stagingFolder is where a tree has the modules of its staging area.
const stagingFolder = "staging/src"

func openFolder(ctx context.Context, name string, modules []string) (*Tree, error) {
	const remedy = "name a release, such as " + formula.NewestKnown
	folder, revision, found := tree.Cut(name)
	if !found {
		return nil, fmt.Errorf("%s: there is no such release or folder; %s, or the root of a clone of "+
			"kubernetes/kubernetes", name, remedy)
	}
	opened, err := tree.Open(folder, revision, formula.NewestPatch)
	if err != nil {
		return nil, fmt.Errorf("%w; or %s", err, remedy)
	}
	// A tree that does not say what it is becomes the next release.
	t := &Tree{Name: name, Version: cmp.Or(opened.Version, formula.NewestKnown), Modules: map[string]fs.FS{}}
	if err := t.known(); err != nil {
		return nil, err
	}
	source, err := opened.Source(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		folder := source
		if m != formula.Kubernetes {
			folder = filepath.Join(source, filepath.FromSlash(stagingFolder), filepath.FromSlash(m))
		}
		if _, err := os.Stat(folder); err != nil {
			return nil, fmt.Errorf("%s has no %s/%s, in which formulas were read; %s", name, stagingFolder, m, remedy)
		}
		t.Modules[m] = os.DirFS(folder)
	}
	return t, nil
}

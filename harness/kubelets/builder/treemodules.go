package builder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
)

// releaseOf returns a branch's release that has pinned module files, or else its newest known patch.
func releaseOf(branch string) string {
	for _, v := range formula.Versions() {
		if semver.MajorMinor(v) == branch {
			return v
		}
	}
	return formula.NewestPatch(branch)
}

// pinned returns the versions in the module file of a pinned virtual node, or nothing. Packages of equal content,
// module and version are compiled once for the release, and for all trees in both lanes.
func pinned(own, release string) (map[string]string, error) {
	versions := map[string]string{}
	files, err := pinOf(kubelets.Subject{Virtual: true, Version: release}).read(own)
	if errors.Is(err, fs.ErrNotExist) {
		return versions, nil
	}
	var parsed *modfile.File
	if err == nil {
		parsed, err = modfile.Parse("go.mod", files.goMod, nil)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range parsed.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	return versions, nil
}

// treeModules returns the module files to build a tree with. The tree's own decide the versions of all modules. pinned
// are versions of its staging modules, language is its Go version.
func (r recipe) treeModules(release string, pinned map[string]string, language string) (moduleFiles, error) {
	tree, err := readModules(r.source)
	if err != nil {
		return moduleFiles{}, fmt.Errorf("reading what %s requires: %w", r.subject.Tree, err)
	}
	own, err := modfile.Parse("go.mod", tree.goMod, nil)
	if err != nil {
		return moduleFiles{}, fmt.Errorf("reading what %s requires: %w", r.subject.Tree, err)
	}
	f := &modfile.File{}
	_ = f.AddModuleStmt(podclock)
	err = cmp.Or(f.AddGoStmt(language), f.AddRequire(mutation.Kubernetes, release))
	inside := map[string]bool{}
	for _, replaced := range own.Replace {
		to := replaced.New
		if to.Version == "" {
			inside[replaced.Old.Path] = true
			to.Path = "./" + path.Join(path.Base(mutation.Kubernetes), to.Path)
		}
		err = cmp.Or(err, f.AddReplace(replaced.Old.Path, replaced.Old.Version, to.Path, to.Version))
	}
	for _, required := range own.Require {
		version := required.Mod.Version
		if inside[required.Mod.Path] {
			version = cmp.Or(pinned[required.Mod.Path], version)
		}
		f.AddNewRequire(required.Mod.Path, version, required.Indirect)
	}
	for _, file := range r.virtual.paths() {
		if folder, name := path.Split(file); name == "go.mod" {
			err = cmp.Or(err, f.AddReplace(modfile.ModulePath(r.virtual[file]), "", "./"+path.Clean(folder), ""))
		}
	}
	if err == nil {
		tree.goMod, err = f.Format()
	}
	if err != nil {
		return moduleFiles{}, fmt.Errorf("making the module file for %s: %w", r.subject.Tree, err)
	}
	return tree, nil
}

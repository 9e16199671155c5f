package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/cache"
	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/images/node"
)

// treeSpace is what the first build of a tree writes, a revision's files and the compiler's cache included.
const treeSpace = 3 << 30

// buildTree always runs the go command, which finds what changed since the tree's last build. The folder to build in
// stays the same, so the go command also finds what it knows of the unchanged files.
func buildTree(ctx context.Context, s kubelet.Subject, o Options, logf func(string, ...any)) (Binary, error) {
	if err := s.Validate(); err != nil {
		return Binary{}, err
	}
	place, err := s.Tree.Place()
	if err != nil {
		return Binary{}, err
	}
	if err := needSpace(place); err != nil {
		return Binary{}, err
	}
	unlock, err := cache.Lock(ctx, "kubelet", logf)
	if err != nil {
		return Binary{}, err
	}
	defer unlock()
	if s.Tree.Guess != "" {
		logf("%s; to use another patch, write it before the path, such as %s@%s", s.Tree.Guess,
			cmp.Or(kubelet.NewestPatch(s.Version), s.Version), s.Tree)
	}
	if s.Tree.LeavesOut {
		logf("the uncommitted changes of %s are no part of %s", s.Tree.Path, s.Tree)
	}
	source, err := s.Tree.Source(ctx)
	if err != nil {
		return Binary{}, err
	}
	folder := filepath.Join(place, string(s.Lane()))
	start := time.Now()
	var b Binary
	nearest := s.Nearest()
	for i, branch := range nearest {
		var r recipe
		if r, err = newTreeRecipe(ctx, s, branch, source, o.Source); err != nil {
			return Binary{}, err
		}
		if own := semver.MajorMinor(s.Version); s.Virtual && (branch != own || semver.Prerelease(s.Version) != "") {
			logf("the nearest release is %s: the virtual node's code for its kubelets is used for %s", branch, s.Version)
		}
		logf("compiling what changed in %s", source)
		if b, err = r.makeAgain(ctx, folder, logf); !errors.As(err, new(movedError)) {
			break
		}
		if i+1 < len(nearest) {
			logf("%v; trying the code for kubelets %s", err, nearest[i+1])
		}
	}
	if err == nil {
		logf("built in %v, %d MB: %s", time.Since(start).Round(100*time.Millisecond), b.Size>>20, b.Path)
	}
	return b, err
}

func needSpace(folder string) error {
	free, err := host.Free(folder)
	if err != nil {
		return err
	}
	if free < treeSpace {
		const format = "%s has %d MB free and the build of a source tree needs %d MB: free some, or set %s to a folder " +
			"on another disk"
		return fmt.Errorf(format, folder, free>>20, treeSpace>>20, cache.Variable)
	}
	return nil
}

func newTreeRecipe(ctx context.Context, s kubelet.Subject, branch, source, own string) (recipe, error) {
	r := recipe{subject: s, source: source, flags: node.BuildFlags(s.Stamp())}
	var err error
	if own == "" {
		if own, err = sourceFolder(ctx); err != nil {
			return recipe{}, err
		}
	}
	if s.Virtual {
		r.flags = append(r.flags, "-tags", virtualTags(branch))
		if r.virtual, err = readVirtualSource(own); err != nil {
			return recipe{}, err
		}
	}
	language, err := goVersion(own)
	if err != nil {
		return recipe{}, err
	}
	release := releaseOf(branch)
	if r.modules, err = r.treeModules(release, pinned(own, release), language); err != nil {
		return recipe{}, err
	}
	r.toolchain, err = toolchain(ctx, source)
	return r, err
}

// releaseOf returns a branch's release that has pinned module files, or else its newest known patch.
func releaseOf(branch string) string {
	for _, v := range kubelet.Versions() {
		if semver.MajorMinor(v) == branch {
			return v
		}
	}
	return kubelet.NewestPatch(branch)
}

// pinned returns the versions in the module file of a pinned virtual node, or nothing. Packages of equal content, module
// and version are compiled once for the release, and for all trees in both lanes.
func pinned(own, release string) map[string]string {
	versions := map[string]string{}
	files, err := pinOf(kubelet.Subject{Virtual: true, Version: release}).read(own)
	if err != nil {
		return versions
	}
	if parsed, err := modfile.Parse("go.mod", files.goMod, nil); err == nil {
		for _, r := range parsed.Require {
			versions[r.Mod.Path] = r.Mod.Version
		}
	}
	return versions
}

// treeModules returns the module files to build a tree with. The tree's own decide the versions of all modules. pinned
// are versions of its staging modules, language is the least Go version.
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
	if own.Go != nil && semver.Compare("v"+own.Go.Version, "v"+language) > 0 {
		language = own.Go.Version
	}
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

// makeAgain is like make, but reuses the folder, and puts the program beside those of the tree's earlier builds.
func (r recipe) makeAgain(ctx context.Context, folder string, logf func(string, ...any)) (Binary, error) {
	if err := os.RemoveAll(filepath.Join(folder, workFolder)); err != nil {
		return Binary{}, fmt.Errorf("removing the folder of the build before: %w", err)
	}
	b, err := r.make(ctx, folder, logf)
	if err != nil {
		return Binary{}, err
	}
	programs := filepath.Join(folder, "programs")
	if err := os.MkdirAll(programs, 0o755); err != nil {
		return Binary{}, fmt.Errorf("making a folder for programs: %w", err)
	}
	place := shelf{folder: programs, key: b.SHA256, name: r.binaryName(), length: treeLength, inUse: treeInUse}
	if found, ok := place.find(); ok {
		return found, nil
	}
	// The go command replaces its output by another file, so the program stays as it is.
	return place.put(func(temporary string) (Binary, error) {
		return b, os.Link(filepath.Join(folder, place.name), filepath.Join(temporary, place.name))
	})
}

// movedError is about podclock's own code, which does not compile with a tree.
type movedError struct{ error }

var (
	// ownLine is a line of the compiler about podclock's own code.
	ownLine = regexp.MustCompile(`(?m)^(?:\./)?harness/\S+\.go:\d.*$`)
	// incomplete is in an error about the tree's go.mod or go.sum.
	incomplete = regexp.MustCompile(`updates to go\.mod needed|missing go\.sum entry`)
	inTree     = regexp.MustCompile(`(?m)^(?:\./)?kubernetes/`)
)

var undefined = regexp.MustCompile(`undefined: \w+\.(\w+)`)

// hidden says what a replaced file of the tree declares and podclock's own file does not, or "".
func (r recipe) hidden(printed string) string {
	for _, name := range undefined.FindAllStringSubmatch(printed, -1) {
		for file, hook := range map[string]string{mutation.DialerFile: dialerHook, kernelLogFile: kernelLogHook} {
			declared := regexp.MustCompile(`\b` + name[1] + `\b`)
			text, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(file)))
			if err == nil && r.subject.Virtual && declared.Match(text) && !declared.Match(r.virtual[hook]) {
				return fmt.Sprintf("podclock's %s has no %s", file, name[1])
			}
		}
	}
	return ""
}

// explain says whether the tree or podclock's own code does not compile.
func (r recipe) explain(err error) error {
	var compiling compileError
	if r.source == "" {
		return r.pin.explain(err)
	}
	if !errors.As(err, &compiling) {
		return err
	}
	tree := r.subject.Tree.String()
	if own := ownLine.FindAllString(compiling.printed, -1); own != nil {
		const format = "the API of %s moved: podclock's own code for the nearest release does not compile with it: %s"
		return movedError{fmt.Errorf(format, tree, kubelet.FirstLines(strings.Join(own, "\n")))}
	}
	if missing := r.hidden(compiling.printed); missing != "" {
		const format = "the API of %s moved: podclock replaces a file of it in the virtual lane, and %s: %s"
		return movedError{fmt.Errorf(format, tree, missing, kubelet.FirstLines(compiling.printed))}
	}
	if incomplete.MatchString(compiling.printed) {
		const format = "the module files of %s do not pin all that it is built from: %s: run hack/update-vendor.sh in it"
		return fmt.Errorf(format, tree, kubelet.FirstLines(compiling.printed))
	}
	lines := inTree.ReplaceAllString(compiling.printed, r.subject.Tree.Path+"/")
	return fmt.Errorf("%s does not compile: %s", tree, kubelet.FirstLines(lines))
}

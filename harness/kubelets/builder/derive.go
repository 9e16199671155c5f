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
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// derived makes the module files of a release without pinned ones. Kubernetes' own go.mod replaces its staging modules
// by folders, which its module does not contain. They are published, too: v0.X.Y belongs to release v1.X.Y.
type derived struct {
	recipe
	// work is the folder of the main module.
	work string
	logf func(format string, args ...any)
	// unverified are the modules without an entry in the checksum database.
	unverified []string
}

// files returns the module files. The cache keeps them, so a later build compares a download with the first one.
func (d *derived) files(ctx context.Context) (moduleFiles, error) {
	folder, err := cache.Dir("modules", string(d.subject.Lane())+"-"+d.subject.Version)
	if err != nil {
		return moduleFiles{}, err
	}
	files, err := readModules(folder)
	if err != nil {
		files.goMod, err = d.start(ctx)
	}
	if err == nil {
		err = files.write(d.work)
	}
	if err == nil {
		err = d.complete(ctx)
	}
	if err == nil {
		files, err = readModules(d.work)
	}
	if err == nil {
		err = files.write(folder)
	}
	if err == nil && len(d.unverified) > 0 {
		const format = "the checksum database does not have %s: their contents are used as downloaded; %s records them"
		d.logf(format, strings.Join(d.unverified, ", "), filepath.Join(folder, "go.sum"))
	}
	return files, err
}

// language returns the Go version of derived module files: that of podclock's own module, or that of the release if it
// needs a newer one.
func (r recipe) language(ctx context.Context, source string) (string, error) {
	folder, err := (&derived{recipe: r}).kubernetes(ctx)
	if err != nil {
		return "", err
	}
	return goVersion(source, folder)
}

// kubernetes downloads the release and returns its folder.
func (d *derived) kubernetes(ctx context.Context) (folder string, err error) {
	module := mutation.Kubernetes + "@" + d.subject.Version
	if folder, err = Cached(ctx, module); err == nil {
		return folder, nil
	}
	folder, err = downloadOutside(ctx, module, d.unchecked())
	if err != nil && d.lacksSum(err.Error()) {
		folder, err = downloadOutside(ctx, module, d.unchecked())
	}
	if err != nil && !errors.As(err, new(goError)) {
		err = fmt.Errorf("%w; %s", err, listed(ctx, d.subject.Version))
	}
	return folder, err
}

const stagingFolder = "./staging/src/"

// start returns a go.mod with Kubernetes and its staging modules.
func (d *derived) start(ctx context.Context) ([]byte, error) {
	f := &modfile.File{}
	_ = f.AddModuleStmt(podclock)
	_ = f.AddGoStmt(d.goVersion)
	folder, err := d.kubernetes(ctx)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("reading what Kubernetes %s requires: %w", d.subject.Version, err)
	}
	own, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, fmt.Errorf("reading what Kubernetes %s requires: %w", d.subject.Version, err)
	}
	err = f.AddRequire(mutation.Kubernetes, d.subject.Version)
	staging := "v0." + strings.TrimPrefix(d.subject.Version, "v1.")
	for _, r := range own.Replace {
		if strings.HasPrefix(r.New.Path, stagingFolder) {
			err = cmp.Or(err, f.AddReplace(r.Old.Path, "", r.Old.Path, staging))
		}
	}
	for _, file := range d.virtual.paths() {
		if folder, name := path.Split(file); name == "go.mod" {
			err = cmp.Or(err, f.AddReplace(modfile.ModulePath(d.virtual[file]), "", "./"+path.Clean(folder), ""))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("deriving the go.mod of Kubernetes %s: %w", d.subject.Version, err)
	}
	return f.Format()
}

// complete adds the other modules and all hashes.
func (d *derived) complete(ctx context.Context) error {
	for {
		tags := virtualTags(d.branch)
		cmd := d.goCommand(ctx, d.work, "list", "-mod=mod", "-deps", "-tags", tags, d.program())
		cmd.Env = append(cmd.Env, d.unchecked())
		var printed strings.Builder
		cmd.Stderr = &printed
		err := cmd.Run()
		if err == nil || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if d.lacksSum(printed.String()) {
			continue
		}
		replaced, failed := d.substitute(printed.String())
		if failed != nil || !replaced {
			const format = "finding the modules of Kubernetes %s: %w: %s"
			lines := kubelets.FirstLines(downloading.ReplaceAllString(printed.String(), ""))
			if m := notServed.FindString(printed.String()); m != "" {
				err = ErrNotServed
				lines, _, _ = strings.Cut(m, ": reading ")
			}
			return fmt.Errorf(format, d.subject.Version, cmp.Or(failed, err), lines)
		}
	}
}

// downloading are lines of the go command that say nothing of an error.
var downloading = regexp.MustCompile(`(?m)^go: downloading .*\n`)

// unchecked returns the setting that leaves the unverified modules out of the checks.
func (d *derived) unchecked() string {
	paths := []string{os.Getenv("GONOSUMDB")}
	for _, m := range d.unverified {
		name, _, _ := strings.Cut(m, "@")
		paths = append(paths, name)
	}
	return "GONOSUMDB=" + strings.Trim(strings.Join(paths, ","), ",")
}

// noSum is what the go command prints if the checksum database does not have a module of Kubernetes.
var noSum = regexp.MustCompile(`(k8s\.io/[\w-]+@v[\w.-]+): verifying (?:module|go\.mod): [^;\n]*: (?:404|410) `)

// lacksSum reports whether an error is about a module that the checksum database does not have, and notes the module.
func (d *derived) lacksSum(text string) bool {
	m := noSum.FindStringSubmatch(text)
	if m == nil || slices.Contains(d.unverified, m[1]) {
		return false
	}
	d.unverified = append(d.unverified, m[1])
	return true
}

// ErrNotServed is a module that the module proxy does not have.
var ErrNotServed = errors.New("the module proxy lacks one, set GOPROXY to a proxy that has it")

// notServed is what the go command prints if the module proxy does not have a version of a module.
var notServed = regexp.MustCompile(
	`((?:sigs\.)?k8s\.io/[\w/-]+)@(v\d+\.\d+\.)(\d+)(?:-[\w.]+)?: reading [^;\n]*: (?:403 |404 |410 |no such file)`)

// substitute replaces a module of Kubernetes that is not served. Its patch before takes its place, because patches
// seldom change one, or podclock's stub of it.
func (d *derived) substitute(text string) (replaced bool, err error) {
	m := notServed.FindStringSubmatch(text)
	if m == nil || strings.Contains(m[0], "/sumdb/") {
		return false, nil
	}
	module, by, version := m[1], m[1], ""
	stub := d.stub[iptablesStub+"/go.mod"]
	patch, err := strconv.Atoi(m[3])
	switch {
	case err != nil:
		return false, err
	case patch > 0:
		version = m[2] + strconv.Itoa(patch-1)
	case stub != nil && modfile.ModulePath(stub) == module:
		by = "./" + iptablesStub
	default:
		return false, nil
	}
	files, err := readModules(d.work)
	if err != nil {
		return false, err
	}
	f, err := modfile.Parse("go.mod", files.goMod, nil)
	if err != nil {
		return false, err
	}
	if err := f.AddReplace(module, "", by, version); err != nil {
		return false, err
	}
	if files.goMod, err = f.Format(); err != nil {
		return false, err
	}
	d.logf("%s %s%s cannot be downloaded: %s takes its place", module, m[2], m[3], cmp.Or(version, "podclock's stub"))
	return true, files.write(d.work)
}

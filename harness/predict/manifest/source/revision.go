package source

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/predict/manifest"
)

// Version reads one of two versions of manifests: a file, a folder, a pattern, standard input, or a git revision, alone
// or with a path or pattern after a colon. The other one decides which path of a mere revision is meant.
func Version(
	ctx context.Context, named, other string, recursive bool, in io.Reader, templates ...manifest.Template,
) (manifest.Manifest, error) {
	for _, v := range []string{named, other} {
		if err := exists(ctx, v); err != nil {
			return manifest.Manifest{}, err
		}
	}
	if direct(named) {
		files, err := Files([]string{named}, recursive)
		if err != nil {
			return manifest.Manifest{}, err
		}
		return Read(files, in, templates...)
	}
	revision, folder, of := strings.Cut(named, ":")
	if !of {
		folder = "."
		if _, theirs, of := strings.Cut(other, ":"); of && !direct(other) {
			folder = theirs
		} else if direct(other) && other != StandardInput && !isURL(other) {
			folder = other
		}
	}
	return ofRevision(ctx, revision, path.Clean(filepath.ToSlash(folder)), recursive, templates)
}

// direct reports whether something is no git revision.
func direct(named string) bool {
	_, err := os.Stat(named)
	files, _ := filepath.Glob(named) // a bad pattern matches nothing
	return named == StandardInput || isURL(named) || err == nil || len(files) > 0
}

// exists fails if a version is neither direct nor of a git revision.
func exists(ctx context.Context, named string) error {
	if direct(named) {
		return nil
	}
	revision, _, _ := strings.Cut(named, ":")
	git := exec.CommandContext(ctx, "git", "rev-parse", "--quiet", "--verify", "--end-of-options", revision+"^{commit}")
	if problem, err := git.CombinedOutput(); err != nil {
		return fmt.Errorf("%s is no file, folder or git revision (%w) %s", named, err, bytes.TrimSpace(problem))
	}
	return nil
}

// ofRevision reads a file or folder of a git revision.
func ofRevision(
	ctx context.Context, revision, of string, recursive bool, templates []manifest.Template,
) (none manifest.Manifest, err error) {
	var out, problems bytes.Buffer
	git := exec.CommandContext(ctx, "git", "archive", "--format=tar", "--end-of-options", revision, of)
	git.Stdout, git.Stderr = &out, &problems
	if err := git.Run(); err != nil {
		says := bytes.TrimSpace(problems.Bytes())
		return none, fmt.Errorf("read %s of git revision %s: %w: %s", of, revision, err, says)
	}
	var all several
	for archive := tar.NewReader(&out); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return none, fmt.Errorf("read git's archive of %s: %w", revision, err)
		}
		name := path.Clean(header.Name)
		if header.Typeflag != tar.TypeReg || !isOf(of, name, recursive) {
			continue
		}
		all.add(built(archive, name, revision+":"+name, templates))
	}
	if all.read == 0 {
		const empty = "there is no .yaml, .yml or .json file in %s:%s; -R reads folders below it, too"
		return none, fmt.Errorf(empty, revision, of)
	}
	return all.end()
}

// isOf reports whether a file of a revision is the named one, fits the named pattern, or is a manifest of the folder.
func isOf(named, file string, recursive bool) bool {
	if fits, _ := path.Match(named, file); fits || file == named { // a bad pattern matches nothing
		return true
	}
	below, inside := strings.CutPrefix(file, strings.TrimPrefix(named+"/", "./"))
	steps := strings.Split(below, "/")
	return inside && IsManifest(file) && !slices.ContainsFunc(steps, isHidden) && (recursive || len(steps) == 1)
}

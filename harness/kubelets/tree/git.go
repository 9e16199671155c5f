package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repository is a git repository whose root is a tree.
type repository struct {
	// folder is the tree, dir the repository's own folder, such as .git in it.
	folder, dir string
}

// findRepository returns the repository of a folder, or why the folder is not the root of one. A folder inside another
// repository must not have that one's commit and tags.
func findRepository(folder string) (repository, error) {
	r := repository{folder: folder}
	if _, err := exec.LookPath("git"); err != nil {
		return r, errors.New("git is not installed")
	}
	found, err := r.git("rev-parse", "--absolute-git-dir", "--is-bare-repository")
	switch {
	case err != nil && strings.Contains(err.Error(), "not a git repository"):
		return r, fmt.Errorf("%q is no git repository", folder)
	case err != nil:
		return r, fmt.Errorf("git can't read %q: %w", folder, err)
	}
	dir, bare, _ := strings.Cut(found, "\n")
	r.dir = dir
	if bare == "true" && dir == folder {
		return r, nil
	}
	top, err := r.git("rev-parse", "--show-toplevel")
	if err != nil || top != folder {
		return r, fmt.Errorf("%q is not the root of a git repository", folder)
	}
	return r, nil
}

// git runs git in the tree and returns its trimmed output. The error is the first line that git printed.
func (r repository) git(args ...string) (string, error) {
	out, err := r.run(exec.Command("git", args...))
	return strings.TrimSpace(string(out)), err
}

// local are the variables by which a hook or an alias of git names its own repository.
var local = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_NAMESPACE",
}

func (r repository) run(cmd *exec.Cmd, variables ...string) ([]byte, error) {
	if cmd.Dir == "" {
		cmd.Dir = r.folder
	}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(local, name)
	})
	// A status must not write the index of the user's repository.
	cmd.Env = append(append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"), variables...)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	out, err := cmd.Output()
	if line, _, _ := strings.Cut(strings.TrimSpace(printed.String()), "\n"); err != nil && line != "" {
		err = errors.New("git: " + strings.TrimPrefix(line, "fatal: "))
	}
	return out, err
}

func (r repository) commit(revision string) (string, error) {
	commit, err := r.git("rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err == nil {
		return commit, nil
	}
	remedy := "correct it, or fetch it"
	if r.shallow() {
		remedy = "the clone is shallow, so git fetch --unshallow may bring it"
	}
	return "", fmt.Errorf("%q has no revision %q: %s", r.folder, revision, remedy)
}

func (r repository) shallow() bool {
	answer, err := r.git("rev-parse", "--is-shallow-repository")
	return err == nil && answer == "true"
}

// head returns the commit of the work tree.
func (r repository) head() (string, error) {
	commit, err := r.git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("%q has no commit", r.folder)
	}
	return commit, nil
}

// dirty reports whether the work tree differs from its commit. New files count, because the compiler reads them.
func (r repository) dirty() (bool, error) {
	changed, err := r.git("status", "--porcelain")
	return changed != "", err
}

// committed are the files of a commit.
type committed struct {
	repository
	commit string
}

func (c committed) read(name string) ([]byte, error) {
	out, err := c.run(exec.Command("git", "cat-file", "blob", c.commit+":"+name))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return out, nil
}

func (c committed) list(folder string) ([]string, error) {
	out, err := c.git("ls-tree", "--name-only", c.commit+":"+folder)
	return strings.Fields(out), err
}

// checkOut writes the commit's files into a new folder. The index is beside it, so the user's stays as it is. The
// folder vendor is left out: modules take its place.
func (c committed) checkOut(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	git := func(input []byte, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{
			"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.sparseCheckout=false",
			"--git-dir=" + c.dir, "--work-tree=" + folder,
		}, args...)...)
		cmd.Dir, cmd.Stdin = folder, bytes.NewReader(input)
		return c.run(cmd, "GIT_INDEX_FILE="+filepath.Join(filepath.Dir(folder), "index"))
	}
	_, err := git(nil, "read-tree", c.commit)
	var names []byte
	if err == nil {
		names, err = git(nil, "ls-files", "-z", "--", ":(top,exclude)vendor")
	}
	if err == nil {
		_, err = git(names, "checkout-index", "--quiet", "-z", "--stdin")
	}
	return err
}

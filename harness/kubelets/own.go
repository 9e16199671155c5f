package kubelets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/semver"
)

const rebuild = "build it in a checkout of Kubernetes with make WHAT=cmd/kubelet"

// cutOwn splits the name of a binary or a source tree into the expected version, if any, and its path. own reports
// whether the name is a path: it contains a slash or begins with a dot.
func cutOwn(s string) (version, path string, own bool) {
	if before, after, found := strings.Cut(s, "@"); found && isRelease(before) {
		version, s = before, after
	}
	return version, s, looksLikePath(s)
}

func looksLikePath(s string) bool {
	return strings.HasPrefix(s, ".") || strings.ContainsRune(s, filepath.Separator)
}

// isRelease reports whether a version has all three numbers.
func isRelease(version string) bool {
	return semver.IsValid(version) && strings.HasPrefix(version, semver.Canonical(version))
}

// parseOwn returns the subject of a binary, or what is wrong with it. An empty version accepts all.
func parseOwn(wanted, path string) (Subject, error) {
	s := Subject{Path: path}
	file, err := s.File()
	if err != nil {
		return Subject{}, err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return Subject{}, fmt.Errorf("reading the properties of %q: %w", path, err)
	case !info.Mode().IsRegular():
		return Subject{}, fmt.Errorf("%q is no regular file: write the path of a kubelet binary", path)
	case info.Mode()&0o111 == 0:
		return Subject{}, fmt.Errorf("%q is not executable: run chmod +x on it, if it is a kubelet", path)
	}
	if s.Version, err = askOwn(file); err != nil {
		return Subject{}, fmt.Errorf("%q: %w", path, err)
	}
	if wanted != "" && wanted != s.Version {
		const format = "%q is a kubelet %s, not %s: build that version, or write the path alone"
		return Subject{}, fmt.Errorf(format, path, s.Version, wanted)
	}
	return s, nil
}

// File returns the absolute path of the user's own binary without symbolic links.
func (s Subject) File() (string, error) {
	absolute, err := filepath.Abs(s.Path)
	if err != nil {
		return "", fmt.Errorf("finding %q: %w", s.Path, err)
	}
	file, err := filepath.EvalSymlinks(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(s.Path, "~"):
		return "", fmt.Errorf("there is no file %q: the shell did not replace the ~, write $HOME instead", absolute)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %q: correct the path, or %s", absolute, rebuild)
	case err != nil:
		return "", fmt.Errorf("finding %q: %w", s.Path, err)
	}
	return file, nil
}

// askOwn returns the version that a binary reports. It must accept --node-ip, which other programs of Kubernetes
// reject.
func askOwn(file string) (string, error) {
	version, err := AskVersion(context.Background(), file, "--version", "--node-ip=127.0.0.1")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", fmt.Errorf("it does not print its version as a kubelet does: %w; %s", err, rebuild)
	case err != nil:
		return "", fmt.Errorf("%w; it must be a kubelet for %s/%s: %s", err, runtime.GOOS, runtime.GOARCH, rebuild)
	case strings.HasPrefix(version, "v0.0.0-master"): // component-base/version/base.go
		const format = "its version is %s, which a build without a version has, so no window can be computed: %s"
		return "", fmt.Errorf(format, version, rebuild)
	case !isRelease(version):
		return "", fmt.Errorf("its version is %q, which is no semantic version: %s", version, rebuild)
	}
	return version, nil
}

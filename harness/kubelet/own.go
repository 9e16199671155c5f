package kubelet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/semver"
)

// versionTimeout bounds how long a binary may take to print its version.
const versionTimeout = 10 * time.Second

// rebuild is the remedy for most of what can be wrong with a binary.
const rebuild = "build it in a checkout of Kubernetes with make WHAT=cmd/kubelet"

// ownBinary takes apart a subject that names a binary: the path, and the version that is asked of it, if one is.
func ownBinary(s string) (version, path string, own bool) {
	if before, after, found := strings.Cut(s, "@"); found && isRelease(before) {
		version, s = before, after
	}
	return version, s, strings.HasPrefix(s, ".") || strings.ContainsRune(s, filepath.Separator)
}

// isRelease says whether a version has all its three numbers.
func isRelease(version string) bool {
	return semver.IsValid(version) && strings.HasPrefix(version, semver.Canonical(version))
}

// parseOwn makes sure that a path is a kubelet, of the wanted version if one is wanted.
func parseOwn(wanted, path string) (Subject, error) {
	s := Subject{Path: path}
	file, err := s.file()
	if err != nil {
		return Subject{}, err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return Subject{}, fmt.Errorf("looking at %q: %w", path, err)
	case info.IsDir():
		return Subject{}, fmt.Errorf("%q is a folder: name the kubelet binary in it", path)
	case !info.Mode().IsRegular():
		return Subject{}, fmt.Errorf("%q is no regular file: name a kubelet binary", path)
	case info.Mode()&0o111 == 0:
		return Subject{}, fmt.Errorf("%q is not executable: chmod +x it, if it is a kubelet", path)
	}
	if s.Version, err = askOwn(file); err != nil {
		return Subject{}, fmt.Errorf("%q: %w", path, err)
	}
	if wanted != "" && wanted != s.Version {
		return Subject{}, fmt.Errorf(
			"%q is a kubelet %s, not %s: build that one, or name the path alone",
			path,
			s.Version,
			wanted,
		)
	}
	return s, nil
}

// file is the absolute path of the user's own binary, without symbolic links: equal for equal files.
func (s Subject) file() (string, error) {
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

// askOwn starts a binary to read its version. It must take --node-ip, too, as every kubelet on a kind node
// must: the other programs of Kubernetes say the same of their version and do not.
func askOwn(file string) (string, error) {
	version, err := askVersion(context.Background(), file, "--version", "--node-ip=127.0.0.1")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", fmt.Errorf("it does not tell its version as a kubelet does: %w; %s", err, rebuild)
	case err != nil:
		return "", fmt.Errorf("%w; it must be a kubelet for %s/%s: %s", err, runtime.GOOS, runtime.GOARCH, rebuild)
	case strings.HasPrefix(version, "v0.0.0-master"):
		// component-base/version/base.go, as it stands in the source.
		return "", fmt.Errorf(
			"it carries no version, so nothing can be predicted of it (it says %s): %s, which stamps one",
			version,
			rebuild,
		)
	case !isRelease(version):
		return "", fmt.Errorf("it says that its version is %q, which is no semantic version: %s", version, rebuild)
	}
	return version, nil
}

// askVersion starts a kubelet, or a virtual node, with arguments upon which it prints its version, and ends.
func askVersion(ctx context.Context, binary string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(
		ctx,
		versionTimeout,
		fmt.Errorf("it did not print its version and end within %v", versionTimeout),
	)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.WaitDelay = time.Second // for a child that holds the output open
	out, err := output(cmd)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return "", err
	}
	said := versionLine.FindSubmatch(out)
	if said == nil {
		return "", fmt.Errorf("it says %s instead of Kubernetes and a version", quoted(out))
	}
	return string(said[1]), nil
}

// versionLine is component-base/version/verflag PrintAndExitIfRequested's.
var versionLine = regexp.MustCompile(`^Kubernetes (v\S+)\s*$`)

// quoted shows the beginning of what a program said.
func quoted(out []byte) string {
	const most = 80
	text, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// takeOwn describes the user's own binary as it is now. Nothing is copied: who rebuilds it meanwhile is
// told by the node, which reports another version, or by the hash.
func (s Subject) takeOwn() (Binary, error) {
	file, err := s.file()
	if err != nil {
		return Binary{}, err
	}
	sum, size, err := hashFile(file)
	if err != nil {
		return Binary{}, fmt.Errorf("hashing %q: %w", s.Path, err)
	}
	return Binary{Path: file, Version: s.Reports(), SHA256: sum, Size: size}, nil
}

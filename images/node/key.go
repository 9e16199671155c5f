package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// source is everything on this host that the node image is made from and that is not downloaded by name and sum.
type source struct {
	// Root is the folder of podclock's own source.
	Root string
	// KindFiles are kind's base files of a node, KindVersion is kind's version: the one podclock is linked with.
	KindFiles, KindVersion string
	// Go is the version of the Go toolchain.
	Go string
}

// ingredients are the files, below images, that decide what is in the image. A change in any of them is another image.
var ingredients = []string{
	"single.go",
	"node/assemble.go",
	"node/assemble.sh",
	"node/components.go",
	"node/default-storage.yaml",
	"node/gobuild.go",
	"node/pack.go",
	"node/pause/main.go",
	"node/rootfs.go",
}

// findSource asks the go command where podclock and kind are.
func findSource(ctx context.Context) (source, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", "github.com/podclock/podclock", "sigs.k8s.io/kind")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return source{}, fmt.Errorf(
			"finding podclock's source, from which the node image is built: %w; run inside a checkout",
			err,
		)
	}
	var modules [2]struct{ Path, Dir, Version string }
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for i := range modules {
		if err := decoder.Decode(&modules[i]); err != nil {
			return source{}, fmt.Errorf("finding podclock's source: reading the answer of go list: %w", err)
		}
		if modules[i].Dir == "" {
			return source{}, fmt.Errorf(
				"finding podclock's source: module %s is not downloaded; run go mod download",
				modules[i].Path,
			)
		}
	}
	version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return source{}, fmt.Errorf("asking for the version of Go: %w", err)
	}
	return source{
		Root:      modules[0].Dir,
		KindFiles: filepath.Join(modules[1].Dir, "images", "base", "files"), KindVersion: modules[1].Version,
		Go: strings.TrimSpace(string(version)),
	}, nil
}

// Key is the hash, in hexadecimal, of everything that our own node image is made from. Nothing is built.
func Key(ctx context.Context) (string, error) {
	src, err := findSource(ctx)
	if err != nil {
		return "", err
	}
	return src.key()
}

// key is the hash of all inputs, in hexadecimal. Debian's packages count by name and suite, not by version: a node
// is not worth building anew for each of their updates.
func (s source) key() (string, error) {
	hash := sha256.New()
	line := func(name, value string) { _, _ = fmt.Fprintf(hash, "%s %q\n", name, value) }
	line("kind", s.KindVersion)
	line("go", s.Go)
	line("platform", runtime.GOOS+"/"+runtime.GOARCH)
	for _, name := range hashedFiles() {
		sum, err := fileHash(filepath.Join(s.Root, "images", name))
		if err != nil {
			return "", fmt.Errorf("hashing what the node image is made from: %w", err)
		}
		line(name, sum)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// hashedFiles are the ingredients and every component's module files, below images.
func hashedFiles() []string {
	files := append([]string(nil), ingredients...)
	for _, c := range components() {
		if c.Module != "" {
			files = append(files, "node/"+c.Folder+"/go.mod", "node/"+c.Folder+"/go.sum")
		}
	}
	return files
}

func fileHash(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

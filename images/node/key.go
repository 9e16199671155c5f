package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

type source struct {
	Root string // of podclock's own source
	// KindFiles is the folder of kind's base files of a node.
	KindFiles, KindVersion string
	Go                     string // the version of the Go toolchain
}

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

func findSource(ctx context.Context) (source, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", "github.com/podclock/podclock", "sigs.k8s.io/kind")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		const format = "finding podclock's source, which the node image is built from: %w; run inside a checkout"
		return source{}, fmt.Errorf(format, err)
	}
	var modules [2]struct{ Path, Dir, Version string }
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for i := range modules {
		if err := decoder.Decode(&modules[i]); err != nil {
			return source{}, fmt.Errorf("finding podclock's source: reading the output of go list: %w", err)
		}
		if modules[i].Dir == "" {
			const format = "finding podclock's source: module %s is not downloaded; run go mod download"
			return source{}, fmt.Errorf(format, modules[i].Path)
		}
	}
	version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return source{}, fmt.Errorf("reading the version of Go: %w", err)
	}
	return source{
		Root:      modules[0].Dir,
		KindFiles: filepath.Join(modules[1].Dir, "images", "base", "files"), KindVersion: modules[1].Version,
		Go: strings.TrimSpace(string(version)),
	}, nil
}

// Key returns the hash, in hexadecimal, of everything that podclock's own node image is made from.
func Key(ctx context.Context) (string, error) {
	src, err := findSource(ctx)
	if err != nil {
		return "", err
	}
	return src.key()
}

// key returns the hash of all inputs in hexadecimal. Debian's packages count by name and suite, not by version.
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

// versions returns the versions of the components by their folders.
func (s source) versions() (map[string]string, error) {
	all := map[string]string{}
	for _, c := range components() {
		version, err := c.version(s.Root)
		if err != nil {
			return nil, err
		}
		if version != "" {
			all[c.Folder] = version
		}
	}
	return all, nil
}

func hashedFiles() []string {
	files := slices.Clone(ingredients)
	for _, c := range components() {
		if c.Module != "" {
			files = append(files, "node/"+c.Folder+"/go.mod", "node/"+c.Folder+"/go.sum")
		}
	}
	return files
}

// fileHash returns the hash of a file without comments and the layout of Go code.
func fileHash(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	if filepath.Ext(file) != ".go" {
		_, _ = hash.Write(content)
		return hex.EncodeToString(hash.Sum(nil)), nil
	}
	embeds := regexp.MustCompile(`(?m)^//go:.*$`).FindAll(content, -1)
	_, _ = fmt.Fprintf(hash, "%q\n", embeds)
	var code scanner.Scanner
	code.Init(token.NewFileSet().AddFile(file, -1, len(content)), content, nil, 0)
	for {
		_, kind, text := code.Scan()
		if kind == token.EOF {
			return hex.EncodeToString(hash.Sum(nil)), nil
		}
		if text == "\n" {
			text = ";"
		}
		_, _ = fmt.Fprintf(hash, "%v %q\n", kind, text)
	}
}

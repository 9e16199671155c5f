package kubelet

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

const (
	// virtualProgram is the virtual node's main package, below podclock's source.
	virtualProgram = "./harness/virtual/_node"
	// dialerFile is the one file of the kubelet that is exchanged in a virtual node, and dialerHook is what
	// takes its place.
	dialerFile = "pkg/probe/dialer_others.go"
	dialerHook = "harness/virtual/hooks/dialer.go.txt"
)

// virtualFolders are what of podclock's own source a virtual node is compiled from. It can't import
// anything else of podclock: nothing else is there when it is compiled.
func virtualFolders() []string {
	return []string{
		"harness/mark", "harness/victim",
		"harness/virtual/_node", "harness/virtual/hooks", "harness/virtual/stubs", "harness/virtual/wire",
	}
}

// virtualSource is the part of podclock's own source that a virtual node is compiled from: contents by
// slash-separated paths. It is read once, so what is compiled is what the shelf's key was made of, whoever
// edits the files meanwhile.
type virtualSource map[string][]byte

// readVirtualSource reads virtualFolders below podclock's source. What the compiler ignores, it leaves out.
func readVirtualSource(source string) (virtualSource, error) {
	files, root := virtualSource{}, os.DirFS(source)
	for _, folder := range virtualFolders() {
		err := fs.WalkDir(root, folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case !d.Type().IsRegular(), strings.HasPrefix(d.Name(), "."), strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files[path], err = fs.ReadFile(root, path)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading what the virtual node is built from in %s: %w", source, err)
		}
	}
	if _, ok := files[dialerHook]; !ok {
		return nil, fmt.Errorf("reading what the virtual node is built from: %s has no %s", source, dialerHook)
	}
	return files, nil
}

// paths are the files' paths, in order.
func (s virtualSource) paths() []string { return slices.Sorted(maps.Keys(s)) }

// write puts the files below a folder.
func (s virtualSource) write(folder string) error {
	for _, path := range s.paths() {
		file := filepath.Join(folder, filepath.FromSlash(path))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, s[path], 0o644)
		}
		if err != nil {
			return fmt.Errorf("writing what the virtual node is built from: %w", err)
		}
	}
	return nil
}

// virtualTags are the build tags that choose the lines of the virtual node that fit a version of
// Kubernetes: kubelet1_36 for v1.36.3.
func virtualTags(version string) string {
	minor := strings.TrimPrefix(semver.MajorMinor(version), "v")
	return "kubelet" + strings.ReplaceAll(minor, ".", "_")
}

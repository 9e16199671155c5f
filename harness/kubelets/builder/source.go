package builder

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets"
)

const (
	// virtualProgram is the virtual node's main package, dialerHook the content of [mutation.DialerFile] in it.
	virtualProgram = "./harness/virtual/_node"
	dialerHook     = "harness/virtual/hooks/dialer.go.txt"
	// kernelLogHook is the content of kernelLogFile, which Kubernetes has since 1.37.
	kernelLogHook = "harness/virtual/hooks/kmsgparser.go.txt"
	kernelLogFile = "third_party/forked/go-kmsg-parser/kmsgparser/kmsgparser_linux.go"
	// iptablesStub replaces a module that kubelets need since 1.38.
	iptablesStub = "harness/virtual/stubs/iptables-wrappers"
)

// virtualFolders returns the only folders of podclock's source that a virtual node is compiled from.
func virtualFolders() []string {
	return []string{
		"harness/measure/mark", "harness/measure/victim",
		"harness/virtual/_node", "harness/virtual/hooks", "harness/virtual/stubs", "harness/virtual/wire",
	}
}

// virtualSource is the source of a virtual node: contents by slash-separated paths, read once so that the
// compiled files are the hashed ones.
type virtualSource map[string][]byte

func readVirtualSource(source string) (virtualSource, error) {
	files, err := readFolders(source, virtualFolders()...)
	if err != nil {
		return nil, err
	}
	if _, ok := files[dialerHook]; !ok {
		return nil, fmt.Errorf("reading what the virtual node is built from: %s has no %s", source, dialerHook)
	}
	return files, nil
}

func readFolders(source string, folders ...string) (virtualSource, error) {
	files, root := virtualSource{}, os.DirFS(source)
	for _, folder := range folders {
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
	return files, nil
}

func (s virtualSource) paths() []string { return slices.Sorted(maps.Keys(s)) }

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

// virtualTags returns the build tags that select the virtual node's code for a branch: one for each branch that has a
// virtual node and is not newer, so v1.36 has kubelet1_35 and kubelet1_36.
func virtualTags(of string) string {
	var tags []string
	for _, known := range kubelets.VirtualPatches() {
		if branch := semver.MajorMinor(known); semver.Compare(branch, of) <= 0 {
			tags = append(tags, "kubelet"+strings.ReplaceAll(strings.TrimPrefix(branch, "v"), ".", "_"))
		}
	}
	return strings.Join(tags, ",")
}

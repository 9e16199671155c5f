package kubelet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// module is where the kubelet's source is, program its main package.
const (
	module  = "k8s.io/kubernetes"
	program = module + "/cmd/kubelet"
)

// ownModule is podclock itself.
const ownModule = "github.com/podclock/podclock"

// pin says where the go.mod and go.sum of a version are: a folder below podclock's source.
type pin struct {
	version, folder string
}

// virtualFolder has the folders of the virtual nodes' pins.
const virtualFolder = "harness/virtual/kubernetes/"

// pins are the versions that can be built, the newest first. That of the node image shares the image's own
// files, so the two can't drift apart and share what was compiled.
func pins() []pin {
	return []pin{
		{"v1.36.3", "images/node/kubernetes"},
		{"v1.35.4", "images/kubelet/v1.35.4"},
		{"v1.34.4", "images/kubelet/v1.34.4"},
		{"v1.23.1", "images/kubelet/v1.23.1"},
	}
}

// virtualPins are the versions that have a virtual node, the newest first. One has more dependencies than a
// kubelet, so it is pinned apart.
func virtualPins() []pin {
	var all []pin
	for _, version := range []string{"v1.36.3", "v1.35.4", "v1.34.4"} {
		all = append(all, pin{version, virtualFolder + version})
	}
	return all
}

func findPin(among []pin, version string) (pin, bool) {
	for _, p := range among {
		if p.version == version {
			return p, true
		}
	}
	return pin{}, false
}

// Versions are the versions of Kubernetes a subject can have, the newest first.
func Versions() []string { return versions(pins()) }

func versions(pins []pin) []string {
	var names []string
	for _, p := range pins {
		names = append(names, p.version)
	}
	return names
}

// pinned is the content of a version's module files.
type pinned struct {
	goMod, goSum []byte
}

// read reads the module files from podclock's source and makes sure that they pin what they are listed for.
func (p pin) read(source string) (pinned, error) {
	file := filepath.Join(source, filepath.FromSlash(p.folder), "go.mod")
	goMod, err := os.ReadFile(file)
	if err != nil {
		return pinned{}, fmt.Errorf("reading what %s is built from: %w", p.version, err)
	}
	goSum, err := os.ReadFile(filepath.Join(filepath.Dir(file), "go.sum"))
	if err != nil {
		return pinned{}, fmt.Errorf("reading what %s is built from: %w", p.version, err)
	}
	parsed, err := modfile.Parse(file, goMod, nil)
	if err != nil {
		return pinned{}, fmt.Errorf("reading what %s is built from: %w", p.version, err)
	}
	for _, r := range parsed.Require {
		if r.Mod.Path != module {
			continue
		}
		if r.Mod.Version != p.version {
			return pinned{}, fmt.Errorf(
				"%s pins %s %s where %s is expected: make one follow the other",
				file,
				module,
				r.Mod.Version,
				p.version,
			)
		}
		return pinned{goMod, goSum}, nil
	}
	return pinned{}, fmt.Errorf("%s does not require %s: %s", file, module, p.remedy())
}

// explain adds the remedy to a compiler's error that comes from the module files. The go command names the modules.
func (p pin) explain(err error) error {
	said := err.Error()
	switch {
	case strings.Contains(said, "module providing package "+ownModule+"/"):
		return fmt.Errorf(
			"%w; of podclock, a virtual node may import only what virtualFolders names (harness/kubelet/virtual.go)",
			err,
		)
	case strings.Contains(said, "missing go.sum entry"),
		strings.Contains(said, "module providing package"),
		strings.Contains(said, "no required module provides"):
		return fmt.Errorf(
			"%w; %s does not pin all that %s is built from: complete it, %s",
			err,
			p.folder,
			p.version,
			p.remedy(),
		)
	default:
		return err
	}
}

// remedy says how module files come to pin what they should.
func (p pin) remedy() string {
	if strings.HasPrefix(p.folder, virtualFolder) {
		return "add the modules that are missing, at the versions of that release, and their sums there"
	}
	return fmt.Sprintf("run go get -tool %s@%s there", program, p.version)
}

// replaced returns the go.mod with a module replaced by a folder beside it. The path is relative, so the
// binary, which records it, is the same wherever it is built.
func (p pinned) replaced(module, folder string) ([]byte, error) {
	parsed, err := modfile.Parse("go.mod", p.goMod, nil)
	if err != nil {
		return nil, err
	}
	if err := parsed.AddReplace(module, "", "./"+folder, ""); err != nil {
		return nil, fmt.Errorf("replacing %s: %w", module, err)
	}
	return parsed.Format()
}

package builder

import (
	"fmt"
	gover "go/version"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
)

const podclock = "github.com/podclock/podclock"

// pin is the go.mod and go.sum that a version is built with, in a folder below podclock's source. A version without the
// folder has derived ones.
type pin struct{ version, folder string }

const virtualPins = "harness/virtual/kubernetes/"

// pinOf returns the pin of a subject. The newest version shares the node image's files and compiled packages.
func pinOf(s kubelets.Subject) pin {
	switch {
	case s.Virtual:
		return pin{s.Version, virtualPins + s.Version}
	case s.Version == formula.Versions()[0]:
		return pin{s.Version, "images/node/kubernetes"}
	default:
		return pin{s.Version, "images/kubelet/" + s.Version}
	}
}

type moduleFiles struct {
	goMod, goSum []byte
}

func readModules(folder string) (files moduleFiles, err error) {
	if files.goMod, err = os.ReadFile(filepath.Join(folder, "go.mod")); err == nil {
		files.goSum, err = os.ReadFile(filepath.Join(folder, "go.sum"))
	}
	return files, err
}

// read checks that the module files require the pin's version.
func (p pin) read(source string) (moduleFiles, error) {
	file := filepath.Join(source, filepath.FromSlash(p.folder), "go.mod")
	files, err := readModules(filepath.Dir(file))
	var parsed *modfile.File
	if err == nil {
		parsed, err = modfile.Parse(file, files.goMod, nil)
	}
	if err != nil {
		return moduleFiles{}, fmt.Errorf("reading what %s is built from: %w", p.version, err)
	}
	for _, r := range parsed.Require {
		if r.Mod.Path != mutation.Kubernetes {
			continue
		}
		if r.Mod.Version != p.version {
			const format = "%s pins %s %s, but %s is expected: change the file or the list of versions"
			return moduleFiles{}, fmt.Errorf(format, file, mutation.Kubernetes, r.Mod.Version, p.version)
		}
		return files, nil
	}
	return moduleFiles{}, fmt.Errorf("%s does not require %s: %s", file, mutation.Kubernetes, p.remedy())
}

func (p pin) explain(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "module providing package "+podclock+"/"):
		const format = "%w; a virtual node may import only the packages of podclock that virtualFolders lists " +
			"(harness/kubelets/builder/source.go)"
		return fmt.Errorf(format, err)
	case strings.Contains(text, "missing go.sum entry"),
		strings.Contains(text, "module providing package"),
		strings.Contains(text, "no required module provides"):
		const format = "%w; %s does not pin all that %s is built from: complete it, %s"
		return fmt.Errorf(format, err, p.folder, p.version, p.remedy())
	default:
		return err
	}
}

func (p pin) remedy() string {
	if strings.HasPrefix(p.folder, virtualPins) {
		return "add the missing modules at the versions of that release, and their sums"
	}
	return fmt.Sprintf("run go get -tool %s/cmd/kubelet@%s in that folder", mutation.Kubernetes, p.version)
}

// replaced returns the go.mod with a module replaced by a folder beside it. The binary records the relative path.
func (f moduleFiles) replaced(module, folder string) ([]byte, error) {
	parsed, err := modfile.Parse("go.mod", f.goMod, nil)
	if err != nil {
		return nil, err
	}
	if err := parsed.AddReplace(module, "", "./"+folder, ""); err != nil {
		return nil, fmt.Errorf("replacing %s: %w", module, err)
	}
	return parsed.Format()
}

func (f moduleFiles) write(folder string) error {
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "go.mod"), f.goMod, 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "go.sum"), f.goSum, 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the module to build in: %w", err)
	}
	return nil
}

// goVersion returns the newest go directive of the go.mod files in some folders.
func goVersion(folders ...string) (newest string, err error) {
	for _, folder := range folders {
		file := filepath.Join(folder, "go.mod")
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading the Go version of a module: %w", err)
		}
		f, err := modfile.ParseLax(file, text, nil)
		if err != nil {
			return "", fmt.Errorf("reading the Go version of a module: %w", err)
		}
		if f.Go == nil {
			return "", fmt.Errorf("%s has no go directive", file)
		}
		if gover.Compare("go"+f.Go.Version, "go"+newest) > 0 {
			newest = f.Go.Version
		}
	}
	return newest, nil
}

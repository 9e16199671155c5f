package drift

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/gosource"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Tree is one source of Kubernetes. It is for one goroutine.
type Tree struct {
	// Name is what the user calls it. Version is the release that it is, or the one that it becomes.
	Name, Version string
	// Modules are the sources of Kubernetes and of the modules of its staging area, by module.
	Modules map[string]fs.FS

	files map[string]file // those that were read, by module and path
}

// file is a parsed file without its comments.
type file struct {
	source []byte
	set    *token.FileSet
	syntax *ast.File
}

// declaration is a function, method, type, constant or variable.
type declaration struct {
	in   file
	node ast.Node // nil for none
}

// find returns the declaration of a place, or why the tree has it not.
func (t *Tree) find(p formula.Place) (found declaration, gone string, err error) {
	f, err := t.read(p.Module, p.File)
	if errors.Is(err, fs.ErrNotExist) {
		return declaration{}, "there is no such file" + t.elsewhere(p), nil
	}
	if err != nil {
		return declaration{}, "", err
	}
	switch all := f.declarations(p.Name); len(all) {
	case 0:
		return declaration{}, "the file does not declare it" + t.elsewhere(p), nil
	case 1:
		return declaration{f, all[0]}, "", nil
	default:
		return declaration{}, fmt.Sprintf("the file declares %d of this name", len(all)), nil
	}
}

func (t *Tree) read(module, path string) (file, error) {
	if f, known := t.files[module+" "+path]; known {
		return f, nil
	}
	root, known := t.Modules[module]
	if !known {
		return file{}, fmt.Errorf("%s lacks its module %s", t.Name, module)
	}
	source, err := fs.ReadFile(root, path)
	if err != nil {
		return file{}, fmt.Errorf("read the source of %s: %w", t.Name, err)
	}
	f := file{source: source, set: token.NewFileSet()}
	if f.syntax, err = parser.ParseFile(f.set, path, source, parser.SkipObjectResolution); err != nil {
		return file{}, fmt.Errorf("parse the source of %s: %w", t.Name, err)
	}
	if t.files == nil {
		t.files = map[string]file{}
	}
	t.files[module+" "+path] = f
	return f, nil
}

// elsewhere names the other files of a place's package that declare its name.
func (t *Tree) elsewhere(p formula.Place) string {
	files, err := fs.Glob(t.Modules[p.Module], path.Join(path.Dir(p.File), "*.go"))
	if err != nil {
		return ""
	}
	var others []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if f, err := t.read(p.Module, name); err == nil && len(f.declarations(p.Name)) > 0 {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return ", but " + strings.Join(others, " and ") + " declares it"
}

// declarations returns those of a name. A method has its name, with or without that of its type before it.
func (f file) declarations(name string) (found []ast.Node) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name == d.Name.Name || name == gosource.FunctionName(d) {
				found = append(found, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if declares(spec, name) {
					found = append(found, spec)
				}
			}
		}
	}
	return found
}

// code returns the declaration as its file has it.
func (d declaration) code() []byte {
	if d.node == nil {
		return nil
	}
	return d.in.source[d.in.set.Position(d.node.Pos()).Offset:d.in.set.Position(d.node.End()).Offset]
}

// gofmt formats as gofmt does.
var gofmt = printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}

// lines returns the formatted code without comments and empty lines.
func (d declaration) lines() ([]string, error) {
	if d.node == nil {
		return nil, nil
	}
	var text strings.Builder
	if err := gofmt.Fprint(&text, d.in.set, d.node); err != nil {
		return nil, fmt.Errorf("format %s: %w", d.in.set.Position(d.node.Pos()), err)
	}
	lines := strings.Split(text.String(), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	for i := range lines {
		lines[i] += "\n"
	}
	return lines, nil
}

func declares(spec ast.Spec, name string) bool {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Name.Name == name
	case *ast.ValueSpec: // one without a value and a type says nothing
		return (len(s.Values) > 0 || s.Type != nil) &&
			slices.ContainsFunc(s.Names, func(n *ast.Ident) bool { return n.Name == name })
	}
	return false
}

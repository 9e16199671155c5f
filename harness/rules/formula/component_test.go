package formula

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

// names maps a component to the words that name it in a source.
var names = map[Component]*regexp.Regexp{
	TheKubelet: regexp.MustCompile(`pkg/(kubelet|probe)/|^cmd/kubelet/|/healthz/`),
	Runtime:    regexp.MustCompile(`containerd|CRI-O|^cadvisor `),
	APIServer:  regexp.MustCompile(`^pkg/registry/|^plugin/|^apiserver |^apimachinery `),
	Controller: regexp.MustCompile(`^pkg/controller/`),
	Proxy:      regexp.MustCompile(`^pkg/proxy/`),
}

// A formula belongs to the kubelet only if its source names no other component.
func TestFormulasBelongToTheComponentOfTheirSource(t *testing.T) {
	met := map[Component]int{}
	for _, f := range everyFormula {
		g := gomega.NewWithT(t)
		named := map[Component]bool{}
		for _, clause := range strings.Split(f.Source, "; ") {
			for c, by := range names {
				if by.MatchString(clause) {
					named[c] = true
				}
			}
		}
		g.Expect(named).NotTo(gomega.BeEmpty(), "%s: no component owns %q", f.ID, f.Source)
		if len(named) > 1 {
			delete(named, TheKubelet)
		}
		g.Expect(named).To(gomega.HaveLen(1), "%s: %q names several components", f.ID, f.Source)
		g.Expect(named).To(gomega.HaveKey(f.Of), "%s: %q", f.ID, f.Source)
		met[f.Of]++
	}
	gomega.NewWithT(t).Expect(met).To(gomega.HaveLen(len(names)), "%v", met)
}

// The lists name every formula and every known mistake that the package exports: variables, and functions that make
// one. Changes names every change.
func TestListsAreComplete(t *testing.T) {
	g := gomega.NewWithT(t)
	product, tests := parsed(t, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }),
		parsed(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	returns := map[string]string{} // by function, its first result
	offered := map[string][]string{}
	for _, d := range declarations(product) {
		f, isFunc := d.(*ast.FuncDecl)
		if !isFunc || f.Recv != nil || f.Type.Results == nil {
			continue
		}
		result := fmt.Sprint(f.Type.Results.List[0].Type)
		returns[f.Name.Name] = result
		changes := len(f.Type.Params.List) > 0 && fmt.Sprint(f.Type.Params.List[0].Type) == result // such as ToHook
		if f.Name.IsExported() && !changes {
			offered[result] = append(offered[result], f.Name.Name)
		}
	}
	typeOf := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.CompositeLit:
			return fmt.Sprint(e.Type)
		case *ast.CallExpr:
			return returns[fmt.Sprint(e.Fun)]
		}
		return ""
	}
	eachValue(declarations(product), func(name *ast.Ident, value ast.Expr) {
		if name.IsExported() || typeOf(value) == "Change" {
			offered[typeOf(value)] = append(offered[typeOf(value)], name.Name)
		}
	})
	listed := map[string][]string{}
	eachValue(append(declarations(tests), declarations(product)...), func(_ *ast.Ident, value ast.Expr) {
		list, isList := value.(*ast.CompositeLit)
		if !isList {
			return
		}
		array, isArray := list.Type.(*ast.ArrayType)
		if !isArray {
			return
		}
		for _, e := range list.Elts {
			if call, isCall := e.(*ast.CallExpr); isCall {
				e = call.Fun
			}
			listed[fmt.Sprint(array.Elt)] = append(listed[fmt.Sprint(array.Elt)], fmt.Sprint(e))
		}
	})
	for what, least := range map[string]int{"Formula": 100, "Mistake": 50, "Change": 20} {
		g.Expect(len(offered[what])).To(gomega.BeNumerically(">", least), what)
		g.Expect(listed[what]).To(gomega.ConsistOf(offered[what]), what)
	}
}

func parsed(t *testing.T, wanted func(string) bool) []*ast.File {
	paths, err := filepath.Glob("*.go")
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
	var files []*ast.File
	for _, path := range paths {
		if !wanted(path) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
		files = append(files, f)
	}
	return files
}

func declarations(files []*ast.File) (all []ast.Decl) {
	for _, f := range files {
		all = append(all, f.Decls...)
	}
	return all
}

// eachValue calls do for each variable that is declared with a value.
func eachValue(all []ast.Decl, do func(*ast.Ident, ast.Expr)) {
	for _, d := range all {
		if g, isGen := d.(*ast.GenDecl); isGen && g.Tok == token.VAR {
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i := range v.Values {
					do(v.Names[i], v.Values[i])
				}
			}
		}
	}
}

func TestComponentsHaveNames(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(TheKubelet.String()).To(gomega.Equal("kubelet"))
	g.Expect(Runtime.String()).To(gomega.Equal("container runtime"))
}

// Package house tests the tree itself: the order of its packages and files, its documents, links and workflows.
package house

import (
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/tools/go/packages"
)

const modulePath = "github.com/podclock/podclock/"

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestFilesFormLayers fails if two files of one package use each other, directly or through others.
func TestFilesFormLayers(t *testing.T) {
	for _, p := range append(load(t), loadVirtualNode(t)...) {
		uses := fileUses(p)
		for _, f := range cyclic(uses) {
			t.Errorf("%s: %s is part of a cycle of files; it uses %s", p.PkgPath, f, strings.Join(uses[f], ", "))
		}
	}
}

// TestDocumentsAreShort bounds what a newcomer reads first.
func TestDocumentsAreShort(t *testing.T) {
	for file, most := range map[string]int{"README.md": 150, "CONTRIBUTING.md": 120} {
		data, err := os.ReadFile(file)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		if n := strings.Count(string(data), "\n"); n > most {
			t.Errorf("%s has %d lines, at most %d are allowed", file, n, most)
		}
	}
}

// short matches a test that make test leaves out.
var short = regexp.MustCompile(`testing\.Short\(\)|browser\.Start\(`)

// TestSlowTestsHaveATarget makes sure that .ci/run runs each test that make test leaves out.
func TestSlowTestsHaveATarget(t *testing.T) {
	g := NewWithT(t)
	makefile, err := os.ReadFile("Makefile")
	g.Expect(err).NotTo(HaveOccurred())
	ci, err := os.ReadFile(".ci/run")
	g.Expect(err).NotTo(HaveOccurred())
	var tested []string
	targets := regexp.MustCompile(`(?m)^(test-\w+):.*\n((?:\t.*\n)+)`)
	for _, target := range targets.FindAllStringSubmatch(string(makefile), -1) {
		g.Expect(string(ci)).To(ContainSubstring(target[1]))
		tested = append(tested, strings.Fields(target[2])...)
	}
	walk(t, func(path string, content []byte) {
		folder := "./" + filepath.ToSlash(filepath.Dir(path))
		below := func(pattern string) bool {
			prefix, all := strings.CutSuffix(pattern, "/...")
			return pattern == folder || all && strings.HasPrefix(folder+"/", prefix+"/")
		}
		if strings.HasSuffix(path, "_test.go") && path != ".ci/house/house_test.go" && short.Match(content) {
			g.Expect(slices.ContainsFunc(tested, below)).To(BeTrue(), "no target test-… has %s", folder)
		}
	})
}

// walk calls visit for each file of the project that git tracks or could track.
func walk(t *testing.T, visit func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "out", "bin", "nights"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(path), data)
		return nil
	})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

const syntaxAndTypes = packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
	packages.NeedImports

// loaded are the project's packages without their tests.
var loaded []*packages.Package

func load(t *testing.T) []*packages.Package {
	t.Helper()
	if loaded != nil {
		return loaded
	}
	all, err := packages.Load(&packages.Config{Mode: syntaxAndTypes}, "./...", "./.ci/release")
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(all)).To(BeNumerically(">", 20))
	for _, p := range all {
		g.Expect(p.Errors).To(BeEmpty(), p.PkgPath)
	}
	loaded = all
	return all
}

// loadVirtualNode returns the packages of the virtual node. This module cannot resolve their imports of Kubernetes,
// but it resolves what their files use of each other.
func loadVirtualNode(t *testing.T) []*packages.Package {
	t.Helper()
	var folders []string
	walk(t, func(path string, _ []byte) {
		folder := "./" + filepath.ToSlash(filepath.Dir(path))
		if strings.HasPrefix(folder, "./harness/virtual/_node") && filepath.Ext(path) == ".go" &&
			!slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	})
	all, err := packages.Load(&packages.Config{Mode: syntaxAndTypes}, folders...)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(all)).To(BeNumerically(">=", 5))
	return all
}

// fileUses returns, for each file of a package, the package's other files whose functions, types, methods,
// variables or constants it names.
func fileUses(p *packages.Package) map[string][]string {
	fileOf := func(n interface{ Pos() token.Pos }) string { return filepath.Base(p.Fset.Position(n.Pos()).Filename) }
	uses := map[string][]string{}
	for _, f := range p.Syntax {
		from := fileOf(f)
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := p.TypesInfo.Uses[id]
			if o == nil || o.Pkg() != p.Types || !ofPackage(o, p.Types) {
				return true
			}
			if to := fileOf(o); to != from && !slices.Contains(uses[from], to) {
				uses[from] = append(uses[from], to)
			}
			return true
		})
	}
	return uses
}

// ofPackage reports whether an object is declared at the package's level, or is a method.
func ofPackage(o types.Object, pkg *types.Package) bool {
	if o.Parent() == pkg.Scope() {
		return true
	}
	f, ok := o.(*types.Func)
	return ok && f.Signature().Recv() != nil
}

// cyclic returns the files from which a path of uses leads back to themselves.
func cyclic(uses map[string][]string) []string {
	var all []string
	for f := range uses {
		seen, open := map[string]bool{}, slices.Clone(uses[f])
		for len(open) > 0 {
			next := open[0]
			if open = open[1:]; !seen[next] {
				seen[next] = true
				open = append(open, uses[next]...)
			}
		}
		if seen[f] {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return all
}

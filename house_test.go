package main

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

// The limits of the house. docs/architecture.md explains them.
const (
	mostLines         = 2700
	mostExportedTypes = 30
	mostColumns       = 120
	mostLongLines     = 50
	mostProductBytes  = 3_055_000
	mostTestData      = 700_000
	modulePath        = "github.com/podclock/podclock/"
)

// unlimited are the packages that may be larger: every formula, and one file for each call of the container
// runtime's and the API's that the virtual node answers.
var unlimited = []string{"harness/formula", "harness/virtual/_node"}

// TestPackagesAreSmall bounds each package's product code and its exported types.
func TestPackagesAreSmall(t *testing.T) {
	for _, p := range load(t) {
		lines, exported := 0, 0
		for _, f := range p.Syntax {
			lines += p.Fset.File(f.Package).LineCount()
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					for _, s := range g.Specs {
						if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() {
							exported++
						}
					}
				}
			}
		}
		if slices.Contains(unlimited, strings.TrimPrefix(p.PkgPath, modulePath)) {
			continue
		}
		if lines > mostLines || exported > mostExportedTypes {
			t.Errorf("%s has %d lines and %d exported types; at most %d and %d are allowed: split it",
				p.PkgPath, lines, exported, mostLines, mostExportedTypes)
		}
	}
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

// TestNothingLowerImportsAnythingHigher keeps the direction of the data: the harness knows no report and no
// trial of the catalogue, and reports know no trial either.
func TestNothingLowerImportsAnythingHigher(t *testing.T) {
	above := map[string][]string{
		"images":  {"suites", "reports"},
		"harness": {"suites", "reports"},
		"reports": {"suites"},
	}
	for _, p := range load(t) {
		folder, _, _ := strings.Cut(strings.TrimPrefix(p.PkgPath, modulePath), "/")
		for imported := range p.Imports {
			to, _, _ := strings.Cut(strings.TrimPrefix(imported, modulePath), "/")
			if strings.HasPrefix(imported, modulePath) && slices.Contains(above[folder], to) {
				t.Errorf("%s imports %s, which is above it", p.PkgPath, imported)
			}
		}
	}
}

// row is a line of a table, that is, an element of a composite literal, or a field with a tag.
var row = regexp.MustCompile("json:|^\t+(\"[^\"]*\": *|[A-Za-z.]+: *)?[&{(\"`]")

// TestLinesAreShort allows long lines in tables only, and few of them. A tab counts as four columns.
func TestLinesAreShort(t *testing.T) {
	long := 0
	walk(t, func(path string, data []byte) {
		if filepath.Ext(path) != ".go" {
			return
		}
		for i, line := range strings.Split(string(data), "\n") {
			if len([]rune(strings.ReplaceAll(line, "\t", "    "))) <= mostColumns {
				continue
			}
			if long++; !row.MatchString(line) {
				t.Errorf("%s:%d is longer than %d columns and no row of a table", path, i+1, mostColumns)
			}
		}
	})
	if long > mostLongLines {
		t.Errorf("%d lines are longer than %d columns; at most %d rows of tables may be",
			long, mostColumns, mostLongLines)
	}
}

// mutations matches the files of the faults that show what podclock notices, one of each area. They are data of a test.
// The package's own code is in the other files.
var (
	mutations    = regexp.MustCompile(`^harness/(kubelet/mutation/[a-z]+|sensitivity/diagnoses/diagnoses)\.go$`)
	mutationCode = regexp.MustCompile(`/(apply|catalogue|mutation)\.go$`)
)

// testCode matches the packages that only tests import.
var testCode = regexp.MustCompile(`^(reports/(fixture|html/browser)|harness/kubeconfig/discovered)/`)

// TestSize bounds the product's code and the test data, both in bytes.
func TestSize(t *testing.T) {
	product, data := 0, 0
	walk(t, func(path string, content []byte) {
		switch {
		case strings.Contains(path, "testdata/"):
			data += len(content)
		case mutations.MatchString(path) && !mutationCode.MatchString(path):
			data += len(content)
		case filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") && !testCode.MatchString(path):
			product += len(content)
		}
	})
	t.Logf("%d bytes of product code, %d bytes of test data", product, data)
	if product > mostProductBytes || data > mostTestData {
		t.Errorf("%d bytes of product code and %d of test data; at most %d and %d are allowed",
			product, data, mostProductBytes, mostTestData)
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
		if strings.HasSuffix(path, "_test.go") && path != "house_test.go" && short.Match(content) {
			g.Expect(slices.ContainsFunc(tested, below)).To(BeTrue(), "no target test-… has %s", folder)
		}
	})
}

// words are those that no text of the project uses, each with what to write instead.
var words = map[string]string{
	`anew`:                                 "again",
	`mend(s|ed|ing)?`:                      "fix",
	`thereof|likewise|whereof|wherein`:     "a plain word",
	`of (whom|which)`:                      "two sentences",
	`be there|were there (others|none)`:    "if there is",
	`unsettled|swayed`:                     "doubt",
	`noise|stall(s|ed)?|stretched`:         "delay",
	`silences?`:                            "outage",
	`kept (work )?waiting`:                 "delayed",
	`stands? still|stood still`:            "stops",
	`cry wolf|cries wolf`:                  "a false alarm",
	`clean (code|kubelet)s?|released code`: "the reference",
	`tells? of|told of|speaks? of`:         "report",
	`(is|are|was|were|be) told`:            "report",
	`(tells?|told) (apart|.{1,30} apart)`:  "distinguish",
	`whoever|lest|hence|whence|thereby`:    "a plain word",
	`be (they|it)|(can|to) be had`:         "if, or there is",
	`in vain|graver|made-up`:               "without effect, higher, invented",
	`(came|comes?) to (its|no|an?) end`:    "end",
}

// quoted matches files that quote earlier programs, files of other projects, and this file.
var quoted = regexp.MustCompile(`(^|/)house_test\.go$|/testdata/|^reports/html/assets/`)

// texts matches the files that people write: code, documents, pages, scripts and workflows.
var texts = regexp.MustCompile(`\.(go|md|js|css|tmpl|ya?ml|sh)$|^(Makefile|\.ci/[a-z-]+)$`)

// TestWords fails if a text uses a word that has a plainer one.
func TestWords(t *testing.T) {
	patterns := map[*regexp.Regexp]string{}
	for pattern, instead := range words {
		patterns[regexp.MustCompile(`(?i)\b(`+pattern+`)\b`)] = instead
	}
	// The keys of saved files and of the recorder's marks keep their names.
	key := regexp.MustCompile("`[^`]*json:[^`]*`|\\.noise\\b|\"(stall|stallNS|silence|noise|stalls|silences)\\\\?\"")
	walk(t, func(path string, data []byte) {
		if quoted.MatchString(path) || !texts.MatchString(path) {
			return
		}
		for i, line := range strings.Split(key.ReplaceAllString(string(data), ""), "\n") {
			for p, instead := range patterns {
				if found := p.FindString(line); found != "" {
					t.Errorf("%s:%d: %q; write %s", path, i+1, found, instead)
				}
			}
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
	all, err := packages.Load(&packages.Config{Mode: syntaxAndTypes}, "./...")
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

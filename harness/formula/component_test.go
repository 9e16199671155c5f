package formula

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

// names maps a component to the words that name it in a source.
var names = map[Component]*regexp.Regexp{
	TheKubelet: regexp.MustCompile(`pkg/(kubelet|probe)/`),
	Runtime:    regexp.MustCompile(`containerd`),
	APIServer:  regexp.MustCompile(`^pkg/registry/|^apiserver |^apimachinery `),
	Controller: regexp.MustCompile(`^pkg/controller/`),
}

// A formula belongs to the kubelet only if its source names no other component.
func TestFormulasBelongToTheComponentOfTheirSource(t *testing.T) {
	met := map[Component]int{}
	for _, f := range append(append([]Formula(nil), everyFormula...), everyEviction...) {
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

// The tests' lists contain every formula of the package.
func TestListsAreComplete(t *testing.T) {
	g := gomega.NewWithT(t)
	listed := map[string]bool{}
	for _, f := range append(append([]Formula(nil), everyFormula...), everyEviction...) {
		listed[f.ID] = true
	}
	files, err := filepath.Glob("*.go")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	id := regexp.MustCompile(`\bID:\s+"([^"]+)"`)
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		g.Expect(err).NotTo(gomega.HaveOccurred())
		for _, m := range id.FindAllStringSubmatch(string(text), -1) {
			g.Expect(listed).To(gomega.HaveKey(m[1]), file)
			found++
		}
	}
	g.Expect(found).To(gomega.BeNumerically(">", 100))
}

func TestComponentsHaveNames(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(TheKubelet.String()).To(gomega.Equal("kubelet"))
	g.Expect(Runtime.String()).To(gomega.Equal("container runtime"))
}

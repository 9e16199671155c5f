package suites

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/gomega"
)

// byID is the catalogue. Tests do not change its trials.
var byID = Index()

func TestCatalogueIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, tr := range Catalogue() {
		t.Run(tr.ID, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(tr.Check()).To(gomega.Succeed())
			g.Expect(seen[tr.ID]).To(gomega.BeFalse(), "two trials of this ID")
			seen[tr.ID] = true
			g.Expect(tr.About).To(gomega.HaveSuffix("."), "a sentence")
			found, ok := byID[tr.ID]
			g.Expect(ok).To(gomega.BeTrue())
			g.Expect(found.About).To(gomega.Equal(tr.About))
		})
	}
}

// Every area has a folder of its name, and Catalogue has the trials of every folder that has some.
func TestEveryAreaIsInTheCatalogue(t *testing.T) {
	g := gomega.NewWithT(t)
	files, err := filepath.Glob("*/*.go")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	var folders []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		g.Expect(err).NotTo(gomega.HaveOccurred())
		if bytes.Contains(text, []byte("func Trials() []trial.Trial {")) {
			folders = append(folders, filepath.Dir(name))
		}
	}
	areas := map[string]bool{}
	for _, tr := range Catalogue() {
		areas[tr.Area()] = true
	}
	g.Expect(slices.Collect(maps.Keys(areas))).To(gomega.ConsistOf(folders))
}

func TestFormulasOfTheCatalogueAreSourced(t *testing.T) {
	for _, tr := range Catalogue() {
		for _, c := range tr.Claims {
			g, f := gomega.NewWithT(t), c.Formula
			where := tr.ID + " " + c.ID()
			g.Expect(f.ID).NotTo(gomega.BeEmpty(), where)
			g.Expect(f.Description).NotTo(gomega.BeEmpty(), where)
			g.Expect(f.Source).NotTo(gomega.BeEmpty(), where)
			if f.Documented != nil {
				g.Expect(f.Promise).NotTo(gomega.BeEmpty(), where)
				g.Expect(f.DocumentedAt).To(gomega.Or(
					gomega.HavePrefix("https://kubernetes.io/"),
					gomega.HavePrefix("https://github.com/kubernetes/enhancements/"),
					gomega.HavePrefix("https://kep.k8s.io/"),
				), where)
			}
			for _, r := range c.Mistakes {
				g.Expect(r.Name).NotTo(gomega.BeEmpty(), where)
				g.Expect(r.Reference).NotTo(gomega.BeEmpty(), where)
				g.Expect(r.Never).To(gomega.Equal(r.Would == nil && r.Distort == nil), where)
			}
		}
	}
}

// The README names trials by their IDs, which must exist.
func TestReadmeNamesTrials(t *testing.T) {
	g := gomega.NewWithT(t)
	readme, err := os.ReadFile("README.md")
	g.Expect(err).NotTo(gomega.HaveOccurred())
	areas := map[string]bool{}
	for _, tr := range byID {
		areas[tr.Area()] = true
	}
	for _, id := range regexp.MustCompile(`[a-z]+/[a-z0-9-]+`).FindAllString(string(readme), -1) {
		if area, _, _ := strings.Cut(id, "/"); areas[area] {
			_, ok := byID[id]
			g.Expect(ok).To(gomega.BeTrue(), "there is no trial %s", id)
		}
	}
}

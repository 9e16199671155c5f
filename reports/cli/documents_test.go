package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// documents returns the documents that show commands, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	g := NewWithT(t)
	paths, err := filepath.Glob("../../docs/*.md")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(paths).NotTo(BeEmpty())
	texts := map[string]string{}
	for _, path := range append(paths, "../../README.md", "../../CONTRIBUTING.md", "../../suites/README.md") {
		text, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		texts[path] = string(text)
	}
	return texts
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestDocumentsShowCommandsThatExist expects that a command in a document has valid flags and arguments, and a
// make target its variables in the Makefile.
func TestDocumentsShowCommandsThatExist(t *testing.T) {
	g := NewWithT(t)
	makefile, err := os.ReadFile("../../Makefile")
	g.Expect(err).NotTo(HaveOccurred())
	shown := 0
	for path, text := range documents(t) {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(block[1]) {
				line, _, _ = strings.Cut(line, "#")
				line, _, _ = strings.Cut(line, ">")
				called := strings.Fields(strings.Replace(line, "go run .", "podclock", 1))
				if len(called) == 0 {
					continue
				}
				shown++
				if called[0] == "make" {
					g.Expect(called[1:]).To(beATarget(string(makefile)), "%s: %s", path, line)
					continue
				}
				if called[0] == "go" || called[0] == "git" {
					continue // the installation of podclock
				}
				g.Expect(filepath.Base(called[0])).To(Equal("podclock"), "%s: %s", path, line)
				c, args, err := tested.program().Find(called[1:])
				g.Expect(err).NotTo(HaveOccurred(), "%s: %s", path, line)
				g.Expect(c.ParseFlags(args)).To(Succeed(), "%s: %s", path, line)
				g.Expect(c.ValidateArgs(c.Flags().Args())).To(Succeed(), "%s: %s", path, line)
			}
		}
	}
	g.Expect(shown).To(BeNumerically(">", 30))
}

// beATarget matches the arguments of make that fit the Makefile.
func beATarget(makefile string) OmegaMatcher {
	return WithTransform(func(called []string) []string {
		var unknown []string
		if !regexp.MustCompile(`(?m)^` + called[0] + `:`).MatchString(makefile) {
			unknown = append(unknown, called[0])
		}
		for _, setting := range called[1:] {
			if name, _, _ := strings.Cut(setting, "="); !strings.Contains(makefile, name+"=") {
				unknown = append(unknown, name)
			}
		}
		return unknown
	}, BeEmpty())
}

var link = regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`)

func TestDocumentsLinkToFilesThatExist(t *testing.T) {
	g := NewWithT(t)
	for path, text := range documents(t) {
		for _, to := range link.FindAllStringSubmatch(text, -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), to[1]))
			g.Expect(err).NotTo(HaveOccurred(), path)
		}
	}
}

// TestReadmeQuotesAPrediction compares the prediction in the README with the program's output.
func TestReadmeQuotesAPrediction(t *testing.T) {
	g := NewWithT(t)
	got := call(t.Context(), "predict", "-f", "../predict/forecast/testdata/shop.yaml")
	_, quoted, found := strings.Cut(documents(t)["../../README.md"], "$ podclock predict -f shop.yaml\n")
	g.Expect(found).To(BeTrue())
	quoted, _, _ = strings.Cut(quoted, "```")
	for line := range strings.Lines(quoted) {
		if line != "…\n" {
			g.Expect(got.out).To(ContainSubstring("\n"+line), "the README's prediction differs from the program's")
		}
	}
}

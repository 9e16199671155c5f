package render

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/suites"
)

// empty is a run in which nothing ran, which is the hardest one to render.
var empty = run.Run{
	Schema:   run.Schema,
	ID:       "20260302-095800",
	Profile:  "quick",
	Started:  time.Date(2026, 3, 2, 9, 58, 0, 0, time.UTC),
	Problems: []string{"set-up failed: no engine"},
	Subjects: []run.Subject{{Name: "v1.36.3"}, {Name: "virtual:v1.36.3", Lane: run.VirtualLane}},
	Outcomes: []run.Outcome{
		{Trial: "termination/grace-1", Subject: "v1.36.3", Verdict: "inconclusive", Why: "it never ran"},
		{Trial: "termination/grace-1", Subject: "virtual:v1.36.3", Verdict: "inconclusive", Why: "it never ran"},
	},
}

func TestEveryFormatIsRendered(t *testing.T) {
	files := map[string]int{
		"html":        1,
		"markdown":    1,
		"junit":       1,
		"conformance": 2,
		"openmetrics": 1,
		"summary":     1,
		"annotations": 1,
	}
	g := NewWithT(t)
	g.Expect(Names()).To(HaveLen(len(files)))
	seen := map[string]string{}
	for _, f := range Formats() {
		dir := t.TempDir()
		paths, err := Save(dir, empty, Options{Catalogue: suites.Catalogue}, f)
		g.Expect(err).NotTo(HaveOccurred(), f.Name)
		g.Expect(paths).To(HaveLen(files[f.Name]), f.Name)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			g.Expect(err).NotTo(HaveOccurred(), f.Name)
			g.Expect(strings.TrimSpace(string(text))).NotTo(BeEmpty(), f.Name)
			g.Expect(seen).NotTo(HaveKey(filepath.Base(path)), "one file, one format")
			seen[filepath.Base(path)] = f.Name
		}
		left, err := os.ReadDir(dir)
		g.Expect(err).NotTo(HaveOccurred(), f.Name)
		g.Expect(left).To(HaveLen(len(paths)), "nothing but the files")
	}
}

func TestOneReportThatFailsKeepsNoOther(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(dir, "broken.txt"), []byte("of old"), 0o644)).To(Succeed())
	broken := Format{Name: "broken", each: one("broken.txt", func(w io.Writer, _ run.Run, _ Options) error {
		_, _ = io.WriteString(w, "half")
		return errors.New("it can't be rendered")
	})}
	good, err := Find("junit")
	g.Expect(err).NotTo(HaveOccurred())
	paths, err := Save(dir, empty, Options{Catalogue: suites.Catalogue}, broken, good)
	g.Expect(err).To(MatchError("the broken report: it can't be rendered"))
	g.Expect(paths).To(Equal([]string{filepath.Join(dir, run.JUnitFile)}))
	g.Expect(os.ReadFile(filepath.Join(dir, "broken.txt"))).To(BeEquivalentTo("of old"))
}

func TestNoSuchFormat(t *testing.T) {
	_, err := Find("pdf")
	NewWithT(t).Expect(err).
		To(MatchError(`there is no format "pdf": there are html, markdown, junit, conformance, openmetrics, ` +
			"summary, annotations"))
}

func TestSettings(t *testing.T) {
	g := NewWithT(t)
	of := Settings(Finder(suites.Catalogue()))
	g.Expect(of("termination/grace-1")).To(BeEmpty())
	g.Expect(of("restarts/crash-exit-0-to-300s")).To(Equal("PROFILE=full"))
	g.Expect(of("no/such-trial")).To(BeEmpty())
}

package folder

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/render"
	"github.com/podclock/podclock/reports/view"
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
	g := NewWithT(t)
	seen := map[string]string{}
	for _, f := range render.Formats() {
		dir := t.TempDir()
		paths, err := WriteFormats(dir, empty, render.Options{Catalogue: suites.Catalogue}, f)
		g.Expect(err).NotTo(HaveOccurred(), f.Name)
		files := 1
		if f.Name == "conformance" {
			files = len(empty.Subjects)
		}
		g.Expect(paths).To(HaveLen(files), f.Name)
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
	broken := render.Format{Name: "broken", Files: func(view.Overview, render.Options) []render.File {
		return []render.File{{Name: "broken.txt", Render: func(w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			return errors.New("it can't be rendered")
		}}}
	}}
	good, err := render.Find("junit")
	g.Expect(err).NotTo(HaveOccurred())
	paths, err := WriteFormats(dir, empty, render.Options{Catalogue: suites.Catalogue}, broken, good)
	g.Expect(err).To(MatchError("the broken report: it can't be rendered"))
	g.Expect(paths).To(Equal([]string{filepath.Join(dir, run.JUnitFile)}))
	g.Expect(os.ReadFile(filepath.Join(dir, "broken.txt"))).To(BeEquivalentTo("of old"))
}

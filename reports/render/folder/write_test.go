package folder

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/onsi/ginkgo/v2/reporters"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/fuzzed"
)

func summaryText(t *testing.T, r run.Run, o terminal.Options) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(t).Expect(terminal.Run(&b, view.OverviewOf(r, nil), o)).To(Succeed())
	return b.String()
}

func parse(t *testing.T, r run.Run) reporters.JUnitTestSuites {
	t.Helper()
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(junit.Run(&b, view.OverviewOf(r, nil))).To(Succeed())
	var s reporters.JUnitTestSuites
	g.Expect(xml.Unmarshal(b.Bytes(), &s)).To(Succeed())
	return s
}

func TestEveryDeviationHasAFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r, o := fixture.WithContext(fixture.Fixture())
	g.Expect(Write(dir, r)).To(Succeed())
	files, err := os.ReadDir(filepath.Join(dir, run.DeviationsFolder))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(r.Count(trial.Deviates)))
	g.Expect(files[0].Name()).To(Equal(run.DeviationFile(o)))
	for _, name := range []string{run.RunFile, run.JUnitFile, run.MarkdownFile} {
		g.Expect(filepath.Join(dir, name)).To(BeARegularFile())
	}

	none := t.TempDir()
	g.Expect(Write(none, fixture.Conforming())).To(Succeed())
	g.Expect(filepath.Join(none, run.DeviationsFolder)).NotTo(BeADirectory())
}

// TestSavedRunHasItsFigures matters because other readers of run.json should not need to compute the figures.
func TestSavedRunHasItsFigures(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(Write(dir, fixture.Fixture())).To(Succeed())
	data, err := os.ReadFile(filepath.Join(dir, run.RunFile))
	g.Expect(err).NotTo(HaveOccurred())
	var saved struct {
		Figures view.Figures `json:"figures"`
	}
	g.Expect(json.Unmarshal(data, &saved)).To(Succeed())
	g.Expect(saved.Figures).To(Equal(view.FiguresOf(fixture.Fixture())))
}

func TestRandomScenariosAreSaved(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "new")
	a := fuzzed.Answer{Seed: 3, Scenarios: 7, Subjects: []fuzzed.Subject{{Name: "virtual:v1.37.2"}}}
	g.Expect(WriteFuzz(dir, a)).To(Succeed())
	data, err := os.ReadFile(filepath.Join(dir, fuzzed.JSONFile))
	g.Expect(err).NotTo(HaveOccurred())
	var saved fuzzed.Answer
	g.Expect(json.Unmarshal(data, &saved)).To(Succeed())
	g.Expect(saved).To(Equal(a))
	text, err := os.ReadFile(filepath.Join(dir, fuzzed.MarkdownFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(ContainSubstring("## virtual:v1.37.2: 0 scenarios"))
}

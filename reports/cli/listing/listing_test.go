package listing

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/suites"
)

// TestCatalogueFileIsInStep compares suites/CATALOGUE.md with the catalogue.
func TestCatalogueFileIsInStep(t *testing.T) {
	saved, err := os.ReadFile("../../../suites/CATALOGUE.md")
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: make catalogue-md")
	if generated := New(suites.Catalogue(), formula.Versions()).Markdown(); generated != string(saved) {
		t.Error("suites/CATALOGUE.md differs from the catalogue: run make catalogue-md")
	}
}

// TestVersionsFileIsCurrent compares docs/versions.md with the changes.
func TestVersionsFileIsCurrent(t *testing.T) {
	saved, err := os.ReadFile("../../../docs/versions.md")
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred(), "write it with: make versions-md")
	if Changes() != string(saved) {
		t.Error("docs/versions.md differs from harness/rules/formula/changes.go: run make versions-md")
	}
	row := regexp.MustCompile(`\n\| a terminating pod's liveness.* \| 11\+ \| 8\+ \| 2\+ \| all \| .*all \|\n`)
	g.Expect(Changes()).To(MatchRegexp(row.String()))
}

// TestTrackRecordFits expects each row to say what a formula of its trial says, or what its mutant breaks.
func TestTrackRecordFits(t *testing.T) {
	g := NewWithT(t)
	saved, err := os.ReadFile("../../../docs/generated/track-record.md")
	g.Expect(err).NotTo(HaveOccurred())
	row := regexp.MustCompile("(?m)^\\| \\[.*? \\| (.+?) \\| (.+?) \\| `(.+?)` \\|")
	rows := row.FindAllStringSubmatch(string(saved), -1)
	g.Expect(len(rows)).To(BeNumerically(">", 40))
	trials := suites.Index()
	for _, row := range rows {
		says, on, id := row[1], row[2], row[3]
		var fit []string
		if m, ok := mutation.Find(strings.Trim(on, "`")); ok {
			fit = append(fit, m.Breaks)
		} else {
			for _, c := range trials[id].Claims {
				fit = append(fit, view.Capital(c.Formula.Description))
			}
		}
		g.Expect(fit).To(ContainElement(says), "%s on %s", id, on)
	}
}

func TestListingSaysEverything(t *testing.T) {
	g := NewWithT(t)
	l := New(suites.Catalogue(), formula.Versions())
	for name, text := range map[string]string{"text": l.Text(), "markdown": l.Markdown()} {
		for _, tr := range suites.Catalogue() {
			g.Expect(text).To(And(ContainSubstring(tr.ID), ContainSubstring(Lasts(tr.Lasts))), name)
			for _, c := range tr.Claims {
				g.Expect(text).To(And(ContainSubstring(c.ID()), ContainSubstring(c.Formula.ID)), name)
			}
		}
	}
	g.Expect(l.size()).To(HavePrefix(fmt.Sprintf("%d trials ", len(suites.Catalogue()))))
}

func TestListingOfATrial(t *testing.T) {
	g := NewWithT(t)
	sidecars := formula.Change{Name: "there are sidecars", Reference: "KEP-753", Since: "v1.29.0"}
	mistake := formula.Mistake{Name: "it forgets|the hook", Reference: "kubernetes#1"}
	predicted := formula.Formula{
		ID:          "a/formula",
		Description: "it dies",
		Source:      "file.go kill",
		Issues:      func(formula.Input) string { return formula.NoIssueKnown },
	}
	promised := predicted
	promised.Of = formula.Runtime
	promised.Documented, promised.Promise, promised.DocumentedAt = func(formula.Input) *formula.Window { return nil },
		"It dies soon.", "https://kubernetes.io/docs/"
	l := New([]trial.Trial{
		{
			ID:     "area/one",
			About:  "One <is> shown.",
			Lasts:  4 * time.Minute,
			Needs:  []formula.Change{sidecars},
			Worker: &trial.Worker{Name: "small-disk", Alone: true},
			Claims: []trial.Claim{
				{Measure: trial.StopSignals(), Formula: predicted, Mistakes: []formula.Mistake{mistake, mistake}},
				{Measure: trial.HookRuns(), Formula: predicted},
			},
		},
		{
			ID: "other/two", About: "Two.", Lasts: 90 * time.Second, Pod: &corev1.Pod{}, ContainerStart: time.Minute,
			Claims: []trial.Claim{{Measure: trial.DeathCode(), Formula: promised, Needs: []formula.Change{sidecars}}},
		},
	}, []string{"v1.36.3", "v1.23.1"})
	const why = "kubelet v1.23.1 lacks this change of v1.29.0: there are sidecars (KEP-753)"

	g.Expect(l.Text()).To(Equal(`area/one
  One <is> shown.
  lasts 4m, profile full, worker small-disk, alone
  on v1.36.3
  not: ` + why + `
    sigterms: a/formula
    hook-runs: a/formula
other/two
  Two.
  lasts 1m30s, profile quick, worker of the virtual lane only
  on v1.36.3, v1.23.1
    exit-code: a/formula (not on v1.23.1)

The formulas
a/formula
  says: it dies
  source: file.go kill
  documented: no number is promised
  issues: no issue known
  known mistake: it forgets|the hook (kubernetes#1)
a/formula
  says: it dies
  source: file.go kill
  a rule of the container runtime
  documented: It dies soon.
  page: https://kubernetes.io/docs/
  issues: no issue known

2 trials with 3 claims under 2 formulas.
`))
	g.Expect(l.Markdown()).To(And(
		ContainSubstring(
			"| `area/one` | One &lt;is> shown. | a/formula: `sigterms`, `hook-runs` | 4m, full; worker small-disk, "+
				"alone; unsupported: "+why+" |\n",
		),
		ContainSubstring("| `other/two` | Two. | a/formula: `exit-code` (not on v1.23.1) | 1m30s, quick; in the "+
			"virtual lane only |\n"),
		ContainSubstring("- known mistake: it forgets\\|the hook (kubernetes#1)\n"),
	))
}

package folder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/fixture"
	"github.com/podclock/podclock/reports/terminal"
	"github.com/podclock/podclock/reports/view"
)

func TestFigures(t *testing.T) {
	g := NewWithT(t)
	f := view.FiguresOf(fixture.Fixture())
	one := 9 + 20 + 6 + 15 + 2*5 + 8 + 2*12
	g.Expect(f).To(Equal(view.Figures{
		Trials:         9,
		Subjects:       2,
		Outcomes:       18,
		Claims:         24,
		TwoSided:       20,
		Repeated:       4,
		Sum:            2 * time.Duration(one) * time.Second,
		Attempts:       18,
		Wall:           25 * time.Second,
		Longest:        20 * time.Second,
		LongestTrial:   "probes/exec-liveness-fails",
		LongestSubject: fixture.Clean,
		Ratio:          1.25,
	}))
	g.Expect(f.Pace()).To(ContainSubstring("Ratio: 1.25, more than the 1.15 expected"))
	f.Ratio = 1.15
	g.Expect(f.Pace()).To(ContainSubstring("Ratio: 1.15, at most 1.15 expected"))
	g.Expect(view.FiguresOf(run.Run{})).To(Equal(view.Figures{}))
	g.Expect(view.FiguresOf(fixture.FailedSetUp()).Ratio).To(BeZero(), "nothing ran")
}

// An attempt that hung until it was cut off would hide how long the run took beside the others.
func TestLongestIsConclusive(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	for i := range r.Outcomes {
		for j := range r.Outcomes[i].Attempts {
			if a := &r.Outcomes[i].Attempts[j]; a.Result.Verdict == trial.Inconclusive {
				a.Took = time.Hour
			}
		}
	}
	f := view.FiguresOf(r)
	g.Expect(f.Sum).To(BeNumerically(">", time.Hour))
	g.Expect(f.Longest).To(Equal(20 * time.Second))
	g.Expect(f.Ratio).To(Equal(1.25))

	r.Outcomes = slices.DeleteFunc(
		r.Outcomes,
		func(o run.Outcome) bool { return o.Verdict != trial.Inconclusive || len(o.Attempts) == 0 },
	)
	g.Expect(r.Outcomes).NotTo(BeEmpty())
	g.Expect(view.FiguresOf(r).Longest).To(BeZero())
	g.Expect(summaryText(t, r, terminal.Options{})).
		To(And(ContainSubstring("No trial came to a conclusion."), Not(ContainSubstring("Ratio"))))
}

func TestTwoSided(t *testing.T) {
	g := NewWithT(t)
	for _, c := range []struct {
		unit     formula.Unit
		earliest int64
		both     bool
	}{
		{formula.Nanoseconds, 1, true}, {formula.Nanoseconds, 0, false}, {formula.Nanoseconds, -1, false},
		{formula.Count, 1, true}, {formula.Count, 0, false}, {formula.ExitCode, 0, true}, {formula.Status, 0, true},
	} {
		f := trial.Finding{Implemented: formula.Window{Unit: c.unit, Earliest: c.earliest, Latest: c.earliest + 1}}
		g.Expect(view.TwoSided(f)).To(Equal(c.both), "%v", c)
	}
}

// Other readers of run.json need not work the figures out.
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

// The mark stands wherever the subject's name does.
func TestExtrapolatedSubjectsAreMarked(t *testing.T) {
	g := NewWithT(t)
	marked := 0
	for _, s := range parse(t, large()).Suites {
		for _, p := range s.Properties.List {
			if p.Name == "extrapolated" {
				marked++
				g.Expect(s.Name).To(HaveSuffix(".v1_37_0"))
			}
		}
	}
	g.Expect(marked).To(Equal(6), "one for each area")

	r := fixture.Conforming()
	g.Expect(summaryText(t, r, terminal.Options{})).NotTo(ContainSubstring("xtrapolated"))
	r.Subjects[0].Kubelet.Version = "v1.38.0"
	g.Expect(summaryText(t, r, terminal.Options{})).
		To(And(ContainSubstring("v1.36.3 (extrapolated)"), ContainSubstring("Extrapolated: the formulas were read")))
	r.Subjects[0].Kubelet.Version = "" // a set-up that failed before it was known
	g.Expect(summaryText(t, r, terminal.Options{})).NotTo(ContainSubstring("xtrapolated"))
}

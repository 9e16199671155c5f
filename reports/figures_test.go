package reports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

func TestFigures(t *testing.T) {
	g := NewWithT(t)
	f := fixture().Figures()
	one := 9 + 20 + 6 + 15 + 2*5 + 8 + 2*12
	g.Expect(f).To(Equal(Figures{
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
		LongestSubject: clean,
		Ratio:          1.25,
	}))
	g.Expect(f.pace()).To(ContainSubstring("Ratio: 1.25, more than the 1.15 expected"))
	f.Ratio = 1.15
	g.Expect(f.pace()).To(ContainSubstring("Ratio: 1.15, at most 1.15 expected"))
	g.Expect(Run{}.Figures()).To(Equal(Figures{}))
	g.Expect(failedSetUp().Figures().Ratio).To(BeZero(), "nothing ran")
}

// An attempt that hung until it was cut off would hide how long the run took beside the others.
func TestLongestIsConclusive(t *testing.T) {
	g := NewWithT(t)
	r := fixture()
	for i := range r.Outcomes {
		for j := range r.Outcomes[i].Attempts {
			if a := &r.Outcomes[i].Attempts[j]; a.Result.Verdict == trial.Inconclusive {
				a.Took = time.Hour
			}
		}
	}
	f := r.Figures()
	g.Expect(f.Sum).To(BeNumerically(">", time.Hour))
	g.Expect(f.Longest).To(Equal(20 * time.Second))
	g.Expect(f.Ratio).To(Equal(1.25))

	r.Outcomes = slices.DeleteFunc(
		r.Outcomes,
		func(o Outcome) bool { return o.Verdict != trial.Inconclusive || len(o.Attempts) == 0 },
	)
	g.Expect(r.Outcomes).NotTo(BeEmpty())
	g.Expect(r.Figures().Longest).To(BeZero())
	g.Expect(summary(t, r, SummaryOptions{})).
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
		g.Expect(twoSided(f)).To(Equal(c.both), "%v", c)
	}
}

// Other readers of run.json need not work the figures out.
func TestSavedRunHasItsFigures(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(Write(dir, fixture())).To(Succeed())
	data, err := os.ReadFile(filepath.Join(dir, RunFile))
	g.Expect(err).NotTo(HaveOccurred())
	var saved struct {
		Figures Figures `json:"figures"`
	}
	g.Expect(json.Unmarshal(data, &saved)).To(Succeed())
	g.Expect(saved.Figures).To(Equal(fixture().Figures()))
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

	r := conforming()
	g.Expect(summary(t, r, SummaryOptions{})).NotTo(ContainSubstring("xtrapolated"))
	r.Subjects[0].Kubelet.Version = "v1.38.0"
	g.Expect(summary(t, r, SummaryOptions{})).
		To(And(ContainSubstring("v1.36.3 (extrapolated)"), ContainSubstring("Extrapolated: the formulas were read")))
	r.Subjects[0].Kubelet.Version = "" // a set-up that failed before it was known
	g.Expect(summary(t, r, SummaryOptions{})).NotTo(ContainSubstring("xtrapolated"))
}

package cli

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view/repetition"
)

func TestRepeatOfSavedRuns(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	run := runs.Run{
		ID:       "20260302-095800",
		Subjects: []runs.Subject{{Name: "v1.36.3"}},
		Outcomes: []runs.Outcome{
			{Trial: "a/b", Subject: "v1.36.3", Verdict: "conforms", Attempts: make([]runs.Attempt, 1)},
		},
	}
	g.Expect(runs.Save(dir, run, nil)).To(Succeed())
	repeat := func(args ...string) said { return call(t.Context(), append([]string{"repeat"}, args...)...) }
	other := t.TempDir()
	second := run
	second.ID = "20260302-095900"
	g.Expect(runs.Save(other, second, nil)).To(Succeed())
	got := repeat("--of", dir, "--of", other)
	g.Expect(got.code).To(Equal(runs.ExitConforms), got.log)
	g.Expect(got.out).To(ContainSubstring("# Repetitions (2 of v1.36.3): 0 deviations, 0.00 % inconclusive, 2 of 2 " +
		"rounds"))

	got = repeat("--of", dir, "--of", filepath.Join(dir, runs.RunFile), "--of", other)
	g.Expect(got.out).To(ContainSubstring("# Repetitions (2 of v1.36.3)"), "a run that is named twice counts once")
	g.Expect(got.log).To(ContainSubstring("counts once"))

	for _, below := range []string{"-1", "100.5", "NaN"} {
		g.Expect(repeat("--of", dir, "--inconclusive-below="+below).log).To(ContainSubstring("from 0 to 100"), below)
	}

	to := filepath.Join(t.TempDir(), "new", "folder")
	got = repeat("--of", dir, "--to", to, "--inconclusive-below", "0")
	g.Expect(got.code).To(Equal(runs.ExitUnjudged))
	g.Expect(got.out).To(ContainSubstring("the limit is 0.00 %"))
	g.Expect(filepath.Join(to, repetition.RoundsFile)).To(BeAnExistingFile())

	g.Expect(repeat("--judge", "--of", dir).out).
		To(ContainSubstring("1 of 1 (100.00 %)"), "the catalogue no longer has the trial: inconclusive")

	g.Expect(repeat("--to", to).log).To(ContainSubstring("--of"))
	g.Expect(repeat("--of", t.TempDir()).log).To(ContainSubstring("no saved run"))
}

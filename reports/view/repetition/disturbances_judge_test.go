package repetition_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/folder"
	"github.com/podclock/podclock/reports/view/repetition"
)

// A trial that the catalogue no longer has is not judged.
func TestDisturbancesAreJudgedAgain(t *testing.T) {
	g := NewWithT(t)
	rows := []repetition.Disturbed{
		disturbed("none", 0, [2]string{"C", "C"}, [2]string{"X", "X"}),
		disturbed("cpu", 3, [2]string{"C", "X"}, [2]string{"X", "C"}),
	}
	dir, saved := t.TempDir(), tableOf(rows...)
	g.Expect(saved.ExitCode).To(Equal(run.ExitDeviates))
	g.Expect(folder.WriteDisturbances(dir, saved)).To(Succeed())
	nothing := func(string) (trial.Trial, bool) { return trial.Trial{}, false }
	_, err := repetition.JudgeDisturbances(dir, nothing)
	g.Expect(err).To(MatchError(ContainSubstring("the row none of")), "the runs are not there")
	for _, r := range rows {
		g.Expect(os.MkdirAll(filepath.Join(dir, r.Run.ID), 0o755)).To(Succeed())
		g.Expect(run.Save(filepath.Join(dir, r.Run.ID), r.Run, nil)).To(Succeed())
	}
	again, err := repetition.JudgeDisturbances(dir, nothing)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Rows).To(HaveLen(2))
	g.Expect(again.Rows[1].Applied).To(Equal(saved.Rows[1].Applied))
	g.Expect(again.Rows[1].Cells[0].Verdicts).To(HaveKeyWithValue(trial.Inconclusive, 2))
	g.Expect(again.Broken).To(BeEmpty())
	g.Expect(again.ExitCode).To(Equal(run.ExitUnjudged))
}

func TestDisturbancesThatCanNotBeRead(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	nothing := func(string) (trial.Trial, bool) { return trial.Trial{}, false }
	_, err := repetition.JudgeDisturbances(dir, nothing)
	g.Expect(err).To(MatchError(ContainSubstring("no saved table of disturbances at")))
	for content, want := range map[string]string{
		"[":                  "is not a saved table of disturbances",
		`{"schema":"other"}`: `has the schema "other"`,
	} {
		g.Expect(os.WriteFile(filepath.Join(dir, repetition.DisturbancesJSON), []byte(content), 0o644)).To(Succeed())
		_, err := repetition.JudgeDisturbances(dir, nothing)
		g.Expect(err).To(MatchError(ContainSubstring(want)))
	}
}

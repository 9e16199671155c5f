package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/rounds"
	"github.com/podclock/podclock/reports/view/repetition"
)

// TestAnInterruptedTableNamesTheMissingRows expects a table after every row and after an interrupt.
func TestAnInterruptedTableNamesTheMissingRows(t *testing.T) {
	g := NewWithT(t)
	all, err := rounds.Parse("cpu,disk")
	g.Expect(err).NotTo(HaveOccurred())
	c, err := rounds.Disturbable(session.Config{KindBase: tested.KindConfig, Out: t.TempDir()})
	g.Expect(err).NotTo(HaveOccurred())
	dir := t.TempDir()
	r := rounds.New(rounds.Series{Config: c}, session.Program{Log: io.Discard})
	written := func() string {
		text, err := os.ReadFile(filepath.Join(dir, repetition.DisturbancesFile))
		g.Expect(err).NotTo(HaveOccurred())
		return string(text)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	deleted, rows := false, 0
	r.Down = func(ctx context.Context) error { deleted = true; return ctx.Err() }
	r.Play = func(context.Context, session.During) (runs.Run, bool, error) {
		if rows++; rows == 2 {
			g.Expect(written()).
				To(ContainSubstring("exit code 2: the harness could not judge: there are only 1 of 3 rows so far."))
			interrupt()
		}
		return runs.Run{
			ID:       "run",
			Subjects: []runs.Subject{{Name: "v1.36.3"}},
			Outcomes: []runs.Outcome{{Trial: "a/b", Subject: "v1.36.3", Verdict: trial.Conforms}},
		}, true, nil
	}
	table, err := playDisturbed(ctx, io.Discard, dir, r, all)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(deleted).To(BeTrue())
	g.Expect(table.Rows).To(HaveLen(1))
	g.Expect(table.ExitCode).To(Equal(runs.ExitUnjudged))
	g.Expect(written()).
		To(ContainSubstring("exit code 2: the harness could not judge: there are 1 of 3 rows: interrupted under the " +
			"disturbance cpu."))
}

package disturbance

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/disturbances"
)

// The table is written after every row and once more at an interrupt, and says each time how many rows it lacks.
func TestAnInterruptedTableSaysWhatItLacks(t *testing.T) {
	g := NewWithT(t)
	c, err := ParseConfig(map[string]string{"OUT": t.TempDir(), "DISTURBANCES": "cpu,disk"})
	g.Expect(err).NotTo(HaveOccurred())
	s, err := New(c, io.Discard)
	g.Expect(err).NotTo(HaveOccurred())
	written := func() string {
		text, err := os.ReadFile(filepath.Join(s.Dir(), disturbances.DisturbanceFile))
		g.Expect(err).NotTo(HaveOccurred())
		return string(text)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	deleted, rows := false, 0
	s.rounds.Down = func(ctx context.Context) error { deleted = true; return ctx.Err() }
	s.rounds.Play = func(context.Context, session.During) (run.Run, bool, error) {
		if rows++; rows == 2 {
			g.Expect(written()).
				To(ContainSubstring("exit code 2: the harness could not judge: there are only 1 of 3 rows so far."))
			interrupt()
		}
		return run.Run{
			ID:       "run",
			Subjects: []run.Subject{{Name: "v1.36.3"}},
			Outcomes: []run.Outcome{{Trial: "a/b", Subject: "v1.36.3", Verdict: trial.Conforms}},
		}, true, nil
	}
	table, err := s.Run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(deleted).To(BeTrue())
	g.Expect(table.Rows).To(HaveLen(1))
	g.Expect(table.ExitCode).To(Equal(run.ExitUnjudged))
	g.Expect(written()).
		To(ContainSubstring("exit code 2: the harness could not judge: there are 1 of 3 rows: interrupted under the disturbance cpu."))
}

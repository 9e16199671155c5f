package session

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Log lines go through the display while trials run, and afterwards to their old place.
func TestLogsGoThroughTheDisplay(t *testing.T) {
	g := NewWithT(t)
	var log, display strings.Builder
	r := &relay{to: &log}
	write := func(line string) {
		n, err := fmt.Fprintln(r, line)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(n).To(Equal(len(line) + 1))
	}
	write("before")
	back := r.through(&display)
	write("meanwhile")
	g.Expect(r.through(back)).To(Equal(&display))
	write("afterwards")
	g.Expect(log.String()).To(Equal("before\nafterwards\n"))
	g.Expect(display.String()).To(Equal("meanwhile\n"))
}

func TestAdaptations(t *testing.T) {
	g := NewWithT(t)
	g.Expect(adaptations(engine.Host{})).To(BeEmpty(), "an ordinary host is left alone")
	g.Expect(adaptations(engine.Host{CgroupV1: true, ReducedCapabilities: []string{"CAP_A", "CAP_B"}})).
		To(HaveExactElements(
			ContainSubstring("failCgroupV1"), ContainSubstring("CAP_A, CAP_B")))
}

// A run whose set-up failed is saved as well. It reports for every trial that it never ran.
func TestFinishSavesARunThatNeverBegan(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(
		map[string]string{"OUT": filepath.Join(t.TempDir(), "out"), "SUBJECTS": "v1.36.3,v1.36.3+resultrun-one"},
	)
	g.Expect(err).NotTo(HaveOccurred())
	s, err := New(c, []runner.Selection{{Trial: trial.Trial{ID: "a/b", About: "About."}, Subject: "v1.36.3"}},
		Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	s.Problem("set-up failed: no engine")
	_, err = s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())

	saved, err := run.Load(filepath.Join(c.Out, run.LatestLink))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(saved.Problems).To(Equal([]string{"set-up failed: no engine"}))
	g.Expect(saved.ExitCode()).To(Equal(run.ExitUnjudged))
	g.Expect(saved.Outcomes).To(Equal([]trial.Outcome{
		{Trial: "a/b", About: "About.", Subject: "v1.36.3", Verdict: trial.Inconclusive, Why: "it never ran"},
	}))
	g.Expect(saved.Subjects).To(HaveLen(2))
	g.Expect(saved.Subjects[1].Mutation).To(Equal("resultrun-one"))
}

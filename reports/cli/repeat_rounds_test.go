package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/session/rounds"
	"github.com/podclock/podclock/reports/view/repetition"
)

// played is the result of one round of a test.
type played struct {
	run    runs.Run
	booted bool
	err    error
	// interrupt ends the series' context while the round goes on.
	interrupt bool
}

var (
	good = played{
		run: runs.Run{
			ID:       "good",
			Outcomes: []runs.Outcome{{Trial: "a/b", Verdict: trial.Conforms, Attempts: make([]runs.Attempt, 1)}},
		},
		booted: true,
	}
	later  = played{run: good.run} // the cluster is there already
	failed = played{
		run:    runs.Run{ID: "failed", Problems: []string{"set-up failed: no room"}},
		booted: true,
		err:    errors.New("no room"),
	}
	none = played{err: errors.New("the disk is full")}
)

// testedSeries is a series with invented rounds in its own folder.
type testedSeries struct {
	repeatPlay
	out    bytes.Buffer
	events []string
}

func (s *testedSeries) run(ctx context.Context) (repetition.Rounds, error) {
	err := s.play(ctx)
	return s.report.Rounds(), err
}

func newSeries(t *testing.T, n int, keep bool, played ...played) (*testedSeries, context.Context) {
	g := NewWithT(t)
	c, err := session.Config{KindBase: tested.KindConfig, Out: t.TempDir(), Keep: keep}.Resolve()
	g.Expect(err).NotTo(HaveOccurred())
	dir, _, err := runs.NewFolder(c.Out, repetition.RoundsPrefix, time.Now())
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	s := &testedSeries{}
	s.repeatPlay = repeatPlay{
		dir: dir, log: &s.out, asked: n, report: repetition.NewRounds(n, repetition.MostInconclusive),
		rounds: rounds.New(rounds.Series{Config: c}, session.Program{Log: &s.out}),
	}
	s.rounds.Play = func(context.Context, session.During) (runs.Run, bool, error) {
		one := played[0]
		played = played[1:]
		s.events = append(s.events, "round")
		if one.interrupt {
			cancel()
		}
		return one.run, one.booted, one.err
	}
	s.rounds.Down = func(ctx context.Context) error {
		g.Expect(ctx.Err()).NotTo(HaveOccurred(), "there must be time to delete it after an interrupt")
		s.events = append(s.events, "down")
		return nil
	}
	return s, ctx
}

func TestSeries(t *testing.T) {
	interrupted := later
	interrupted.interrupt = true
	for name, c := range map[string]struct {
		n      int
		keep   bool
		rounds []played
		events string
		code   int
		ended  string
	}{
		"the cluster stays between the rounds": {3, false, []played{good, later, later}, "round round round down",
			runs.ExitConforms, ""},
		"a cluster from before the series stays": {2, false, []played{later, later}, "round round", runs.ExitConforms,
			""},
		"a cluster with --keep stays": {2, true, []played{good, later}, "round round", runs.ExitConforms, ""},
		"a failed round is not repeated": {3, false, []played{good, failed, good},
			"round round down round down",
			runs.ExitUnjudged, ""},
		"two in a row end it": {9, false, []played{good, failed, none}, "round round down round", runs.ExitUnjudged,
			"2 rounds in a row failed"},
		"an interrupt ends it": {9, false, []played{good, interrupted}, "round round down", runs.ExitUnjudged,
			"interrupted in round 2 of 9"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s, ctx := newSeries(t, c.n, c.keep, c.rounds...)
			report, err := s.run(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(strings.Join(s.events, " ")).To(Equal(c.events))
			g.Expect(report.ExitCode).To(Equal(c.code))
			g.Expect(report.Ended).To(ContainSubstring(c.ended))
			if c.ended == "" {
				g.Expect(report.Ended).To(BeEmpty())
			}
			for _, file := range []string{repetition.RoundsFile, repetition.RoundsClaimsFile, repetition.RoundsJSON} {
				g.Expect(filepath.Join(s.dir, file)).To(BeAnExistingFile())
			}
		})
	}
}

// TestAnInterruptedRoundDoesNotCount expects that trials without a verdict after an interrupt do not count.
func TestAnInterruptedRoundDoesNotCount(t *testing.T) {
	g := NewWithT(t)
	cut := played{
		interrupt: true,
		run: runs.Run{ID: "cut", Problems: []string{"interrupted"}, Outcomes: []runs.Outcome{
			{Trial: "a/b", Verdict: trial.Inconclusive, Attempts: make([]runs.Attempt, 1)}}},
	}
	s, ctx := newSeries(t, 5, false, good, cut)
	report, err := s.run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Rounds).To(HaveLen(1))
	g.Expect(report.Outcomes).To(Equal(1))
}

func TestTheReportIsWrittenAfterEveryRound(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, 2, false, good, later)
	play := s.rounds.Play
	s.rounds.Play = func(ctx context.Context, during session.During) (runs.Run, bool, error) {
		if len(s.events) == 1 {
			text, err := os.ReadFile(filepath.Join(s.dir, repetition.RoundsFile))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(text)).To(ContainSubstring("1 of 1"))
		}
		return play(ctx, during)
	}
	_, err := s.run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.out.String()).
		To(And(ContainSubstring("round 2 of 2, run good: 1 verdict"), ContainSubstring("so far: Repetitions")))
	g.Expect(s.dir).To(ContainSubstring(fmt.Sprintf("repeat-%d", time.Now().UTC().Year())))
}

func TestAClusterThatCannotBeDeletedIsReported(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, 1, false, good)
	s.rounds.Down = func(context.Context) error { return errors.New("no engine") }
	report, err := s.run(ctx)
	g.Expect(err).To(MatchError(ContainSubstring("no engine")))
	g.Expect(report.Outcomes).To(Equal(1))
}

// TestAnInterruptBetweenRoundsIsReported interrupts while a cluster is deleted between two rounds. The series
// ends as after an interrupt within a round.
func TestAnInterruptBetweenRoundsIsReported(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, 3, false, good, failed)
	ctx, cancel := context.WithCancel(ctx)
	down := s.rounds.Down
	s.rounds.Down = func(ctx context.Context) error { cancel(); return down(ctx) }
	report, err := s.run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Join(s.events, " ")).To(Equal("round round down"))
	g.Expect(report.Ended).To(Equal("interrupted after round 2 of 3"))
	g.Expect(report.ExitCode).To(Equal(runs.ExitUnjudged))
	text, err := os.ReadFile(filepath.Join(s.dir, repetition.RoundsFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).
		To(And(ContainSubstring("interrupted after round 2 of 3"), ContainSubstring("1 of 3 rounds, 1 failed")))
}

// TestAClusterThatCouldNotBeDeletedIsNotForgotten expects that the series deletes the cluster in the end, even
// if a later round finds it.
func TestAClusterThatCouldNotBeDeletedIsNotForgotten(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, 3, false, good, failed, later)
	down, tries := s.rounds.Down, 0
	s.rounds.Down = func(ctx context.Context) error {
		if tries++; tries == 1 {
			return errors.New("no engine")
		}
		return down(ctx)
	}
	_, err := s.run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Join(s.events, " ")).To(Equal("round round round down"))
	g.Expect(s.out.String()).To(ContainSubstring("no engine"))
}

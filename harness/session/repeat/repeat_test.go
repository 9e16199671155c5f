package repeat

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

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/repeats"
)

// played is what one round of a test comes to.
type played struct {
	run    run.Run
	booted bool
	err    error
	// interrupt ends the series' context while the round goes on.
	interrupt bool
}

var (
	good = played{
		run: run.Run{
			ID:       "good",
			Outcomes: []run.Outcome{{Trial: "a/b", Verdict: trial.Conforms, Attempts: make([]run.Attempt, 1)}},
		},
		booted: true,
	}
	later  = played{run: good.run} // on the cluster that stands
	failed = played{
		run:    run.Run{ID: "failed", Problems: []string{"set-up failed: no room"}},
		booted: true,
		err:    errors.New("no room"),
	}
	none = played{err: errors.New("the disk is full")}
)

// series is one of so many rounds in a folder of its own, whose rounds are made up.
type series struct {
	*Series
	log    bytes.Buffer
	events []string
}

func newSeries(t *testing.T, environment map[string]string, rounds ...played) (*series, context.Context) {
	g := NewWithT(t)
	environment["OUT"], environment["FOCUS"] = t.TempDir(), "termination/grace-1$"
	c, err := ParseConfig(environment)
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	s := &series{}
	s.Series, err = New(c, repeats.InconclusiveBelow, &s.log)
	g.Expect(err).NotTo(HaveOccurred())
	s.rounds.Play = func(context.Context, session.During) (run.Run, bool, error) {
		one := rounds[0]
		rounds = rounds[1:]
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
		environment map[string]string
		rounds      []played
		events      string
		code        int
		ended       string
	}{
		"the cluster stands between the rounds": {map[string]string{"N": "3"}, []played{good, later, later}, "round round round down", run.ExitConforms, ""},
		"one that was there before stays":       {map[string]string{"N": "2"}, []played{later, later}, "round round", run.ExitConforms, ""},
		"one that is to be kept stays":          {map[string]string{"N": "2", "KEEP": "1"}, []played{good, later}, "round round", run.ExitConforms, ""},
		"a round that failed is made up for by nothing": {map[string]string{"N": "3"}, []played{good, failed, good}, "round round down round down",
			run.ExitUnjudged, ""},
		"two in a row end it": {map[string]string{"N": "9"}, []played{good, failed, none}, "round round down round", run.ExitUnjudged, "2 rounds in a row failed"},
		"an interrupt ends it": {map[string]string{"N": "9"}, []played{good, interrupted}, "round round down", run.ExitUnjudged,
			"interrupted in round 2 of 9"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s, ctx := newSeries(t, c.environment, c.rounds...)
			report, err := s.Run(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(strings.Join(s.events, " ")).To(Equal(c.events))
			g.Expect(report.ExitCode).To(Equal(c.code))
			g.Expect(report.Ended).To(ContainSubstring(c.ended))
			if c.ended == "" {
				g.Expect(report.Ended).To(BeEmpty())
			}
			for _, file := range []string{repeats.RepeatFile, repeats.RepeatClaimsFile, repeats.RepeatJSON} {
				g.Expect(filepath.Join(s.Dir(), file)).To(BeAnExistingFile())
			}
		})
	}
}

// What an interrupt left open is not taken for what a kubelet did.
func TestAnInterruptedRoundDoesNotCount(t *testing.T) {
	g := NewWithT(t)
	cut := played{
		interrupt: true,
		run: run.Run{ID: "cut", Problems: []string{"interrupted"}, Outcomes: []run.Outcome{
			{Trial: "a/b", Verdict: trial.Inconclusive, Attempts: make([]run.Attempt, 1)}}},
	}
	s, ctx := newSeries(t, map[string]string{"N": "5"}, good, cut)
	report, err := s.Run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Rounds).To(HaveLen(1))
	g.Expect(report.Outcomes).To(Equal(1))
}

func TestTheReportIsWrittenAfterEveryRound(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, map[string]string{"N": "2"}, good, later)
	play := s.rounds.Play
	s.rounds.Play = func(ctx context.Context, during session.During) (run.Run, bool, error) {
		if len(s.events) == 1 {
			text, err := os.ReadFile(filepath.Join(s.Dir(), repeats.RepeatFile))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(text)).To(ContainSubstring("1 of 1"))
		}
		return play(ctx, during)
	}
	_, err := s.Run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.log.String()).
		To(And(ContainSubstring("round 2 of 2, run good: 1 verdict"), ContainSubstring("so far: Repeats")))
	g.Expect(s.Dir()).To(ContainSubstring(fmt.Sprintf("repeat-%d", time.Now().UTC().Year())))
}

func TestAClusterThatCannotBeDeletedIsTold(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, map[string]string{"N": "1"}, good)
	s.rounds.Down = func(context.Context) error { return errors.New("no engine") }
	report, err := s.Run(ctx)
	g.Expect(err).To(MatchError(ContainSubstring("no engine")))
	g.Expect(report.Outcomes).To(Equal(1))
}

// An interrupt that comes while a cluster is deleted between two rounds ends the series as one within a round does.
func TestAnInterruptBetweenRoundsIsTold(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, map[string]string{"N": "3"}, good, failed)
	ctx, cancel := context.WithCancel(ctx)
	down := s.rounds.Down
	s.rounds.Down = func(ctx context.Context) error { cancel(); return down(ctx) }
	report, err := s.Run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Join(s.events, " ")).To(Equal("round round down"))
	g.Expect(report.Ended).To(Equal("interrupted after round 2 of 3"))
	g.Expect(report.ExitCode).To(Equal(run.ExitUnjudged))
	text, err := os.ReadFile(filepath.Join(s.Dir(), repeats.RepeatFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).
		To(And(ContainSubstring("interrupted after round 2 of 3"), ContainSubstring("1 of 3 rounds, 1 failed")))
}

// A cluster that could not be deleted once is still the series' own: though a later round finds it
// standing, it is deleted in the end.
func TestAClusterThatCouldNotBeDeletedIsNotForgotten(t *testing.T) {
	g := NewWithT(t)
	s, ctx := newSeries(t, map[string]string{"N": "3"}, good, failed, later)
	down, tries := s.rounds.Down, 0
	s.rounds.Down = func(ctx context.Context) error {
		if tries++; tries == 1 {
			return errors.New("no engine")
		}
		return down(ctx)
	}
	_, err := s.Run(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Join(s.events, " ")).To(Equal("round round round down"))
	g.Expect(s.log.String()).To(ContainSubstring("no engine"))
}

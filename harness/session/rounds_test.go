package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/run"
)

func TestRoundsLeaveTheClusterStanding(t *testing.T) {
	for name, c := range map[string]struct {
		environment     map[string]string
		booted, between bool
		deleted         int
	}{
		"its own":          {map[string]string{}, true, true, 1},
		"an earlier run's": {map[string]string{}, false, true, 0},
		"to be kept":       {map[string]string{"KEEP": "1"}, true, true, 0},
		"no cluster":       {map[string]string{"SUBJECTS": "virtual:v1.36.3"}, false, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config, err := ParseConfig(c.environment)
			g.Expect(err).NotTo(HaveOccurred())
			r := NewRounds(config, nil, io.Discard)
			g.Expect(r.config.Keep).To(Equal(c.between))
			first, deleted := true, 0
			r.Play = func(context.Context, During) (run.Run, bool, error) {
				booted := c.booted && first
				first = false
				return run.Run{}, booted, nil
			}
			r.Down = func(ctx context.Context) error { deleted++; return ctx.Err() }
			ctx, interrupt := context.WithCancel(t.Context())
			for range 2 {
				_, err := r.Next(ctx, nil)
				g.Expect(err).NotTo(HaveOccurred())
			}
			interrupt()
			g.Expect(r.End(ctx)).To(Succeed(), "after an interrupt, too")
			g.Expect(r.End(ctx)).To(Succeed())
			g.Expect(deleted).To(Equal(c.deleted))
		})
	}
}

// A round waits for its trials as during wants it to, and saves what was interrupted.
func TestARoundAwaitsItsTrialsDuringSomething(t *testing.T) {
	g := NewWithT(t)
	s, happened, conclude := rehearsed(t, "v1.36.3")
	conclude()
	err := s.judgeAll(
		t.Context(),
		t.Context(),
		settingUp,
		func(ctx context.Context, one *Session, await func(context.Context) error) error {
			g.Expect(one).To(BeIdenticalTo(s))
			return errors.Join(await(ctx), errors.New("it could not be undone"))
		},
	)
	g.Expect(err).To(MatchError("it could not be undone"))
	g.Expect(strings.Join(happened(), ", ")).To(Equal("engine, open node, start node, end node"))

	stopped, interrupt := context.WithCancelCause(t.Context())
	interrupt(errors.New("interrupted"))
	s, _, _ = rehearsed(t, "v1.36.3")
	err = s.judgeAll(t.Context(), t.Context(), settingUp,
		func(_ context.Context, _ *Session, await func(context.Context) error) error { return await(stopped) })
	g.Expect(err).To(MatchError("interrupted"))
	g.Expect(s.run.Problems).To(Equal([]string{"interrupted"}))
}

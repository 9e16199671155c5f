package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// A round waits for its trials as during requires. It saves an interrupted run.
func TestARoundAwaitsItsTrialsDuringSomething(t *testing.T) {
	g := NewWithT(t)
	s, happened, conclude := rehearsed(t, "v1.36.3")
	conclude()
	err := s.judgeAll(
		t.Context(),
		t.Context(),
		SettingUp,
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
	err = s.judgeAll(t.Context(), t.Context(), SettingUp,
		func(_ context.Context, _ *Session, await func(context.Context) error) error { return await(stopped) })
	g.Expect(err).To(MatchError("interrupted"))
	g.Expect(s.run.Problems).To(Equal([]string{"interrupted"}))
}

package play

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/victim"
)

func TestProbesAreCountedInOneLifeByTheirKind(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.life = 2
		probes := NewProbes(victim.Run{HTTPPort: 80, Liveness: "S/FER", Readiness: "SF"}, r)
		r.Expect(probes.Next(victim.Liveness)).To(Equal(victim.Fail))
		for i, handler := range []string{ByExec, ByHTTP, ByTCP, ByHTTP} {
			_, index := probes.Arrived(victim.Liveness, handler, time.Now())
			r.Expect(index).To(Equal(i))
		}
		r.Expect(probes.Next(victim.Liveness)).To(Equal(victim.Redirect))
		r.Expect(probes.Next(victim.Readiness)).To(Equal(victim.Succeed))
		r.Expect(r.marked()).To(Equal([]string{
			"0s probed liveness 0 F exec",
			"0s probed liveness 1 E http",
			"0s probed liveness 2 F tcp",
			"0s probed liveness 3 R http",
		}), "an answer that only HTTP has fails elsewhere")
	})
}

func TestAnAnswerTakesItsTime(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		answer victim.Answer
		slow   time.Duration
		given  bool
		took   time.Duration
	}{
		"at once":            {victim.Fail, slow, true, 0},
		"slowly":             {victim.SlowAnswer, slow, true, slow},
		"slower than it may": {victim.SlowAnswer, time.Minute, false, timeout},
		"never":              {victim.Hang, slow, false, timeout},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(r *rig) {
				ctx, cancel := context.WithTimeout(r.ctx, timeout)
				defer cancel()
				r.Expect(NewProbes(victim.Run{Slow: c.slow}, r).Wait(ctx, c.answer)).To(Equal(c.given))
				r.Expect(r.now()).To(Equal(c.took))
			})
		})
	}
}

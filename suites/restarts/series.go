package restarts

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// series is how the back-offs grow: the restarts' formula, and the first and the longest back-off in seconds.
type series struct {
	formula        formula.Formula
	first, longest int
}

var ordinary = series{formula.RestartDelay, 10, 300}

func (s series) of(f formula.Formula) series {
	s.formula = f
	return s
}

// after returns the back-off that follows another, in seconds; 0 is none.
func (s series) after(wait int) int {
	if wait == 0 {
		return s.first
	}
	return min(2*wait, s.longest)
}

// delays returns the claims on the restarts after each life. The waits, in seconds, only choose the known mistakes.
func (s series) delays(waits ...int) []trial.Claim {
	return s.delaysFrom(1, waits...)
}

// delaysFrom returns the same claims from a later life on, in which the series begins again.
func (s series) delaysFrom(life int, waits ...int) []trial.Claim {
	all, plain := make([]trial.Claim, 0, len(waits)), 0
	for i, wait := range waits {
		all = append(all, claims.Between(
			trial.Gone.Life(life+i), trial.Started.Life(life+i+1), s.formula, s.mistakes(wait, plain)...,
		))
		plain = s.after(plain)
	}
	return all
}

// mistakes returns the known mistakes of a restart that waits so many seconds. plain is the wait if every end counted
// and none were forgotten.
func (s series) mistakes(wait, plain int) []formula.Mistake {
	var mistakes []formula.Mistake
	if wait > 0 {
		mistakes = append(mistakes, formula.NoBackOff)
	}
	switch byProbe := s.formula.ID == formula.RestartDelayAfterProbe.ID; {
	case wait != plain && byProbe:
		mistakes = append(mistakes, formula.CountsThisKill)
	case wait != plain:
		mistakes = append(mistakes, formula.NeverForgotten)
	case !byProbe && s.after(wait) != wait:
		mistakes = append(mistakes, formula.FirstBackedOff)
	}
	if wait > s.first {
		mistakes = append(mistakes, formula.AlwaysForgotten)
	}
	if wait > 60 { // longer than the sync frequency, which limits the time to the next sync
		mistakes = append(mistakes, formula.LooksWithoutBound)
	}
	if wait > 0 && wait < 10 {
		mistakes = append(mistakes, formula.PollsBackOff)
	}
	return mistakes
}

const livesOn = -time.Second

// ending returns a main process that ends by itself after these times. The last holds for all later lives.
func ending(exitCode int, after ...time.Duration) victim.Run {
	return victim.Run{Term: victim.ExitNow, ExitAfter: after, ExitCode: exitCode}
}

// crashing returns a main process that ends after a second in so many lives.
func crashing(exitCode, lives int) victim.Run {
	return ending(exitCode, append(slices.Repeat([]time.Duration{time.Second}, lives), livesOn)...)
}

func of(container string, claims []trial.Claim) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i].Measure = claims[i].Measure.Of(container)
	}
	return claims
}

func counted(life int) []trial.Claim {
	return []trial.Claim{claims.New(trial.RestartCount(life), formula.RestartCount)}
}

// backOffEvents returns the claim on the events BackOff until a life has begun, before it can end.
func backOffEvents(life int, mistakes ...formula.Mistake) trial.Claim {
	return claims.New(
		trial.Events("BackOff", trial.Started.Life(life), 500*time.Millisecond), formula.BackOffEvents, mistakes...,
	)
}

func shown(from, to int) []trial.Claim {
	var all []trial.Claim
	for life := from; life <= to; life++ {
		all = append(all, claims.Between(
			trial.Gone.Life(life), trial.Waiting("CrashLoopBackOff").Life(life), formula.ShownAsCrashLoop,
		))
	}
	return all
}

func endsForGood(life int, phase corev1.PodPhase) []trial.Claim {
	return []trial.Claim{
		claims.Between(trial.Gone.Life(life), trial.Phase(string(phase)), formula.PodEnds),
		claims.New(trial.Starts(trial.Main, trial.Gone.Life(life), 20*time.Second), formula.Starts),
	}
}

package suites

import (
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// series is how the back-offs of a kubelet grow: which formula the restarts follow, and what the first
// back-off and the longest are, in seconds.
type series struct {
	formula        formula.Formula
	first, longest int
}

// ordinary is the series of a container that ends by itself.
var ordinary = series{formula.RestartDelay, 10, 300}

// of is the same series by another formula.
func (s series) of(f formula.Formula) series {
	s.formula = f
	return s
}

// after is the back-off that follows another, 0 being none.
func (s series) after(wait int) int {
	if wait == 0 {
		return s.first
	}
	return min(2*wait, s.longest)
}

// delays are the claims on the restarts after each life from the first on, given how many seconds each of
// them waits. The formula says that itself: here it chooses the rivals, which are those that would wait
// another time.
func (s series) delays(waits ...int) []trial.Claim {
	return s.delaysFrom(1, waits...)
}

// delaysFrom are the same after each life from another than the first on, where the series begins anew.
func (s series) delaysFrom(life int, waits ...int) []trial.Claim {
	claims, plain := make([]trial.Claim, 0, len(waits)), 0
	for i, wait := range waits {
		claims = append(claims, trial.Claim{
			Measure: trial.Between(
				trial.Gone.Life(life+i),
				trial.Started.Life(life+i+1),
			),
			Formula: s.formula,
			Rivals:  s.rivals(wait, plain),
		})
		plain = s.after(plain)
	}
	return claims
}

// rivals are those of a restart that waits so many seconds, where one that counted every end and forgot
// none would wait for the plain time.
func (s series) rivals(wait, plain int) []formula.Rival {
	var rivals []formula.Rival
	if wait > 0 {
		rivals = append(rivals, formula.NoBackOff)
	}
	switch byProbe := s.formula.ID == formula.RestartDelayAfterProbe.ID; {
	case wait != plain && byProbe:
		rivals = append(rivals, formula.CountsThisKill)
	case wait != plain:
		rivals = append(rivals, formula.NeverForgotten)
	case !byProbe && s.after(wait) != wait:
		rivals = append(rivals, formula.FirstBackedOff)
	}
	if wait > s.first {
		rivals = append(rivals, formula.AlwaysForgotten)
	}
	if wait > 60 { // longer than the sync frequency, which bounds the time to the next look
		rivals = append(rivals, formula.LooksWithoutBound)
	}
	if wait > 0 && wait < 10 {
		rivals = append(rivals, formula.PollsBackOff)
	}
	return rivals
}

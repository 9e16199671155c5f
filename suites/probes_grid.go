package suites

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// gridPoint is one combination of what decides when a liveness probe kills.
type gridPoint struct {
	handler                           fixtures.Handler
	period, threshold, timeout, delay int32
	// fault is how every probe fails: at once, or by never answering.
	fault victim.Answer
}

// The values that the grid combines. A timeout may be longer than the period: then it is what sets the
// pace. With a period of one second, every tenth probe would come before the victim serves it.
var (
	gridHandlers   = []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC}
	gridPeriods    = []int32{2, 3, 5}
	gridThresholds = []int32{2, 3, 1}
	gridTimeouts   = []int32{2, 1, 4}
	gridDelays     = []int32{0, 4, 7}
	gridFaults     = []victim.Answer{victim.Fail, victim.Hang}
)

// leastExecPeriod keeps exec probes from crowding the node: each starts a process through the runtime.
const leastExecPeriod = 3

// pairs are all pairs of values in a combination.
func (p gridPoint) pairs() []string {
	values := []string{
		"handler " + string(p.handler), fmt.Sprint("period ", p.period), fmt.Sprint("threshold ", p.threshold),
		fmt.Sprint("timeout ", p.timeout), fmt.Sprint("delay ", p.delay), "fault " + p.fault.String(),
	}
	var all []string
	for i, a := range values {
		for _, b := range values[i+1:] {
			all = append(all, a+", "+b)
		}
	}
	return all
}

// grid chooses combinations so that every pair of values is in one of them: always the first that has the
// most pairs which are still missing.
func grid() []gridPoint {
	candidates := gridCandidates()
	missing := map[string]bool{}
	for _, p := range candidates {
		for _, pair := range p.pairs() {
			missing[pair] = true
		}
	}
	var chosen []gridPoint
	for len(missing) > 0 {
		var best gridPoint
		most := 0
		for _, p := range candidates {
			n := 0
			for _, pair := range p.pairs() {
				if missing[pair] {
					n++
				}
			}
			if n > most {
				best, most = p, n
			}
		}
		for _, pair := range best.pairs() {
			delete(missing, pair)
		}
		chosen = append(chosen, best)
	}
	return chosen
}

func gridCandidates() []gridPoint {
	var all []gridPoint
	for _, handler := range gridHandlers {
		for _, period := range gridPeriods {
			if handler == fixtures.Exec && period < leastExecPeriod {
				continue
			}
			for _, threshold := range gridThresholds {
				for _, timeout := range gridTimeouts {
					for _, delay := range gridDelays {
						for _, fault := range gridFaults {
							all = append(all, gridPoint{handler, period, threshold, timeout, delay, fault})
						}
					}
				}
			}
		}
	}
	return all
}

// takes is how long one failing probe takes.
func (p gridPoint) takes() int32 {
	if p.fault == victim.Hang {
		return p.timeout
	}
	return 0
}

// lasts is how long two lives take at most, the restart between them and the phase of the ticker included.
func (p gridPoint) lasts() time.Duration {
	life := p.delay + p.period + (p.threshold-1)*max(p.period, p.takes()) + p.takes()
	return time.Duration(2*life+4) * time.Second
}

// trial is the combination's trial: two lives, each killed by the probe.
func (p gridPoint) trial() trial.Trial {
	t := trial.Trial{
		ID: fmt.Sprintf("probes/grid-%s-p%d-n%d-t%d-d%d", p.handler, p.period, p.threshold, p.timeout, p.delay),
		About: fmt.Sprintf(
			"A liveness probe over %s that always fails, with period %d, threshold %d, timeout %d and initial delay %d: when it kills the first life and the second.",
			p.handler,
			p.period,
			p.threshold,
			p.timeout,
			p.delay,
		),
		Pod: fixtures.Pod(30, fixtures.Victim(obeying(victim.Run{Liveness: victim.Scripts(p.fault.String())}),
			fixtures.Liveness(fixtures.Probe{
				Handler:             p.handler,
				InitialDelaySeconds: p.delay,
				PeriodSeconds:       p.period,
				TimeoutSeconds:      p.timeout,
				FailureThreshold:    p.threshold,
			}))),
		Labels:    []string{"liveness", "grid"},
		KillCause: formula.ByLiveness,
		Lasts:     p.lasts(),
	}
	if p.fault == victim.Hang {
		t.ID += "-hangs"
		t.About = fmt.Sprintf(
			"A liveness probe over %s that is never answered, with period %d, threshold %d, timeout %d and initial delay %d: when it kills the first life and the second.",
			p.handler,
			p.period,
			p.threshold,
			p.timeout,
			p.delay,
		)
	}
	if p.handler == fixtures.GRPC {
		t.Needs = []formula.Change{formula.GRPCProbes}
	}
	first := trial.Claim{
		Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Liveness)),
		Formula: formula.FirstProbe,
	}
	if p.delay > 0 {
		first.Rivals = []formula.Rival{formula.DelayIgnored}
	}
	t.Claims = append(t.Claims, first)
	if p.takes() < p.period {
		t.Claims = slices.Concat(t.Claims, killedByProbe(victim.Liveness, 2), laterLife(2))
	} else {
		t.Claims = slices.Concat(t.Claims, killedOutOfStep(victim.Liveness, 2))
	}
	if p.handler == fixtures.Exec && p.fault == victim.Hang {
		for i := range t.Claims {
			if c := &t.Claims[i]; c.Formula.ID == formula.ProbeKills.ID {
				c.Rivals = append(c.Rivals, formula.ExecTimeoutLost)
			}
		}
	}
	return t
}

// laterLife is what must be true of a later life whose probe's ticker ran on over the restart.
func laterLife(life int) []trial.Claim {
	return []trial.Claim{
		{
			Measure: trial.Between(trial.Started.Life(life), trial.FirstProbe(victim.Liveness).Life(life)),
			Formula: formula.LaterProbe,
		},
		{
			Measure: trial.Between(
				trial.Started.Life(life),
				trial.SIGTERM.Life(life),
			),
			Formula: formula.LaterProbeKills,
			Rivals:  []formula.Rival{formula.ResultRunOneLater, formula.NeverResetLater},
		},
	}
}

// killedOutOfStep is what must be true of lives that a probe kills which outlasts its period: it comes when
// the one before is over, so nothing is at a tick.
func killedOutOfStep(kind string, lives int) []trial.Claim {
	var claims []trial.Claim
	for life := 1; life <= lives; life++ {
		claims = append(
			claims,
			trial.Claim{
				Measure: trial.Between(trial.Started.Life(life), trial.SIGTERM.Life(life)),
				Formula: formula.ProbeKills,
			},
			trial.Claim{
				Measure: trial.FailingProbes(kind, life), Formula: formula.FailingProbes,
				Rivals: []formula.Rival{formula.ResultRunOne, formula.NeverReset},
			},
			trial.Claim{
				Measure: trial.Between(trial.LastProbe(kind).Life(life), trial.SIGTERM.Life(life)),
				Formula: formula.LastProbeToKill,
			},
		)
		if life > 1 {
			claims = append(
				claims,
				trial.Claim{
					Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
					Formula: formula.FreeRestart,
				},
			)
		}
	}
	return claims
}

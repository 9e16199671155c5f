package probes

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// gridPoint is one combination of a liveness probe's settings.
type gridPoint struct {
	handler                           fixtures.Handler
	period, threshold, timeout, delay int32
	// fault is how every probe fails: at once, or without an answer.
	fault victim.Answer
}

// The values that the grid combines. If a timeout is longer than the period, it sets the pace. A period of
// one second is missing: every tenth probe would come before the victim serves it.
var (
	gridHandlers   = []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC}
	gridPeriods    = []int32{2, 3, 5}
	gridThresholds = []int32{2, 3, 1}
	gridTimeouts   = []int32{2, 1, 4}
	gridDelays     = []int32{0, 4, 7}
	gridFaults     = []victim.Answer{victim.Fail, victim.Hang}
)

// leastExecPeriod is the shortest period of exec probes: each starts a process through the runtime.
const leastExecPeriod = 3

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

// grid returns combinations that contain every pair of values: always the first with the most missing pairs.
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

func (p gridPoint) takes() int32 {
	if p.fault == victim.Hang {
		return p.timeout
	}
	return 0
}

// lasts returns how long two lives take at most.
func (p gridPoint) lasts() time.Duration {
	life := p.delay + p.period + (p.threshold-1)*max(p.period, p.takes()) + p.takes()
	return time.Duration(2*life+4) * time.Second
}

// trial returns the trial of two lives, each killed by the probe.
func (p gridPoint) trial() trial.Trial {
	id := fmt.Sprintf("probes/grid-%s-p%d-n%d-t%d-d%d", p.handler, p.period, p.threshold, p.timeout, p.delay)
	fails := "always fails"
	if p.fault == victim.Hang {
		id, fails = id+"-hangs", "never gets an answer"
	}
	var mistakes []formula.Mistake
	if p.delay > 0 {
		mistakes = append(mistakes, formula.DelayIgnored)
	}
	t := trial.Trial{
		ID: id,
		About: fmt.Sprintf("A liveness probe over %s %s. Period %d, threshold %d, timeout %d and initial delay %d "+
			"decide when it kills the first life and the second.",
			p.handler, fails, p.period, p.threshold, p.timeout, p.delay),
		Pod: fixtures.Single(30,
			victim.Run{Term: victim.ExitNow, Liveness: victim.Scripts(p.fault.String())},
			fixtures.Liveness(fixtures.Probe{
				Handler: p.handler, InitialDelaySeconds: p.delay, PeriodSeconds: p.period,
				TimeoutSeconds: p.timeout, FailureThreshold: p.threshold,
			}),
		),
		Labels:    []string{"liveness", "grid"},
		KillCause: formula.ByLiveness,
		Needs:     needs(p.handler),
		Lasts:     p.lasts(),
		Claims:    []trial.Claim{first(victim.Liveness, mistakes...)},
	}
	if p.takes() < p.period {
		t.Claims = slices.Concat(t.Claims, killedByProbe(victim.Liveness, 2), laterLife(2))
	} else {
		t.Claims = slices.Concat(t.Claims, killedOutOfStep(victim.Liveness, 2))
	}
	if p.handler == fixtures.Exec && p.fault == victim.Hang {
		for i := range t.Claims {
			if c := &t.Claims[i]; c.Formula.ID == formula.ProbeKills.ID {
				c.Mistakes = append(c.Mistakes, formula.ExecTimeoutLost)
			}
		}
	}
	return t
}

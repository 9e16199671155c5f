package soak

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// startup draws a container whose startup probe succeeds at last, and whose liveness probe then has its turn.
func startup(d *draws) trial.Trial {
	start, live := d.probe(victim.Startup, fixtures.HTTP, fixtures.Exec, fixtures.GRPC), d.probe(victim.Liveness,
		fixtures.HTTP, fixtures.Exec, fixtures.TCP)
	failures := d.number("startup failures", 0, int(start.FailureThreshold)-1)
	run := victim.Run{Term: victim.ExitNow, ExitCode: 3, Startup: victim.Scripts(strings.Repeat("F", failures) + "S")}
	t := trial.Trial{
		KillCause: formula.ByLiveness, Needs: needs(start),
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Startup)), Formula: formula.FirstProbe},
			{
				Measure: trial.Between(trial.Answered(victim.Startup, victim.Succeed),
					trial.FirstProbe(victim.Liveness)),
				Formula: formula.Released,
			},
			{
				Measure: trial.ProbesInARowUntil(victim.Startup, 1, trial.FirstProbe(victim.Liveness)),
				Formula: formula.StartupOnce,
			},
		},
	}
	t.Lasts = seconds(start.InitialDelaySeconds+live.InitialDelaySeconds) + time.Duration(
		failures+2,
	)*seconds(start.PeriodSeconds) + 2*seconds(live.PeriodSeconds) + 10*time.Second
	if d.oneIn(2, "killed afterwards") {
		d.is("cause liveness")
		run.Liveness = "F/S"
		long := 2*seconds(start.PeriodSeconds+start.InitialDelaySeconds) + 5*time.Second
		run.ExitAfter = []time.Duration{-time.Second, long}
		t.Claims = slices.Concat(t.Claims, []trial.Claim{
			{Measure: trial.ProbesBefore(victim.Liveness, victim.Startup, 1), Formula: formula.HeldBack},
			{Measure: trial.FailingProbes(victim.Liveness, 1), Formula: formula.FailingProbes},
			{Measure: trial.Between(trial.LastProbe(victim.Liveness), trial.SIGTERM), Formula: formula.LastProbeToKill},
			{Measure: trial.Between(trial.Gone, trial.Started.Life(2)), Formula: formula.FreeRestart},
			{Measure: trial.ProbesBefore(victim.Liveness, victim.Startup, 2), Formula: formula.StartupFirst},
		})
		t.Lasts += time.Duration(live.FailureThreshold)*seconds(live.PeriodSeconds) + long + 10*time.Second
	} else {
		d.is("cause none")
	}
	t.Pod = fixtures.Pod(5, fixtures.Victim(run, fixtures.Startup(start), fixtures.Liveness(live)))
	return t
}

// readiness draws a container that is ready, then not, then ready again.
func readiness(d *draws) trial.Trial {
	p := d.probe(victim.Readiness, handlers...)
	p.SuccessThreshold = int32(1 + d.number("success threshold", 0, 4))
	// before the container serves, a sync of the unready pod might probe it out of turn
	p.InitialDelaySeconds = max(2, p.InitialDelaySeconds)
	d.is("cause none")
	// One probe more than is needed of either answer: as soon as the pod is ready no more it is probed out
	// of turn, before the API shows it.
	good := int(p.SuccessThreshold) + d.number("more successes", 1, 5)
	bad := int(p.FailureThreshold) + d.number("more failures", 1, 3)
	run := victim.Run{
		Term:      victim.ExitNow,
		Readiness: victim.Scripts(strings.Repeat("S", good) + strings.Repeat("F", bad) + "S"),
	}
	ready := "Ready"
	t := trial.Trial{
		Needs: needs(p),
		Pod:   fixtures.Pod(2, fixtures.Victim(run, fixtures.Readiness(p))),
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.Started, trial.Condition(ready)), Formula: formula.FirstReady},
			{
				Measure: trial.ProbesInARowUntil(victim.Readiness, 1, trial.Condition(ready)),
				Formula: formula.ReadyAfter,
			},
			{
				Measure: trial.ProbesInARowUntil(victim.Readiness, 1, trial.NoCondition(ready)),
				Formula: formula.UnreadyAfter,
			},
			{
				Measure: trial.Between(trial.Answered(victim.Readiness, victim.Fail), trial.NoCondition(ready)),
				Formula: formula.UnreadyLag,
			},
			{
				Measure: trial.ProbesInARowUntil(victim.Readiness, 1, trial.Condition(ready).Number(2)),
				Formula: formula.ReadyAfter,
			},
			{
				Measure: trial.Between(trial.Answered(victim.Readiness, victim.Succeed).Number(good+1),
					trial.Condition(ready).Number(2)),
				Formula: formula.ReadyLag,
			},
		},
	}
	t.Lasts = seconds(p.InitialDelaySeconds) + time.Duration(
		good+bad+int(p.SuccessThreshold)+2,
	)*seconds(p.PeriodSeconds) + 5*time.Second
	t.Claims = append(t.Claims, trial.Claim{Measure: trial.EndsWithin(t.Lasts), Formula: formula.ReadinessKillsNobody})
	return t
}

// probeErrors draws a container whose liveness probe can't be carried out: no number of such kills it.
func probeErrors(d *draws) trial.Trial {
	p := d.probe(victim.Liveness, fixtures.HTTP, fixtures.MissingBinary, fixtures.MissingPort)
	d.is("cause none")
	run := victim.Run{Term: victim.ExitNow}
	t := trial.Trial{KillCause: formula.ByLiveness}
	never := formula.NeverCounts
	switch p.Handler {
	case fixtures.MissingPort:
		never = formula.MissingPortNeverCounts
	case fixtures.HTTP:
		run.Liveness = "E"
		// three tries, each to its timeout, within one period
		p.TimeoutSeconds = min(p.TimeoutSeconds, max(1, p.PeriodSeconds/4))
		if 3*p.TimeoutSeconds >= p.PeriodSeconds {
			p.PeriodSeconds = 3*p.TimeoutSeconds + 1
		}
		claim := func(n int, f formula.Formula) {
			t.Claims = append(
				t.Claims,
				trial.Claim{
					Measure: trial.Between(trial.NthProbe(victim.Liveness, n), trial.NthProbe(victim.Liveness, n+1)),
					Formula: f,
				},
			)
		}
		t.Claims = append(
			t.Claims,
			trial.Claim{
				Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Liveness)),
				Formula: formula.FirstProbe,
			},
		)
		claim(1, formula.TriedAgain)
		claim(2, formula.TriedAgain)
		claim(3, formula.NextCycle)
		claim(4, formula.TriedAgain)
		claim(6, formula.NextCycle)
	}
	watched := seconds(p.InitialDelaySeconds) + time.Duration(
		p.FailureThreshold+3,
	)*seconds(p.PeriodSeconds) + 5*time.Second
	t.Claims = append(t.Claims, trial.Claim{Measure: trial.EndsWithin(watched), Formula: never})
	t.Pod, t.Lasts = fixtures.Pod(3, fixtures.Victim(run, fixtures.Liveness(p))), watched+5*time.Second
	return t
}

package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// startup draws a container whose startup probe succeeds after some failures, so that its liveness probe begins.
func startup(d *draws) trial.Trial {
	start, live := d.probe(victim.Startup, fixtures.HTTP, fixtures.Exec, fixtures.GRPC), d.probe(victim.Liveness,
		fixtures.HTTP, fixtures.Exec, fixtures.TCP)
	failures := d.number("startup failures", 0, int(start.FailureThreshold)-1)
	if d.oneIn(4, "last startup probe") {
		failures = int(start.FailureThreshold) - 1
	}
	fault, takes := one(d, "fault", victim.Fail, victim.Hang), seconds(start.PeriodSeconds)
	if fault == victim.Hang {
		takes = max(takes, seconds(start.TimeoutSeconds)+margin)
	}
	script := strings.Repeat(fault.String(), failures) + "S"
	run := victim.Run{Term: victim.ExitNow, ExitCode: 3, Startup: victim.Scripts(script)}
	t := trial.Trial{
		KillCause: formula.ByLiveness, Needs: needs(start),
		Claims: []trial.Claim{
			between(trial.Started, trial.FirstProbe(victim.Startup), formula.FirstProbe),
			between(trial.Answered(victim.Startup, victim.Succeed), trial.FirstProbe(victim.Liveness),
				formula.Released),
			claim(trial.ProbesInARowUntil(victim.Startup, 1, trial.FirstProbe(victim.Liveness)), formula.StartupOnce),
		},
	}
	t.Lasts = seconds(start.InitialDelaySeconds+live.InitialDelaySeconds) + time.Duration(
		failures+2,
	)*takes + 2*seconds(live.PeriodSeconds) + 10*time.Second
	if d.oneIn(2, "killed afterwards") {
		d.tag("cause liveness")
		run.Liveness = "F/S"
		long := 2*seconds(start.PeriodSeconds+start.InitialDelaySeconds) + 5*time.Second
		run.ExitAfter = []time.Duration{-time.Second, long}
		t.Claims = slices.Concat(t.Claims, []trial.Claim{
			claim(trial.ProbesBefore(victim.Liveness, victim.Startup, 1), formula.HeldBack),
			claim(trial.FailingProbes(victim.Liveness, 1), formula.FailingProbes),
			between(trial.LastProbe(victim.Liveness), trial.SIGTERM, formula.LastProbeToKill),
			between(trial.Gone, trial.Started.Life(2), formula.FreeRestart),
			claim(trial.ProbesBefore(victim.Liveness, victim.Startup, 2), formula.StartupFirst),
		})
		t.Lasts += time.Duration(live.FailureThreshold)*seconds(live.PeriodSeconds) + long + 10*time.Second
	} else {
		d.tag("cause none")
	}
	options := []fixtures.Option{fixtures.Startup(start), fixtures.Liveness(live)}
	if d.oneIn(2, "readiness probe") {
		ready := d.probe(victim.Readiness, fixtures.HTTP, fixtures.Exec, fixtures.GRPC)
		options = append(options, fixtures.Readiness(ready))
		if run.Liveness == "" { // else the container may be killed before its first readiness probe
			t.Claims = append(t.Claims,
				between(trial.FirstProbe(victim.Readiness), trial.Condition("Ready"), formula.ReadyLag))
		}
		t.Lasts += seconds(ready.InitialDelaySeconds + ready.PeriodSeconds)
	}
	t.Pod = fixtures.Pod(5, fixtures.Victim(run, options...))
	return t
}

// readiness draws a container that becomes ready, then unready, then ready again.
func readiness(d *draws) trial.Trial {
	p := d.probe(victim.Readiness, handlers...)
	p.SuccessThreshold = int32(1 + d.number("success threshold", 0, 4))
	// Before the container listens, a sync of the unready pod may add an extra probe.
	p.InitialDelaySeconds = max(2, p.InitialDelaySeconds)
	d.tag("cause none")
	// One probe more than needed of either answer: when the pod becomes unready, the kubelet adds an extra
	// probe before the API shows it.
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
			between(trial.Started, trial.Condition(ready), formula.FirstReady),
			claim(trial.ProbesInARowUntil(victim.Readiness, 1, trial.Condition(ready)), formula.ReadyAfter),
			claim(trial.ProbesInARowUntil(victim.Readiness, 1, trial.NoCondition(ready)), formula.UnreadyAfter),
			between(trial.Answered(victim.Readiness, victim.Fail), trial.NoCondition(ready), formula.UnreadyLag),
			claim(trial.ProbesInARowUntil(victim.Readiness, 1, trial.Condition(ready).Number(2)), formula.ReadyAfter),
			between(trial.Answered(victim.Readiness, victim.Succeed).Number(good+1),
				trial.Condition(ready).Number(2), formula.ReadyLag),
		},
	}
	t.Lasts = seconds(p.InitialDelaySeconds) + time.Duration(
		good+bad+int(p.SuccessThreshold)+2,
	)*seconds(p.PeriodSeconds) + 5*time.Second
	t.Claims = append(t.Claims, claim(trial.EndsWithin(t.Lasts), formula.ReadinessKillsNobody))
	return t
}

// probeErrors draws a container whose liveness probe can't run. Such errors never kill it.
func probeErrors(d *draws) trial.Trial {
	p := d.probe(victim.Liveness, fixtures.HTTP, fixtures.MissingBinary, fixtures.MissingPort)
	d.tag("cause none")
	run := victim.Run{Term: victim.ExitNow}
	t := trial.Trial{KillCause: formula.ByLiveness}
	never := formula.NeverCounts
	switch p.Handler {
	case fixtures.MissingPort:
		never = formula.MissingPortNeverCounts
	case fixtures.HTTP:
		run.Liveness = "E"
		// One period must hold three tries that each take the whole timeout.
		p.TimeoutSeconds = min(p.TimeoutSeconds, max(1, p.PeriodSeconds/4))
		if 3*p.TimeoutSeconds >= p.PeriodSeconds {
			p.PeriodSeconds = 3*p.TimeoutSeconds + 1
		}
		apart := func(n int, f formula.Formula) {
			t.Claims = append(t.Claims,
				between(trial.NthProbe(victim.Liveness, n), trial.NthProbe(victim.Liveness, n+1), f))
		}
		t.Claims = append(t.Claims, between(trial.Started, trial.FirstProbe(victim.Liveness), formula.FirstProbe))
		apart(1, formula.TriedAgain)
		apart(2, formula.TriedAgain)
		apart(3, formula.NextCycle)
		apart(4, formula.TriedAgain)
		apart(6, formula.NextCycle)
	}
	watched := seconds(p.InitialDelaySeconds) + time.Duration(
		p.FailureThreshold+3,
	)*seconds(p.PeriodSeconds) + 5*time.Second
	t.Claims = append(t.Claims, claim(trial.EndsWithin(watched), never))
	t.Pod, t.Lasts = fixtures.Pod(3, fixtures.Victim(run, fixtures.Liveness(p))), watched+5*time.Second
	return t
}

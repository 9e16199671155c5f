package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// handlers are the handlers of probes that the kubelet can run.
var handlers = []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC}

// probe draws a probe of this kind.
func (d *draws) probe(kind string, among ...fixtures.Handler) fixtures.Probe {
	p := fixtures.Probe{Handler: one(d, "handler", among...)}
	p.PeriodSeconds = int32(d.number("period", 1, 12))
	p.TimeoutSeconds = int32(d.number("timeout", 1, 6))
	p.FailureThreshold = int32(1 + d.number("threshold", 0, 4))
	if d.oneIn(4, "delayed") {
		p.InitialDelaySeconds = int32(d.number("initial delay", 1, 15))
		d.tag("initial delay")
	}
	d.tag(fmt.Sprintf("%s probe %s", kind, p.Handler))
	return p
}

// killer is a container that its probe kills again and again.
type killer struct {
	way
	kind  string
	cause formula.Cause
	probe fixtures.Probe
	fault victim.Answer
	// grace is the grace period of its kill in seconds.
	grace int64
}

// takes returns how long a failing probe takes.
func (k killer) takes() time.Duration {
	if k.fault == victim.Hang {
		return seconds(k.probe.TimeoutSeconds)
	}
	return 0
}

// life returns an upper bound of one life, without the back-off before the next.
func (k killer) life() time.Duration {
	p := k.probe
	each := max(seconds(p.PeriodSeconds), k.takes())
	_, dies := k.dies(k.grace)
	return seconds(p.InitialDelaySeconds+p.PeriodSeconds) + time.Duration(
		p.FailureThreshold,
	)*(each+margin) + 6*time.Second + dies
}

// killer draws a container that its probe kills.
func (d *draws) killer(spec int64) killer {
	k := killer{way: d.way(trial.Main, spec), kind: victim.Liveness, cause: formula.ByLiveness, grace: seen(spec)}
	option := fixtures.Liveness
	if d.oneIn(3, "startup") {
		k.kind, k.cause, option = victim.Startup, formula.ByStartup, fixtures.Startup
	}
	d.tag("cause " + string(k.cause))
	k.probe = d.probe(k.kind, handlers...)
	k.fault = one(d, "fault", victim.Fail, victim.Fail, victim.Hang)
	if d.oneIn(3, "grace of its own") {
		k.grace = int64(d.number("the probe's grace", 1, 30))
		k.probe.TerminationGracePeriodSeconds = fixtures.Seconds(k.grace)
		d.tag("probe's own grace")
	}
	if k.fault == victim.Hang {
		d.tag("probe hangs")
	}
	answers := victim.Scripts(k.fault.String())
	if k.kind == victim.Liveness {
		k.run.Liveness = answers
	} else {
		k.run.Startup = answers
	}
	k.options = append(k.options, option(k.probe))
	return k
}

// probeKill draws a container whose probe always fails, for some lives.
func probeKill(d *draws) trial.Trial {
	spec := d.grace()
	k, lives := d.killer(spec), 1+d.number("lives", 0, 4)
	t := trial.Trial{KillCause: k.cause, Needs: needs(k.probe)}
	pod := fixtures.Pod(spec, k.container())
	never, beside := d.oneIn(6, "never restarted"), d.oneIn(4, "neighbour")
	if beside {
		pod.Spec.Containers = append(pod.Spec.Containers, fixtures.Named(neighbour, victim.Run{Term: victim.Ignore}))
		t.Claims = append(t.Claims, claim(trial.EndsWithin(k.life()).Of(neighbour), formula.Undisturbed))
		d.tag("two containers")
	}
	if never && !beside {
		// The kill is the pod's, so the probe's own grace period does not apply.
		lives, k.grace, pod.Spec.RestartPolicy = 1, seen(spec), corev1.RestartPolicyNever
		d.tag("restartPolicy Never")
		t.Claims = append(k.code(k.grace), between(trial.Gone, trial.Phase("Failed"), formula.FinishedFailed))
	}
	for life := 1; life <= lives; life++ {
		t.Claims = slices.Concat(t.Claims, k.killed(life))
	}
	if lives > 1 {
		d.tag("several lives")
	}
	t.Pod, t.Lasts = pod, time.Duration(lives)*k.life()+backOffs(lives)
	return t
}

// backOffs returns an upper bound of all back-offs of this many lives.
func backOffs(lives int) time.Duration {
	wait, sum := 10*time.Second, time.Duration(0)
	for range lives {
		sum += wait*3/2 + 4*time.Second
		wait = min(2*wait, 300*time.Second)
	}
	return sum
}

// killed returns the claims about one life.
func (k killer) killed(life int) []trial.Claim {
	var claims []trial.Claim
	add := func(m trial.Measure, f formula.Formula) { claims = append(claims, claim(m, f)) }
	start, term := trial.Started.Life(life), trial.SIGTERM.Life(life)
	first, last := trial.FirstProbe(k.kind).Life(life), trial.LastProbe(k.kind).Life(life)
	inStep := k.takes() < seconds(k.probe.PeriodSeconds)
	atOnce := k.hook.kind == formula.NoHook || k.grace <= 0 // SIGTERM follows the probe
	add(trial.FailingProbes(k.kind, life), formula.FailingProbes)
	if atOnce {
		add(trial.Between(last, term), formula.LastProbeToKill)
	}
	switch {
	case life == 1:
		add(trial.Between(start, first), formula.FirstProbe)
		if atOnce {
			add(trial.Between(start, term), formula.ProbeKills)
		}
	case inStep:
		add(trial.Between(start, first), formula.LaterProbe)
		add(trial.Between(trial.LastProbe(k.kind).Life(life-1), last), formula.KillTicks)
		if atOnce {
			add(trial.Between(trial.SIGTERM.Life(life-1), term), formula.KillSpacing)
			add(trial.Between(start, term), formula.LaterProbeKills)
		}
	case atOnce:
		add(trial.Between(start, term), formula.ProbeKills)
	}
	if life > 1 {
		add(trial.Between(trial.Gone.Life(life-1), start), formula.RestartDelayAfterProbe)
	}
	return slices.Concat(claims, k.kill(life, trial.Point{}, nil, k.grace))
}

// needs returns the changes of Kubernetes that a probe needs.
func needs(p fixtures.Probe) []formula.Change {
	if p.Handler == fixtures.GRPC {
		return []formula.Change{formula.GRPCProbes}
	}
	return nil
}

// script draws a container whose liveness probe sometimes fails. It kills the container only after enough failures in a
// row.
func script(d *draws) trial.Trial {
	p := d.probe(victim.Liveness, handlers...)
	var answers strings.Builder
	well := []victim.Answer{victim.Succeed}
	if p.Handler == fixtures.HTTP {
		well = []victim.Answer{victim.Succeed, victim.Succeed, victim.Redirect, victim.RedirectAway}
	}
	row, probes := 0, d.number("probes", 1, 12)
	for range probes {
		if fails := d.oneIn(2, "fails"); fails && row+1 < int(p.FailureThreshold) {
			answers.WriteByte(byte(victim.Fail))
			row++
			continue
		}
		answers.WriteByte(byte(well[d.evenly("answer", len(well))]))
		row = 0
	}
	t := trial.Trial{
		KillCause: formula.ByLiveness,
		Needs:     needs(p),
		Claims: []trial.Claim{
			between(trial.Started, trial.FirstProbe(victim.Liveness), formula.FirstProbe),
		},
	}
	w := d.way(trial.Main, 5)
	kills := d.oneIn(2, "kills")
	if kills {
		d.tag("cause liveness")
		answers.WriteByte(byte(victim.Fail))
		for life := 1; life <= 1+d.number("more lives", 0, 2); life++ {
			t.Claims = append(t.Claims, claim(trial.FailingProbes(victim.Liveness, life), formula.FailingProbes))
			t.Claims = slices.Concat(t.Claims, w.kill(life, trial.Point{}, nil, 5))
			t.Lasts += seconds(p.InitialDelaySeconds) + time.Duration(
				probes+1+int(p.FailureThreshold),
			)*seconds(p.PeriodSeconds) + 60*time.Second
		}
	} else {
		d.tag("cause none")
		watched := time.Duration(probes)*seconds(p.PeriodSeconds) + seconds(p.InitialDelaySeconds)
		answers.WriteByte(byte(victim.Succeed))
		t.Claims = append(t.Claims,
			claim(trial.ProbesWithin(victim.Liveness, watched), formula.Cadence),
			claim(trial.EndsWithin(watched), formula.NoKill))
		t.Lasts = watched + 5*time.Second
	}
	for n := 1; n < min(probes, 5); n++ {
		t.Claims = append(t.Claims,
			between(trial.NthProbe(victim.Liveness, n), trial.NthProbe(victim.Liveness, n+1), formula.TickToTick))
	}
	w.run.Liveness = victim.Scripts(answers.String())
	w.options = append(w.options, fixtures.Liveness(p))
	t.Pod = fixtures.Pod(5, w.container())
	return t
}

// inTurn draws two containers whose probes fail at the same time.
func inTurn(d *draws) trial.Trial {
	spec, p := int64(2+d.number("grace", 0, 20)), d.probe(victim.Liveness, fixtures.HTTP, fixtures.GRPC)
	d.tag("two containers")
	d.tag("cause liveness")
	run := victim.Run{Term: victim.Ignore, Liveness: "F"}
	return trial.Trial{
		KillCause: formula.ByLiveness,
		Needs:     needs(p),
		Pod: fixtures.Pod(spec, fixtures.Victim(run, fixtures.Liveness(p)),
			fixtures.Named(neighbour, run, fixtures.Liveness(p))),
		Claims: []trial.Claim{
			claim(trial.Apart(trial.SIGTERM, trial.SIGTERM.Of(neighbour)), formula.KilledInTurn),
			between(trial.SIGTERM, trial.Gone, formula.Remainder),
			claim(trial.Between(trial.SIGTERM, trial.Gone).Of(neighbour), formula.Remainder),
		},
		Lasts: seconds(p.InitialDelaySeconds+p.PeriodSeconds*(p.FailureThreshold+1)) + seconds(2*spec) + 12*time.Second,
	}
}

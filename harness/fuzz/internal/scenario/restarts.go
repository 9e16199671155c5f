package scenario

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// livesOn is the life of a container that never exits by itself.
const livesOn = -time.Second

// crashLoop draws a container that exits again and again, sometimes beside another container or on a node with other
// back-offs.
func crashLoop(d *draws) trial.Trial {
	lives := 2 + d.number("lives", 0, 8)
	run := victim.Run{Term: victim.ExitNow, ExitCode: d.number("exit code", 0, 100)}
	d.tag("cause crash")
	lasts := time.Duration(0)
	quick := true
	for range lives - 1 {
		life := d.lifetime()
		quick = quick && life < time.Minute
		run.ExitAfter = append(run.ExitAfter, life)
		lasts += life
	}
	run.ExitAfter = append(run.ExitAfter, livesOn)
	t := trial.Trial{Worker: d.worker(), Lasts: lasts + backOffs(lives) + 10*time.Second}
	if t.Worker != nil {
		t.Needs = []formula.Change{formula.NodeRestartPeriodField}
		if t.Worker.Name == reducedName {
			t.Needs = []formula.Change{formula.ReducedBackOffGate}
		}
	}
	for life := 2; life <= lives; life++ {
		t.Claims = append(t.Claims, claim(restartOf(life), formula.RestartDelayForgotten))
		// The API may not show a back-off that is forgotten or that ends before the next sync.
		if life > 2 && quick && t.Worker == nil {
			t.Claims = append(t.Claims,
				between(trial.Gone.Life(life-1), trial.Waiting("CrashLoopBackOff").Life(life-1),
					formula.ShownAsCrashLoop))
		}
	}
	t.Claims = append(t.Claims,
		claim(trial.RestartCount(lives), formula.RestartCount),
		claim(trial.DeathCode(), formula.DeathCode))
	containers := []corev1.Container{fixtures.Victim(run)}
	switch d.evenly("neighbour", 4) {
	case 2:
		containers = append(containers, fixtures.Named(neighbour, victim.Run{}))
		t.Claims = append(t.Claims, claim(trial.EndsWithin(t.Lasts).Of(neighbour), formula.Undisturbed))
		d.tag("two containers")
	case 3:
		other := victim.Run{
			Term:      victim.ExitNow,
			ExitCode:  1,
			ExitAfter: []time.Duration{d.lifetime(), d.lifetime(), d.lifetime(), livesOn},
		}
		containers = append(containers, fixtures.Named(neighbour, other))
		for life := 2; life <= 4; life++ {
			t.Claims = append(t.Claims, claim(restartOf(life).Of(neighbour), formula.RestartDelayForgotten))
		}
		t.Lasts += 40 * time.Minute
		d.tag("two containers")
		d.tag("both crash")
	}
	t.Pod = fixtures.Pod(5, containers...)
	return t
}

// lifetime draws the length of a life that ends by itself: mostly seconds, sometimes so long that the
// kubelet forgets the back-off or almost does.
func (d *draws) lifetime() time.Duration {
	switch d.evenly("kind of life", 8) {
	default:
		return d.ms("life", time.Second, 20*time.Second)
	case 5:
		return d.ms("life", time.Second, 4*time.Minute)
	case 6:
		d.tag("life of some minutes")
		return d.ms("life", 4*time.Minute, 595*time.Second)
	case 7:
		d.tag("life above ten minutes")
		return d.ms("life", 600*time.Second, 700*time.Second)
	}
}

const reducedName = "random-reduced"

// worker draws the node's configuration, mostly the ordinary one.
func (d *draws) worker() *trial.Worker {
	switch d.evenly("node", 4) {
	case 2:
		period := one(d, "node's restart period", 20, 1, 2, 5, 7, 10, 33, 60, 150, 299)
		d.tag("node's restart period")
		return &trial.Worker{
			Name: fmt.Sprintf("random-period-%ds", period),
			KubeletConfig: map[string]any{
				"featureGates":     map[string]any{formula.NodeRestartPeriod.Gate: true},
				"crashLoopBackOff": map[string]any{"maxContainerRestartPeriod": fmt.Sprintf("%ds", period)},
			},
		}
	case 3:
		if d.oneIn(2, "reduced") {
			d.tag("reduced back-off")
			return &trial.Worker{
				Name:          reducedName,
				KubeletConfig: map[string]any{"featureGates": map[string]any{formula.ReducedBackOff.Gate: true}},
			}
		}
	}
	return nil
}

// mixedLoop draws a container whose lives end in random ways: by themselves, after some failing probes, or
// killed by the probe.
func mixedLoop(d *draws) trial.Trial {
	p := d.probe(victim.Liveness, handlers...)
	p.FailureThreshold = max(2, p.FailureThreshold)
	lives := 2 + d.number("lives", 0, 5)
	w := d.way(trial.Main, 8)
	t := trial.Trial{KillCause: formula.ByLiveness, Needs: needs(p)}
	answers, carried := "", 0
	each := max(seconds(p.PeriodSeconds), time.Second)
	for life := 1; life <= lives; life++ {
		if life > 1 {
			answers += "/"
			t.Claims = append(t.Claims, claim(restartOf(life), formula.RestartDelayAfterProbe))
		}
		end := d.evenly("end of a life", 4)
		if life == lives {
			end = 3
		}
		switch {
		// it ends by itself after fewer failures than the threshold
		case end == 1 && int(p.FailureThreshold)-carried > 1:
			fails := 1 + d.number("failures before the crash", 0, int(p.FailureThreshold)-carried-2)
			carried += fails
			answers += "F"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, fails)
			d.tag("failures outlive a crash")
		case end == 2: // it ends by itself
			carried = 0
			answers += "S"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, 1+d.number("probes before the crash", 0, 3))
			d.tag("cause crash")
		case end == 3 && life == lives: // it lives on
			answers += "S"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, 0)
		default:
			carried = 0
			answers += "F"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, 0)
			t.Claims = append(t.Claims, claim(trial.FailingProbes(victim.Liveness, life), formula.FailingProbes))
			t.Claims = slices.Concat(t.Claims, w.kill(life, trial.Point{}, nil, 8))
			d.tag("cause liveness")
		}
		t.Lasts += seconds(p.InitialDelaySeconds) + time.Duration(p.FailureThreshold+4)*each + 40*time.Second
	}
	w.run.Liveness = victim.Scripts(answers)
	w.options = append(w.options, fixtures.Liveness(p))
	t.Pod, t.Lasts = fixtures.Pod(8, w.container()), t.Lasts+backOffs(lives)
	return t
}

// endsForGood draws a pod with the restart policy OnFailure or Never.
func endsForGood(d *draws) trial.Trial {
	lives := 1 + d.number("failures", 0, 4)
	run := victim.Run{Term: victim.ExitNow}
	d.tag("cause crash")
	pod := corev1.RestartPolicyOnFailure
	phase := "Succeeded"
	if d.oneIn(3, "never") {
		pod, lives = corev1.RestartPolicyNever, 1
		d.tag("restartPolicy Never")
	} else {
		d.tag("restartPolicy OnFailure")
	}
	t := trial.Trial{}
	for range lives {
		d.ends(&t, &run, 0, 20*time.Second)
		run.ExitCodes = append(run.ExitCodes, d.number("exit code", 1, 100))
	}
	if pod == corev1.RestartPolicyOnFailure {
		run.ExitCodes[lives-1] = 0
	} else {
		run.ExitCodes[0] = d.number("last exit code", 0, 100)
	}
	if run.ExitCodes[lives-1] != 0 {
		phase = "Failed"
	}
	for life := 2; life <= lives; life++ {
		t.Claims = append(t.Claims, claim(restartOf(life), formula.RestartDelay))
	}
	t.Claims = append(t.Claims,
		between(trial.Gone.Life(lives), trial.Phase(phase), formula.PodEnds),
		claim(trial.Starts(trial.Main, trial.Gone.Life(lives), 20*time.Second), formula.Starts),
		claim(trial.DeathCode(), formula.DeathCode))
	t.Lasts += backOffs(lives) + 25*time.Second
	if d.oneIn(2, "deleted afterwards") {
		d.tag("deleted after its end")
		fault := d.deleting()
		fault.When, fault.After = trial.Phase(phase), 2*time.Second+fault.After
		t.Faults = []trial.Fault{fault}
		t.Claims = t.Claims[:len(t.Claims)-2] // the object may already be removed
		t.Claims = append(t.Claims,
			claim(trial.DeletionGrace(1), formula.DeletionGrace),
			between(trial.Injected, trial.ObjectDeleted, formula.ObjectEnded))
	}
	t.Pod = fixtures.With(fixtures.Pod(d.grace(), fixtures.Victim(run)), fixtures.RestartPolicy(pod))
	return t
}

// restartRule draws a container that a rule restarts although its policy would not, or one that restarts the whole pod.
func restartRule(d *draws) trial.Trial {
	code := d.number("exit code", 1, 100)
	d.tag("cause crash")
	if d.oneIn(2, "all") {
		return restartAll(d, int32(code))
	}
	d.tag("restart rule")
	lives := 2 + d.number("lives", 0, 3)
	run := victim.Run{Term: victim.ExitNow, ExitCodes: append(slices.Repeat([]int{code}, lives-1), code+1)}
	t := trial.Trial{Needs: []formula.Change{formula.ContainerRestartRules}, Lasts: backOffs(lives) + 25*time.Second}
	for life := 1; life <= lives; life++ {
		d.ends(&t, &run, time.Second, 20*time.Second)
		if life > 1 {
			t.Claims = append(t.Claims, claim(restartOf(life), formula.RestartDelay))
		}
	}
	t.Claims = append(t.Claims,
		between(trial.Gone.Life(lives), trial.Phase("Failed"), formula.PodEnds),
		claim(trial.Starts(trial.Main, trial.Gone.Life(lives), 20*time.Second), formula.Starts))
	t.Pod = fixtures.With(fixtures.Pod(5, fixtures.Victim(run,
		fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
		fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, int32(code)))),
		fixtures.RestartPolicy(corev1.RestartPolicyNever))
	return t
}

// restartAll draws a pod that restarts as a whole each time its leader ends.
func restartAll(d *draws, code int32) trial.Trial {
	const leader = "leader"
	d.tag("cause restart all")
	w, lives := d.way(trial.Main, 20), 2+d.number("lives", 0, 3)
	run := victim.Run{ExitCode: int(code)}
	t := trial.Trial{Needs: []formula.Change{formula.RestartAll}, KillCause: formula.ByRestartAll,
		Lasts: 10 * time.Second}
	for life := 1; life < lives; life++ {
		d.ends(&t, &run, 2*time.Second, 20*time.Second)
		t.Lasts += 9 * time.Second
		t.Claims = slices.Concat(
			t.Claims,
			w.kill(life, trial.Gone.Of(leader).Life(life), &formula.RestartAllKills, 0),
			[]trial.Claim{
				between(trial.Gone.Life(life), trial.Started.Life(life+1), formula.RestartAllFree),
			},
		)
	}
	run.ExitAfter = append(run.ExitAfter, livesOn)
	t.Pod = fixtures.Pod(20, w.container(), fixtures.Named(leader, run,
		fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
		fixtures.RestartOn(corev1.ContainerRestartRuleActionRestartAllContainers, code)))
	return t
}

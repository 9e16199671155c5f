package soak

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// livesOn is the life of a container that does not end by itself.
const livesOn = -time.Second

// crashLoop draws a container that ends by itself again and again, perhaps beside another, perhaps on a
// node that changes the series.
func crashLoop(d *draws) trial.Trial {
	lives := 2 + d.number("lives", 0, 8)
	run := victim.Run{Term: victim.ExitNow, ExitCode: d.number("exit code", 0, 100)}
	d.is("cause crash")
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
		t.Claims = append(
			t.Claims,
			trial.Claim{
				Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
				Formula: formula.RestartDelayForgotten,
			},
		)
		// Nobody shows a back-off that may have been forgotten, or that a sync may end before it was shown.
		if life > 2 && quick && t.Worker == nil {
			t.Claims = append(t.Claims, trial.Claim{
				Measure: trial.Between(trial.Gone.Life(life-1), trial.Waiting("CrashLoopBackOff").Life(life-1)),
				Formula: formula.ShownAsCrashLoop,
			})
		}
	}
	t.Claims = append(t.Claims,
		trial.Claim{Measure: trial.RestartCount(lives), Formula: formula.RestartCount},
		trial.Claim{Measure: trial.DeathCode(), Formula: formula.DeathCode})
	containers := []corev1.Container{fixtures.Victim(run)}
	switch d.evenly("neighbour", 4) {
	case 2:
		containers = append(containers, fixtures.Named(neighbour, victim.Run{}))
		t.Claims = append(t.Claims,
			trial.Claim{Measure: trial.EndsWithin(t.Lasts).Of(neighbour), Formula: formula.Undisturbed})
		d.is("two containers")
	case 3:
		other := victim.Run{
			Term:      victim.ExitNow,
			ExitCode:  1,
			ExitAfter: []time.Duration{d.lifetime(), d.lifetime(), d.lifetime(), livesOn},
		}
		containers = append(containers, fixtures.Named(neighbour, other))
		for life := 2; life <= 4; life++ {
			t.Claims = append(t.Claims, trial.Claim{
				Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)).Of(neighbour),
				Formula: formula.RestartDelayForgotten,
			})
		}
		t.Lasts += 40 * time.Minute
		d.is("two containers")
		d.is("both crash")
	}
	t.Pod = fixtures.Pod(5, containers...)
	return t
}

// lifetime draws how long a life lasts that ends by itself: mostly seconds, some so long that the back-off
// is forgotten or nearly so.
func (d *draws) lifetime() time.Duration {
	switch d.evenly("kind of life", 8) {
	default:
		return d.ms("life", time.Second, 20*time.Second)
	case 5:
		return d.ms("life", time.Second, 4*time.Minute)
	case 6:
		d.is("life of some minutes")
		return d.ms("life", 4*time.Minute, 595*time.Second)
	case 7:
		d.is("life above ten minutes")
		return d.ms("life", 600*time.Second, 700*time.Second)
	}
}

const reducedName = "random-reduced"

// worker draws the node: mostly an ordinary one.
func (d *draws) worker() *trial.Worker {
	switch d.evenly("node", 4) {
	case 2:
		period := one(d, "node's restart period", 20, 1, 2, 5, 7, 10, 33, 60, 150, 299)
		d.is("node's restart period")
		return &trial.Worker{
			Name: fmt.Sprintf("random-period-%ds", period),
			KubeletConfig: map[string]any{
				"featureGates":     map[string]any{formula.NodeRestartPeriod.Gate: true},
				"crashLoopBackOff": map[string]any{"maxContainerRestartPeriod": fmt.Sprintf("%ds", period)},
			},
		}
	case 3:
		if d.oneIn(2, "reduced") {
			d.is("reduced back-off")
			return &trial.Worker{
				Name:          reducedName,
				KubeletConfig: map[string]any{"featureGates": map[string]any{formula.ReducedBackOff.Gate: true}},
			}
		}
	}
	return nil
}

// mixedLoop draws a container whose lives end as chance has it: by themselves after a time or after some
// failing probes, or by the probe.
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
			t.Claims = append(
				t.Claims,
				trial.Claim{
					Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
					Formula: formula.RestartDelayAfterProbe,
				},
			)
		}
		end := d.evenly("end of a life", 4)
		if life == lives {
			end = 3
		}
		switch {
		// it ends by itself after failing probes that do not suffice
		case end == 1 && int(p.FailureThreshold)-carried > 1:
			fails := 1 + d.number("failures before the crash", 0, int(p.FailureThreshold)-carried-2)
			carried += fails
			answers += "F"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, fails)
			d.is("failures outlive a crash")
		case end == 2: // it ends by itself
			carried = 0
			answers += "S"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, 1+d.number("probes before the crash", 0, 3))
			d.is("cause crash")
		case end == 3 && life == lives: // it lives on
			answers += "S"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, 0)
		default:
			carried = 0
			answers += "F"
			w.run.ExitAfterProbes = append(w.run.ExitAfterProbes, 0)
			t.Claims = append(t.Claims,
				trial.Claim{Measure: trial.FailingProbes(victim.Liveness, life), Formula: formula.FailingProbes})
			t.Claims = slices.Concat(t.Claims, w.signs(life, trial.Point{}, nil, 8), w.end(life, 8))
			d.is("cause liveness")
		}
		t.Lasts += seconds(p.InitialDelaySeconds) + time.Duration(p.FailureThreshold+4)*each + 40*time.Second
	}
	w.run.Liveness = victim.Scripts(answers)
	w.options = append(w.options, fixtures.Liveness(p))
	t.Pod, t.Lasts = fixtures.Pod(8, w.container()), t.Lasts+backOffs(lives)
	return t
}

// endsForGood draws a pod that is restarted on failure only, or never.
func endsForGood(d *draws) trial.Trial {
	lives := 1 + d.number("failures", 0, 4)
	run := victim.Run{Term: victim.ExitNow}
	d.is("cause crash")
	pod := corev1.RestartPolicyOnFailure
	phase := "Succeeded"
	if d.oneIn(3, "never") {
		pod, lives = corev1.RestartPolicyNever, 1
		d.is("restartPolicy Never")
	} else {
		d.is("restartPolicy OnFailure")
	}
	t := trial.Trial{}
	for life := 1; life <= lives; life++ {
		life := d.ms("life", 0, 20*time.Second)
		run.ExitAfter, run.ExitCodes = append(run.ExitAfter, life), append(run.ExitCodes, d.number("exit code", 1, 100))
		t.Lasts += life
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
		t.Claims = append(
			t.Claims,
			trial.Claim{
				Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
				Formula: formula.RestartDelay,
			},
		)
	}
	t.Claims = append(t.Claims,
		trial.Claim{Measure: trial.Between(trial.Gone.Life(lives), trial.Phase(phase)), Formula: formula.PodEnds},
		trial.Claim{Measure: trial.Starts(trial.Main, trial.Gone.Life(lives), 20*time.Second), Formula: formula.Starts},
		trial.Claim{Measure: trial.DeathCode(), Formula: formula.DeathCode})
	t.Lasts += backOffs(lives) + 25*time.Second
	if d.oneIn(2, "deleted afterwards") {
		d.is("deleted after its end")
		cue := d.deleting()
		cue.When, cue.After = trial.Phase(phase), 2*time.Second+cue.After
		t.Cues = []trial.Cue{cue}
		t.Claims = t.Claims[:len(t.Claims)-2] // its object may be gone by then
		t.Claims = append(t.Claims,
			trial.Claim{Measure: trial.DeletionGrace(1), Formula: formula.DeletionGrace},
			trial.Claim{Measure: trial.Between(trial.Cued, trial.ObjectDeleted), Formula: formula.ObjectEnded})
	}
	t.Pod = fixtures.With(fixtures.Pod(d.grace(), fixtures.Victim(run)), fixtures.RestartPolicy(pod))
	return t
}

package soak

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// race draws a second request that comes before the kill has surely begun: which of the two grace periods
// the kubelet takes is chance, so that only the rest is claimed.
func race(d *draws) trial.Trial {
	spec := int64(2 + d.number("grace", 0, 58))
	first, second := d.deleting(), trial.Delete()
	api := deletedBy(spec, first)
	d.is("deletes in a race")
	t := trial.Trial{
		Pod:  fixtures.Pod(spec, fixtures.Victim(victim.Run{Term: victim.Ignore})),
		Cues: []trial.Cue{first},
	}
	t.Claims = append(taken(),
		trial.Claim{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: formula.KillStart},
		trial.Claim{Measure: trial.StopSignals(), Formula: formula.StopSignals})
	t.Lasts = first.After + seconds(max(2, api.grace)) + 12*time.Second
	if api.forced {
		return t
	}
	second = second.At(trial.Cued, d.ms("again after", 0, 2500*time.Millisecond))
	second.GracePeriodSeconds = d.optionOfLater(api.grace)
	t.Cues = append(t.Cues, second)
	t.Claims = append(t.Claims, trial.Claim{Measure: trial.DeletionGrace(2), Formula: formula.DeletionGrace})
	if second.GracePeriodSeconds != nil && *second.GracePeriodSeconds == 0 {
		t.Claims = append(
			t.Claims,
			trial.Claim{
				Measure: trial.Between(trial.Cued.Number(2), trial.ObjectDeleted),
				Formula: formula.ObjectForced,
			},
		)
	} else {
		t.Claims = append(t.Claims, trial.Claim{Measure: trial.DeletionShift(2), Formula: formula.DeletionShift})
	}
	return t
}

// inTurn draws two containers that fail the same probe together.
func inTurn(d *draws) trial.Trial {
	spec, p := int64(2+d.number("grace", 0, 20)), d.probe(victim.Liveness, fixtures.HTTP, fixtures.GRPC)
	d.is("two containers")
	d.is("cause liveness")
	run := victim.Run{Term: victim.Ignore, Liveness: "F"}
	return trial.Trial{
		Killed: formula.ByLiveness,
		Needs:  needs(p),
		Pod: fixtures.Pod(spec, fixtures.Victim(run, fixtures.Liveness(p)),
			fixtures.Named(neighbour, run, fixtures.Liveness(p))),
		Claims: []trial.Claim{
			{Measure: trial.Apart(trial.SIGTERM, trial.SIGTERM.Of(neighbour)), Formula: formula.KilledInTurn},
			{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
			{Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(neighbour), Formula: formula.Remainder},
		},
		Lasts: seconds(p.InitialDelaySeconds+p.PeriodSeconds*(p.FailureThreshold+1)) + seconds(2*spec) + 12*time.Second,
	}
}

// restartRule draws a container that a rule restarts in spite of its policy, or one whose end restarts the whole pod.
func restartRule(d *draws) trial.Trial {
	code := d.number("exit code", 1, 100)
	d.is("cause crash")
	if d.oneIn(2, "all") {
		return restartAll(d, int32(code))
	}
	d.is("restart rule")
	lives := 2 + d.number("lives", 0, 3)
	run := victim.Run{Term: victim.ExitNow, ExitCodes: append(slices.Repeat([]int{code}, lives-1), code+1)}
	t := trial.Trial{Needs: []formula.Change{formula.ContainerRestartRules}, Lasts: backOffs(lives) + 25*time.Second}
	for life := 1; life <= lives; life++ {
		lasts := d.ms("life", time.Second, 20*time.Second)
		run.ExitAfter = append(run.ExitAfter, lasts)
		t.Lasts += lasts
		if life > 1 {
			t.Claims = append(
				t.Claims,
				trial.Claim{
					Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
					Formula: formula.RestartDelay,
				},
			)
		}
	}
	t.Claims = append(t.Claims,
		trial.Claim{Measure: trial.Between(trial.Gone.Life(lives), trial.Phase("Failed")), Formula: formula.PodEnds},
		trial.Claim{Measure: trial.Starts(trial.Main, trial.Gone.Life(lives), 20*time.Second), Formula: formula.Starts})
	t.Pod = fixtures.With(fixtures.Pod(5, fixtures.Victim(run,
		fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
		fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, int32(code)))),
		fixtures.RestartPolicy(corev1.RestartPolicyNever))
	return t
}

// restartAll draws a pod whose leader restarts it all each time it ends.
func restartAll(d *draws, code int32) trial.Trial {
	const leader = "leader"
	d.is("cause restart all")
	w, lives := d.way(trial.Main, 20), 2+d.number("lives", 0, 3)
	run := victim.Run{ExitCode: int(code)}
	t := trial.Trial{Needs: []formula.Change{formula.RestartAll}, Killed: formula.ByRestartAll, Lasts: 10 * time.Second}
	for life := 1; life < lives; life++ {
		lasts := d.ms("life", 2*time.Second, 20*time.Second)
		run.ExitAfter = append(run.ExitAfter, lasts)
		t.Lasts += lasts + 9*time.Second
		t.Claims = slices.Concat(
			t.Claims,
			w.signs(life, trial.Gone.Of(leader).Life(life), &formula.RestartAllKills, 0),
			w.end(life, 0),
			[]trial.Claim{
				{
					Measure: trial.Between(trial.Gone.Life(life), trial.Started.Life(life+1)),
					Formula: formula.RestartAllFree,
				},
			},
		)
	}
	run.ExitAfter = append(run.ExitAfter, livesOn)
	t.Pod = fixtures.Pod(20, w.container(), fixtures.Named(leader, run,
		fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
		fixtures.RestartOn(corev1.ContainerRestartRuleActionRestartAllContainers, code)))
	return t
}

// initialize draws a pod whose init container succeeds at last.
func initialize(d *draws) trial.Trial {
	const name = "init"
	d.is("init container")
	d.is("cause crash")
	lives := 1 + d.number("failures", 0, 4)
	run := victim.Run{Term: victim.ExitNow}
	t := trial.Trial{Lasts: backOffs(lives) + 10*time.Second}
	for life := 1; life <= lives; life++ {
		lasts := d.ms("life", 0, 20*time.Second)
		run.ExitAfter, run.ExitCodes = append(run.ExitAfter, lasts), append(run.ExitCodes,
			d.number("exit code", 1, 100))
		t.Lasts += lasts
		if life > 1 {
			t.Claims = append(t.Claims, trial.Claim{
				Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)).Of(name),
				Formula: formula.RestartDelay,
			})
		}
	}
	run.ExitCodes[lives-1] = 0
	t.Claims = append(
		t.Claims,
		trial.Claim{
			Measure: trial.Between(trial.Gone.Of(name).Life(lives), trial.Started),
			Formula: formula.InitThenNext,
		},
	)
	t.Pod = fixtures.With(fixtures.Pod(5, fixtures.Victim(victim.Run{})), fixtures.Init(fixtures.Named(name, run)))
	return t
}

// newImage draws a container that waits for its back-off when its image is changed.
func newImage(d *draws) trial.Trial {
	d.is("image of a waiting container")
	d.is("cause crash")
	waits, more := 3+d.number("life before the wait", 0, 3), 1+d.number("lives after", 0, 3)
	run := victim.Run{Term: victim.ExitNow, ExitCode: 1}
	t := trial.Trial{Lasts: backOffs(waits+more) + 10*time.Second}
	for life := 1; life < waits+more; life++ {
		lasts := d.ms("life", time.Second, 15*time.Second)
		run.ExitAfter = append(run.ExitAfter, lasts)
		t.Lasts += lasts
		if life != waits {
			t.Claims = append(
				t.Claims,
				trial.Claim{
					Measure: trial.Between(trial.Gone.Life(life), trial.Started.Life(life+1)),
					Formula: formula.RestartDelay,
				},
			)
		}
	}
	run.ExitAfter = append(run.ExitAfter, livesOn)
	// It waits for twenty seconds at least.
	t.Cues = []trial.Cue{
		{
			Action: trial.SetImage,
			When:   trial.Gone.Life(waits),
			After:  d.ms("into the wait", 3*time.Second, 18*time.Second),
		},
	}
	t.Claims = append(t.Claims,
		trial.Claim{Measure: trial.Between(trial.Cued, trial.Started.Life(waits+1)), Formula: formula.AfterNewImage})
	t.Pod = fixtures.Pod(5, fixtures.Victim(run))
	return t
}

// sleeper draws a process that ends by itself while the kubelet's own sleep action runs.
func sleeper(d *draws) trial.Trial {
	sleep := int64(5 + d.number("sleep", 0, 40))
	spec := sleep + int64(d.number("grace beyond the sleep", 0, 20))
	cue := trial.Delete()
	cue.After = d.ms("deleted after", 0, 9*time.Second)
	d.is("cause delete")
	d.is("process ends during sleep hook")
	ends := d.ms("ends", cue.After+3*time.Second, cue.After+seconds(sleep)-margin)
	return trial.Trial{
		Pod: fixtures.Pod(spec,
			fixtures.Victim(victim.Run{ExitAfter: []time.Duration{ends}, ExitCode: 5}, fixtures.SleepPreStop(sleep))),
		Needs: []formula.Change{formula.SleepAction},
		Cues:  []trial.Cue{cue},
		Lasts: cue.After + seconds(sleep) + 10*time.Second,
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.Cued, trial.ObjectDeleted), Formula: formula.SleepOutlives},
			{Measure: trial.StopSignals(), Formula: formula.NoSignal},
			{Measure: trial.DeathCode(), Formula: formula.DeathCode},
		},
	}
}

package scenario

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// initialize draws a pod whose init container succeeds after some failures.
func initialize(d *draws) trial.Trial {
	const name = "init"
	d.tag("init container")
	d.tag("cause crash")
	lives := 1 + d.number("failures", 0, 4)
	run := victim.Run{Term: victim.ExitNow}
	t := trial.Trial{Lasts: backOffs(lives) + 10*time.Second}
	for life := 1; life <= lives; life++ {
		d.ends(&t, &run, 0, 20*time.Second)
		run.ExitCodes = append(run.ExitCodes, d.number("exit code", 1, 100))
		if life > 1 {
			t.Claims = append(t.Claims, claim(restartOf(life).Of(name), formula.RestartDelay))
		}
	}
	run.ExitCodes[lives-1] = 0
	t.Claims = append(t.Claims, between(trial.Gone.Of(name).Life(lives), trial.Started, formula.InitThenNext))
	t.Pod = fixtures.With(fixtures.Pod(5, fixtures.Victim(victim.Run{})), fixtures.Init(fixtures.Named(name, run)))
	return t
}

// newImage draws a container whose image changes while it waits for its back-off.
func newImage(d *draws) trial.Trial {
	d.tag("image of a waiting container")
	d.tag("cause crash")
	waits, more := 3+d.number("life before the wait", 0, 3), 1+d.number("lives after", 0, 3)
	run := victim.Run{Term: victim.ExitNow, ExitCode: 1}
	t := trial.Trial{Lasts: backOffs(waits+more) + 10*time.Second}
	for life := 1; life < waits+more; life++ {
		d.ends(&t, &run, time.Second, 15*time.Second)
		if life != waits {
			t.Claims = append(t.Claims,
				between(trial.Gone.Life(life), trial.Started.Life(life+1), formula.RestartDelay))
		}
	}
	run.ExitAfter = append(run.ExitAfter, livesOn)
	// The wait is at least 20 s long.
	t.Faults = []trial.Fault{
		{
			Action: trial.SetImage,
			When:   trial.Gone.Life(waits),
			After:  d.ms("into the wait", 3*time.Second, 18*time.Second),
		},
	}
	t.Claims = append(t.Claims, between(trial.Injected, trial.Started.Life(waits+1), formula.AfterNewImage))
	t.Pod = fixtures.Pod(5, fixtures.Victim(run))
	return t
}

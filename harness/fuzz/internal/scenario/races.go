package scenario

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// race draws a second request that may come before the kill has begun. Which of the two grace periods the kubelet takes
// is chance, so the scenario claims nothing about it.
func race(d *draws) trial.Trial {
	spec := int64(2 + d.number("grace", 0, 58))
	first, second := d.deleting(), trial.Delete()
	api := deletedBy(spec, first)
	d.tag("deletes in a race")
	t := trial.Trial{
		Pod:    fixtures.Pod(spec, fixtures.Victim(victim.Run{Term: victim.Ignore})),
		Faults: []trial.Fault{first},
	}
	t.Claims = append(taken(),
		between(trial.Injected, trial.SIGTERM, formula.KillStart),
		claim(trial.StopSignals(), formula.StopSignals))
	t.Lasts = first.After + seconds(max(2, api.grace)) + 12*time.Second
	if api.forced {
		return t
	}
	alive := seconds(max(2, api.grace)) - margin // then the kubelet may have removed the object
	second = second.At(trial.Injected, d.ms("again after", 0, min(alive, 2500*time.Millisecond)))
	second.GracePeriodSeconds = d.optionOfLater(api.grace)
	t.Faults = append(t.Faults, second)
	t.Claims = append(t.Claims, claim(trial.DeletionGrace(2), formula.DeletionGrace))
	if second.GracePeriodSeconds != nil && *second.GracePeriodSeconds == 0 {
		t.Claims = append(t.Claims, between(trial.Injected.Number(2), trial.ObjectDeleted, formula.ObjectForced))
	} else {
		t.Claims = append(t.Claims, claim(trial.DeletionShift(2), formula.DeletionShift))
	}
	return t
}

// collision draws a delete during a probe's kill. The delete waits for the kill.
func collision(d *draws) trial.Trial {
	spec := int64(4 + d.number("grace", 0, 40))
	k := d.killer(spec)
	k.run.Term, k.run.TermDelay, k.run.ExitCode = victim.Ignore, 0, 0
	d.tag("delete during a kill")
	least, most := k.left(k.grace)
	fault := d.deleting()
	fault.When, fault.After = trial.SIGTERM, d.ms("into the kill", 0, least-margin)
	forced := deletedBy(spec, fault).forced
	t := trial.Trial{
		KillCause: k.cause,
		Needs:     needs(k.probe),
		Faults:    []trial.Fault{fault},
		Pod:       fixtures.Pod(spec, k.container()),
	}
	t.Claims = slices.Concat(k.kill(1, trial.Point{}, nil, k.grace), []trial.Claim{
		{Measure: trial.DeletionGrace(1), Formula: formula.DeletionGrace, KillCause: formula.ByDelete},
		claim(trial.FailingProbes(k.kind, 1), formula.FailingProbes),
		between(trial.Injected, trial.Gone, formula.KillWaits),
	})
	if forced {
		t.Claims = append(t.Claims, between(trial.Injected, trial.ObjectDeleted, formula.ObjectForced))
	}
	t.Lasts = k.life() + most + 15*time.Second
	return t
}

// sleeper draws a process that ends by itself during the kubelet's sleep action.
func sleeper(d *draws) trial.Trial {
	sleep := int64(5 + d.number("sleep", 0, 40))
	spec := sleep + int64(d.number("grace beyond the sleep", 0, 20))
	fault := trial.Delete()
	fault.After = d.ms("deleted after", 0, 9*time.Second)
	d.tag("cause delete")
	d.tag("process ends during sleep hook")
	ends := d.ms("ends", fault.After+3*time.Second, fault.After+seconds(sleep)-margin)
	return trial.Trial{
		Pod: fixtures.Pod(spec,
			fixtures.Victim(victim.Run{ExitAfter: []time.Duration{ends}, ExitCode: 5}, fixtures.SleepPreStop(sleep))),
		Needs:  []formula.Change{formula.SleepAction},
		Faults: []trial.Fault{fault},
		Lasts:  fault.After + seconds(sleep) + 10*time.Second,
		Claims: []trial.Claim{
			between(trial.Injected, trial.ObjectDeleted, formula.SleepOutlives),
			claim(trial.StopSignals(), formula.NoSignal),
			claim(trial.DeathCode(), formula.DeathCode),
		},
	}
}

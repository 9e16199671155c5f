package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/victim"
)

// Every measure is written as it is made. That such source compiles to the same is tested where whole
// trials are written, in harness/soak.
func TestSource(t *testing.T) {
	for want, m := range map[string]Measure{
		`trial.Between(trial.SIGTERM, trial.Gone)`:                                                 Between(SIGTERM, Gone),
		`trial.Between(trial.SIGTERM.Of("a").Life(2), trial.Gone.Of("a").Life(2))`:                 Between(SIGTERM.Life(2), Gone.Life(2)).Of("a"),
		`trial.Apart(trial.Started, trial.Cued.Number(2))`:                                         Apart(Started, Cued.Number(2)),
		`trial.Between(trial.NthProbe("liveness", 3), trial.FirstProbe("startup"))`:                Between(NthProbe("liveness", 3), FirstProbe("startup")),
		`trial.Between(trial.Answered("readiness", victim.Fail).Number(2), trial.PullAttempt(4))`:  Between(Answered("readiness", victim.Fail).Number(2), PullAttempt(4)),
		`trial.Between(trial.Phase("Failed"), trial.NoCondition("Ready").Number(3))`:               Between(Phase("Failed"), NoCondition("Ready").Number(3)),
		`trial.Between(trial.Event("Evicted").Of("a"), trial.Waiting("CrashLoopBackOff").Life(3))`: Between(Event("Evicted").Of("a"), Waiting("CrashLoopBackOff").Life(3)),
		`trial.FailingProbes("startup", 2)`:                                                        FailingProbes("startup", 2),
		`trial.Probes("liveness", 1)`:                                                              Probes("liveness", 1),
		`trial.ProbesBefore("liveness", "startup", 2)`:                                             ProbesBefore("liveness", "startup", 2),
		`trial.ProbesWithin("liveness", 1500*time.Millisecond)`:                                    ProbesWithin("liveness", 1500*time.Millisecond),
		`trial.ProbesSince("readiness", trial.SIGTERM).Of("a")`:                                    ProbesSince("readiness", SIGTERM).Of("a"),
		`trial.ProbesInARowUntil("readiness", 1, trial.Condition("Ready"))`:                        ProbesInARowUntil("readiness", 1, Condition("Ready")),
		`trial.HookRuns().Of("a").Life(2)`:                                                         HookRuns().Of("a").Life(2),
		`trial.StopSignals()`:                                                                      StopSignals(),
		`trial.StopSignal()`:                                                                       StopSignal(),
		`trial.DeathCode().Life(3)`:                                                                DeathCode().Life(3),
		`trial.EndsWithin(time.Duration(1)).Of("a")`:                                               EndsWithin(1).Of("a"),
		`trial.RestartCount(4)`:                                                                    RestartCount(4),
		`trial.DeletionGrace(2)`:                                                                   DeletionGrace(2),
		`trial.DeletionShift(3)`:                                                                   DeletionShift(3),
		`trial.CueStatus(1)`:                                                                       CueStatus(1),
		`trial.Starts("victim", trial.Gone, 20000*time.Millisecond)`:                               Starts(Main, Gone, 20*time.Second),
		`trial.Starts("init", trial.Gone.Of("init"), 5000*time.Millisecond)`:                       Starts("init", Gone.Of("init"), 5*time.Second),
		`trial.Losses("Ready", trial.Cued, 1000*time.Millisecond)`:                                 Losses("Ready", Cued, time.Second),
		`trial.Events("Killing", trial.SIGTERM, 1000*time.Millisecond)`:                            Events("Killing", SIGTERM, time.Second),
		`trial.Objects(trial.Gone, 1000*time.Millisecond)`:                                         Objects(Gone, time.Second),
	} {
		gomega.NewWithT(t).Expect(m.Source()).To(gomega.Equal(want))
	}
}

package probes

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// firstTick returns the claim on the first probe of a container that starts well within a period.
func firstTick(container string) trial.Claim {
	return claims.Between(
		trial.PodStartTime, trial.FirstProbe(victim.Liveness).Of(container),
		formula.FirstTick, formula.FirstTickAtRandom,
	)
}

func firstTicks() []trial.Trial {
	seldom := fixtures.Liveness(fixtures.Probe{PeriodSeconds: 15, TimeoutSeconds: 2, FailureThreshold: 3})
	obeying := victim.Run{Term: victim.ExitNow}
	return []trial.Trial{
		{
			ID:    "probes/first-tick",
			About: "The probes of a pod's three containers begin together, a whole period after its first sync.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(obeying, seldom),
				fixtures.Named("second", obeying, seldom),
				fixtures.Named("third", obeying, seldom),
			),
			Lasts:  18 * time.Second,
			Claims: []trial.Claim{firstTick(trial.Main), firstTick("second"), firstTick("third")},
		},
	}
}

const sidecar = "sidecar"

var restartedUnderProbes = &trial.Worker{Name: "probes-restart", Alone: true}

func kubeletRestarts() []trial.Trial {
	obeying := victim.Run{Term: victim.ExitNow}
	seldom := fixtures.Liveness(fixtures.Probe{PeriodSeconds: 12, TimeoutSeconds: 2, FailureThreshold: 3})
	restart := trial.Fault{Action: trial.RestartKubelet}.At(trial.Started, 15*time.Second)
	after := trial.ProbeAfterRestart(victim.Liveness)
	keepsReady := claims.New(trial.Losses(ready, trial.Injected, 35*time.Second), formula.ReadyKeptOverRestart)
	keepsReady.Needs = []formula.Change{formula.ReadyKept}
	return []trial.Trial{
		{
			ID:    "probes/kubelet-restart-phase",
			About: "A new kubelet waits a random part of the period before a probe. A ready pod stays ready meanwhile.",
			Pod: fixtures.Single(2, obeying, seldom, fixtures.Readiness(fixtures.Probe{
				InitialDelaySeconds: served, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3,
			})),
			Worker:    restartedUnderProbes,
			Faults:    []trial.Fault{restart},
			Labels:    []string{"liveness", "readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     60 * time.Second,
			Claims: []trial.Claim{
				firstTick(trial.Main),
				claims.Between(trial.FaultDone, after, formula.AfterKubeletStart),
				claims.Between(after, after.Number(2), formula.TickToTick),
				keepsReady,
			},
		},
		{
			ID: "probes/kubelet-restart-unready",
			About: "A pod that stays ready over the kubelet's restart is unready as soon as its readiness probe fails " +
				"after it, and stays so.",
			Pod: fixtures.Single(2, victim.Run{Term: victim.ExitNow, Readiness: "SSSF"},
				fixtures.Readiness(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 1,
				})),
			Worker: restartedUnderProbes,
			// Three probes come before the restart.
			Faults: []trial.Fault{restart.At(trial.NthProbe(victim.Readiness, 3), time.Second)},
			Labels: []string{"readiness"},
			Lasts:  60 * time.Second,
			Claims: append(claims.Needing(formula.ReadyKept, []trial.Claim{
				claims.Between(
					trial.Answered(victim.Readiness, victim.Fail), trial.NoCondition(ready), formula.UnreadyLag,
				),
			}), claims.New(
				trial.HasCondition(ready, trial.Answered(victim.Readiness, victim.Fail).Number(3), time.Second),
				formula.StaysUnready,
			)),
		},
		{
			ID: "probes/kubelet-restart-sidecar",
			About: "A new kubelet knows that a sidecar has started and is ready. It probes the sidecar's liveness " +
				"on, and restarts the main container.",
			Pod: fixtures.With(
				fixtures.Single(2, victim.Run{ExitAfter: []time.Duration{55 * time.Second, -1}, ExitCode: 1}),
				fixtures.Init(fixtures.Named(sidecar, obeying, fixtures.Sidecar(), seldom,
					fixtures.Startup(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3}),
					fixtures.Readiness(fixtures.Probe{
						InitialDelaySeconds: served, PeriodSeconds: 10, TimeoutSeconds: 2, FailureThreshold: 3,
					}),
				)),
			),
			Needs:     []formula.Change{formula.Sidecars},
			Worker:    restartedUnderProbes,
			Faults:    []trial.Fault{restart},
			Labels:    []string{"liveness", "readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     60 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.FaultDone, after.Of(sidecar), formula.AfterKubeletStart),
				claims.Between(after.Of(sidecar), after.Of(sidecar).Number(2), formula.TickToTick),
				// FirstCrash allows a restart this long if there is one.
				claims.New(trial.Starts(trial.Main, trial.Gone, 3300*time.Millisecond), formula.SidecarHeeded),
				keepsReady,
			},
		},
		{
			ID: "probes/kubelet-restart-sidecar-fails",
			About: "The liveness probe of a sidecar with a startup probe begins to fail after the kubelet's restart. " +
				"The new kubelet restarts the sidecar.",
			Pod: fixtures.With(
				fixtures.Single(2, obeying),
				fixtures.Init(fixtures.Named(sidecar, victim.Run{Term: victim.ExitNow, Liveness: "SSSSSSF/S"},
					fixtures.Sidecar(),
					fixtures.Startup(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3}),
					fixtures.Liveness(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 2}),
				)),
			),
			Needs:     []formula.Change{formula.Sidecars},
			Worker:    restartedUnderProbes,
			Faults:    []trial.Fault{restart},
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     55 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.FaultDone, after.Of(sidecar), formula.AfterKubeletStart),
				claims.New(
					trial.Starts(sidecar, trial.Answered(victim.Liveness, victim.Fail).Of(sidecar).Number(2),
						8*time.Second),
					formula.SidecarHeeded,
				),
				claims.New(trial.EndsWithin(50*time.Second), formula.Undisturbed),
			},
		},
		replacedUnreported(),
		{
			ID: "probes/kubelet-restart-opens-startup-gate",
			About: "If a restarted kubelet takes a container for started, liveness probes come before the startup " +
				"probe's success.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Startup: "F"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 300}),
				// The delay is longer than the kubelet's restart. Otherwise chance would decide whether the first
				// liveness probe comes before the startup probe's.
				fixtures.Liveness(fixtures.Probe{
					InitialDelaySeconds: 36, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3,
				}),
			),
			Worker:    restartedUnderProbes,
			Faults:    []trial.Fault{restart},
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByStartup,
			Lasts:     62 * time.Second,
			Claims: []trial.Claim{
				claims.New(trial.ProbesWithin(victim.Liveness, 60*time.Second), formula.GateKept),
			},
		},
	}
}

// replacedUnreported returns the trial of a ready container that ends and starts again while the kubelet is cut off
// from the API server. The kubelet restarts before it can report that.
func replacedUnreported() trial.Trial {
	// A container counts as older than its kubelet from ten seconds on. The delay is longer than the container runs
	// under the old kubelet, which would probe it otherwise.
	const away, older = 24 * time.Second, 12 * time.Second
	return trial.Trial{
		ID: "probes/kubelet-restart-replaced",
		About: "A ready container crashes and starts again while the API server is away, and the kubelet restarts " +
			"before it returns. Up to 1.37 the new container is ready before its own readiness probe.",
		Pod: fixtures.Single(2,
			victim.Run{
				Term: victim.ExitNow, Readiness: "S/F", ExitCode: 1,
				ExitAfter: []time.Duration{32 * time.Second, -time.Second},
			},
			fixtures.Readiness(fixtures.Probe{
				InitialDelaySeconds: 20, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3,
			})),
		Worker: &trial.Worker{Name: "replaced-unreported"},
		Faults: []trial.Fault{
			{Action: trial.CutOff, For: away, When: trial.Condition(ready), After: 3 * time.Second},
			{Action: trial.RestartKubelet, When: trial.Started.Life(2), After: older},
		},
		Labels: []string{"readiness"},
		Lasts:  95 * time.Second,
		Claims: append(claims.Needing(formula.ReplacedUnready, []trial.Claim{
			claims.Between(trial.Injected, trial.NoCondition(ready), formula.ServerReturns(away, away-older)),
		}),
			claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
			claims.New(trial.ProbesInARowUntil(victim.Readiness, 2, trial.NoCondition(ready)),
				formula.UnreadyReplacement),
		),
	}
}

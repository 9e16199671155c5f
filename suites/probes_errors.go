package suites

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// probeErrors are the trials of probes that are neither a plain success nor a plain failure: errors and redirects.
func probeErrors() []trial.Trial {
	return []trial.Trial{
		{
			ID:    "probes/errors-never-count",
			About: "An answer whose body never comes is an error: tried three times a period, never counted, nobody is restarted.",
			Pod: fixtures.Pod(
				2,
				fixtures.Victim(obeying(victim.Run{Liveness: "E"}), fixtures.Liveness(certainDeath(fixtures.HTTP))),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     28 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Liveness)), Formula: formula.FirstProbe},
				{
					Measure: trial.Between(trial.NthProbe(victim.Liveness, 1), trial.NthProbe(victim.Liveness, 2)),
					Formula: formula.TriedAgain,
				},
				{
					Measure: trial.Between(trial.NthProbe(victim.Liveness, 2), trial.NthProbe(victim.Liveness, 3)),
					Formula: formula.TriedAgain,
				},
				{
					Measure: trial.Between(trial.NthProbe(victim.Liveness, 3), trial.NthProbe(victim.Liveness, 4)),
					Formula: formula.NextCycle,
				},
				{
					Measure: trial.Between(trial.NthProbe(victim.Liveness, 6), trial.NthProbe(victim.Liveness, 7)),
					Formula: formula.NextCycle,
				},
				{Measure: trial.EndsWithin(25 * time.Second), Formula: formula.NeverCounts},
			},
		},
		{
			// Its containers see none of their probes, so it can't tell a kubelet that counts them from one
			// whose probes fail on their way: that takes errors-never-count.
			ID:    "probes/impossible-never-counts",
			About: "A command that is not there and a port of no such name are errors, too: nobody is restarted.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(obeying(victim.Run{}), fixtures.Liveness(certainDeath(fixtures.MissingBinary))),
				fixtures.Named("port", obeying(victim.Run{}), fixtures.Liveness(certainDeath(fixtures.MissingPort)))),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     20 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.EndsWithin(17 * time.Second), Formula: formula.NeverCounts},
				{Measure: trial.EndsWithin(17 * time.Second).Of("port"), Formula: formula.MissingPortNeverCounts},
			},
		},
		{
			ID:    "probes/not-found",
			About: "An answer of the 400s is a failure like one of the 500s: that nothing is found where the probe asks kills the container.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{Liveness: "N"}),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2},
				),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     9 * time.Second,
			Claims:    killedByProbe(victim.Liveness, 1),
		},
		{
			ID:    "probes/redirects",
			About: "A redirect to the same host is followed and counts as what is found there; one to another host is a success with a warning.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(obeying(victim.Run{Liveness: "D"}), fixtures.Liveness(redirected)),
				fixtures.Named("well", obeying(victim.Run{Liveness: "R"}), fixtures.Liveness(redirected)),
				fixtures.Named("away", obeying(victim.Run{Liveness: "W"}), fixtures.Liveness(redirected))),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     16 * time.Second,
			Claims: slices.Concat(killedByProbe(victim.Liveness, 1), []trial.Claim{
				{Measure: trial.EndsWithin(13 * time.Second).Of("well"), Formula: formula.RedirectKills},
				{Measure: trial.EndsWithin(13 * time.Second).Of("away"), Formula: formula.RedirectKills},
				{
					Measure: trial.Between(trial.FirstProbe(victim.Liveness), trial.Event("ProbeWarning").Of("away")).
						Of("away"),
					Formula: formula.RedirectAwayWarns,
				},
			}),
		},
	}
}

// redirected is a probe that two failures make a kill.
var redirected = fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2}

// certainDeath is a probe whose first failure would kill.
func certainDeath(h fixtures.Handler) fixtures.Probe {
	return fixtures.Probe{Handler: h, PeriodSeconds: 5, TimeoutSeconds: 1, FailureThreshold: 1}
}

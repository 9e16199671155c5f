package probes

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/suites/claims"
)

func errorsAndRedirects() []trial.Trial {
	// certainDeath is a probe whose first failure kills.
	certainDeath := func(h fixtures.Handler) fixtures.Option {
		return fixtures.Liveness(fixtures.Probe{Handler: h, PeriodSeconds: 5, TimeoutSeconds: 1, FailureThreshold: 1})
	}
	apart := func(n int, f formula.Formula) trial.Claim {
		return claims.Between(trial.NthProbe(victim.Liveness, n), trial.NthProbe(victim.Liveness, n+1), f)
	}
	answering := func(script victim.Scripts) victim.Run {
		return victim.Run{Term: victim.ExitNow, Liveness: script}
	}
	reported := func(container string) trial.Claim {
		unhealthy := trial.Event("Unhealthy").Of(container)
		return claims.Between(trial.Started.Of(container), unhealthy, formula.ErrorReported)
	}
	return []trial.Trial{
		{
			ID: "probes/errors-never-count",
			About: "An answer whose body never comes is an error, which is tried three times a period and never " +
				"counts.",
			Pod:   fixtures.Single(2, answering("E"), certainDeath(fixtures.HTTP)),
			Lasts: 28 * time.Second,
			Claims: []trial.Claim{
				first(victim.Liveness),
				apart(1, formula.TriedAgain),
				apart(2, formula.TriedAgain),
				apart(3, formula.NextCycle),
				apart(6, formula.NextCycle),
				claims.New(trial.EndsWithin(25*time.Second), formula.NeverCounts),
			},
		},
		{
			// The containers see none of these probes. Only their events show that the kubelet tries them.
			ID:    "probes/impossible-never-counts",
			About: "A missing command and an unknown port name are errors: no container is restarted.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(answering(""), certainDeath(fixtures.MissingBinary)),
				fixtures.Named("port", answering(""), certainDeath(fixtures.MissingPort)),
			),
			Lasts: 20 * time.Second,
			Claims: []trial.Claim{
				claims.New(trial.EndsWithin(17*time.Second), formula.NeverCounts),
				claims.New(trial.EndsWithin(17*time.Second).Of("port"), formula.MissingPortNeverCounts),
				reported(trial.Main), reported("port"),
			},
		},
		{
			ID:     "probes/not-found",
			About:  "An answer with a status of 400 to 499 is a failure like one of 500 to 599: it kills.",
			Pod:    fixtures.Single(2, answering("N"), fixtures.Liveness(twoFailures)),
			Lasts:  9 * time.Second,
			Claims: killedByProbe(victim.Liveness, 1),
		},
		{
			ID: "probes/redirects",
			About: "A redirect to the same host is followed, also to another of its ports. One to another host is a " +
				"success with a warning.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(answering("D"), fixtures.Liveness(twoFailures)),
				fixtures.Named("well", answering("R"), fixtures.Liveness(twoFailures)),
				fixtures.Named("port", answering("P"), fixtures.Liveness(twoFailures)),
				fixtures.Named("away", answering("W"), fixtures.Liveness(twoFailures)),
			),
			Lasts: 16 * time.Second,
			Claims: slices.Concat(killedByProbe(victim.Liveness, 1), []trial.Claim{
				claims.New(trial.FailingProbes(victim.Liveness, 1).Of("port"), formula.FailingProbes),
				claims.Between(trial.Started.Of("port"), trial.SIGTERM.Of("port"), formula.ProbeKills),
				claims.New(trial.EndsWithin(13*time.Second).Of("well"), formula.RedirectKills),
				claims.New(trial.EndsWithin(13*time.Second).Of("away"), formula.RedirectKills),
				claims.Between(
					trial.FirstProbe(victim.Liveness).Of("away"), trial.Event("ProbeWarning").Of("away"),
					formula.RedirectAwayWarns,
				),
			}),
		},
	}
}

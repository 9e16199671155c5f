package probes

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// requests returns the trials of what a prober asks, and of further answers.
func requests() []trial.Trial {
	const tls, big, loop, statuses = "tls", "big", "loop", "statuses"
	const lives = 14 * time.Second
	liveness := func(h fixtures.Handler, failures int32) fixtures.Option {
		return fixtures.Liveness(fixtures.Probe{
			Handler: h, InitialDelaySeconds: served, PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: failures,
		})
	}
	survives := func(container string) trial.Claim {
		return claims.New(trial.EndsWithin(lives).Of(container), formula.NoKill)
	}
	encrypted := answering("")
	encrypted.TLS = true
	dies := func(container string) []trial.Claim {
		return []trial.Claim{
			claims.New(trial.FailingProbes(victim.Liveness, 1).Of(container), formula.FailingProbes),
			claims.Between(trial.Started.Of(container), trial.SIGTERM.Of(container), formula.ProbeKills),
		}
	}
	return []trial.Trial{
		{
			ID: "probes/http-requests",
			About: "An HTTP probe has the headers of its container's spec, accepts any certificate, and reads no " +
				"more than 10 KiB. The tenth redirect is a failure.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(answering("A"), liveness(fixtures.HTTPAsked, 1)),
				fixtures.Named(tls, encrypted, liveness(fixtures.HTTPS, 1)),
				fixtures.Named(big, answering("B"), liveness(fixtures.HTTP, 1)),
				fixtures.Named(loop, answering("SO"), liveness(fixtures.HTTP, 1)),
			),
			Lasts: lives + 3*time.Second,
			Claims: []trial.Claim{
				first(victim.Liveness), survives(trial.Main), survives(tls), survives(big),
				claims.New(trial.FailingProbes(victim.Liveness, 1).Of(loop), formula.FailingProbes),
				claims.Between(
					trial.LastProbe(victim.Liveness).Of(loop), trial.SIGTERM.Of(loop), formula.LastProbeToKill,
				),
			},
		},
		{
			ID: "probes/grpc-statuses",
			About: "A gRPC probe fails with the statuses NOT_FOUND and UNIMPLEMENTED, and if nobody listens. Up to " +
				"1.37, that takes its whole timeout.",
			Pod: fixtures.Pod(2,
				// The other container is killed before its initial delay is over.
				fixtures.Victim(answering(""), fixtures.Liveness(fixtures.Probe{
					Handler: fixtures.ClosedGRPC, InitialDelaySeconds: 12, PeriodSeconds: 3, TimeoutSeconds: 9,
					FailureThreshold: 1,
				})),
				fixtures.Named(statuses, answering("NU"), liveness(fixtures.GRPC, 2)),
			),
			Needs:     []formula.Change{formula.GRPCProbes},
			KillCause: formula.ByLiveness,
			Faults:    []trial.Fault{trial.Delete().At(trial.Gone, time.Second)}, // nothing counts unseen probes
			Lasts:     31 * time.Second,
			Claims: append(dies(statuses),
				claims.Between(trial.Started, trial.SIGTERM, formula.ClosedGRPCKills)),
		},
		otherHost(),
		{
			ID:        "probes/https-of-plain-http",
			About:     "An HTTPS probe of a port that serves plain HTTP fails: unlike a hook, it does not try HTTP.",
			Pod:       fixtures.Single(2, answering("F"), liveness(fixtures.HTTPS, 2)),
			KillCause: formula.ByLiveness,
			Faults:    []trial.Fault{trial.Delete().At(trial.Gone, time.Second)}, // nothing counts unseen probes
			Lasts:     17 * time.Second,
			Claims:    []trial.Claim{claims.Between(trial.Started, trial.SIGTERM, formula.ProbeKills)},
		},
	}
}

// otherHost returns the trial of probes that name a host: the node's loopback address.
func otherHost() trial.Trial {
	const byTCP, own, node, nodeByTCP = "by-tcp", "own", "node", "node-by-tcp"
	const lives = 14 * time.Second
	probed := func(h fixtures.Handler) fixtures.Option {
		return fixtures.Liveness(fixtures.Probe{
			Handler: h, InitialDelaySeconds: served, PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 2,
		})
	}
	ofNode := fixtures.With(fixtures.Pod(2,
		fixtures.Named(node, answering(""), probed(fixtures.HTTPOfNode)),
		fixtures.Named(nodeByTCP, answering(""), probed(fixtures.TCPOfNode)),
	), fixtures.HostNetwork)
	ofNode.Name = node
	t := trial.Trial{
		ID: "probes/other-host",
		About: "An HTTP or TCP probe that names a host asks that host, not its pod: it fails if nobody listens " +
			"there, and succeeds if its own container listens there.",
		Pod: fixtures.With(fixtures.Pod(2,
			fixtures.Victim(answering(""), probed(fixtures.HTTPOfNode)),
			fixtures.Named(byTCP, answering(""), probed(fixtures.TCPOfNode)),
			fixtures.Named(own, answering(""), probed(fixtures.HTTP)),
		), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Companions: []*corev1.Pod{ofNode},
		KillCause:  formula.ByLiveness,
		Faults:     []trial.Fault{deletedAfter(own, lives)},
		Lasts:      lives + 7*time.Second,
	}
	for _, c := range []string{trial.Main, byTCP} {
		t.Claims = append(t.Claims, claims.Between(trial.Started.Of(c), trial.SIGTERM.Of(c), formula.ProbeKills))
	}
	for _, c := range []string{own, node, nodeByTCP} {
		t.Claims = append(t.Claims, claims.New(trial.EndsWithin(lives).Of(c), formula.NoKill),
			claims.Between(trial.Started.Of(c), trial.FirstProbe(victim.Liveness).Of(c), formula.FirstProbe))
	}
	return t
}

// deletedAfter deletes a pod when all its containers have lived for so long: nothing counts unseen probes of a pod that
// is gone. The last container of a pod starts last, on a busy node seconds after the first.
func deletedAfter(last string, lives time.Duration) trial.Fault {
	return trial.Delete().At(trial.Started.Of(last), lives+time.Second)
}

// newProbes is a worker with the probes that 1.37 added.
var newProbes = &trial.Worker{
	Name: "new-probes",
	KubeletConfig: map[string]any{
		"featureGates": map[string]any{"GRPCContainerProbeTLS": true, "H2CContainerProbe": true},
	},
}

const gateOfServer = "a virtual node's API server has the kubelet's feature gates, so it drops the field"

// protocols returns the trials of probes whose protocol is not the usual one. Their containers die once, by probes that
// none of them sees.
func protocols() []trial.Trial {
	const plain, fails, other = "plain", "fails", "fails-too"
	const lives = 14 * time.Second
	inClear, encrypted, h2c := answering(""), answering(""), answering("")
	encrypted.TLS, h2c.H2C = true, true
	probed := func(h fixtures.Handler) fixtures.Option {
		return fixtures.Liveness(fixtures.Probe{
			Handler: h, InitialDelaySeconds: served, PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 1,
		})
	}
	survives := func(containers ...string) (all []trial.Claim) {
		for _, c := range containers {
			all = append(all, claims.New(trial.EndsWithin(lives).Of(c), formula.NoKill))
		}
		return all
	}
	die := func(f formula.Formula, containers ...string) (all []trial.Claim) {
		for _, c := range containers {
			all = append(all, claims.Between(trial.Started.Of(c), trial.SIGTERM.Of(c), f))
		}
		return all
	}
	never := func(containers ...corev1.Container) *corev1.Pod {
		return fixtures.With(fixtures.Pod(2, containers...), fixtures.RestartPolicy(corev1.RestartPolicyNever))
	}
	all := []trial.Trial{
		{
			ID: "probes/h2c",
			About: "An HTTP probe of protocol HTTP2 speaks it in the clear, any other speaks HTTP/1.1. A server that " +
				"does not know the one that is asked fails.",
			Pod: never(
				fixtures.Victim(h2c, probed(fixtures.H2C)),
				fixtures.Named(plain, inClear, probed(fixtures.HTTP)),
				fixtures.Named(fails, inClear, probed(fixtures.H2C)),
				fixtures.Named(other, h2c, probed(fixtures.HTTP)),
			),
			Worker: newProbes,
			Needs:  []formula.Change{formula.NewProbeGates},
			Claims: slices.Concat(survives(trial.Main, plain), die(formula.ProbeKills, fails, other)),
		},
		{
			ID:    "probes/h2c-ignored",
			About: "Without the feature gate H2CContainerProbe, an HTTP probe of protocol HTTP2 speaks HTTP/1.1.",
			Pod: never(
				fixtures.Victim(inClear, probed(fixtures.H2C)),
				fixtures.Named(fails, h2c, probed(fixtures.H2C)),
			),
			Needs:    []formula.Change{formula.ProtocolIgnored},
			NodeOnly: gateOfServer,
			Claims:   slices.Concat(survives(trial.Main), die(formula.ProbeKills, fails)),
		},
		{
			ID: "probes/grpc-tls",
			About: "A gRPC probe of mode TLS encrypts, and accepts any certificate. One of mode Plaintext or without a " +
				"mode does not. It fails if only one side encrypts.",
			Pod: never(
				fixtures.Victim(encrypted, probed(fixtures.GRPCByTLS)),
				fixtures.Named(plain, inClear, probed(fixtures.GRPC)),
				fixtures.Named(fails, inClear, probed(fixtures.GRPCByTLS)),
				fixtures.Named(other, encrypted, probed(fixtures.GRPCInClear)),
			),
			Worker: newProbes,
			Needs:  []formula.Change{formula.NewProbeGates},
			Claims: slices.Concat(survives(trial.Main, plain), die(formula.ClosedGRPCKills, fails, other)),
		},
		{
			ID:    "probes/grpc-mode-ignored",
			About: "Without the feature gate GRPCContainerProbeTLS, a gRPC probe of mode TLS does not encrypt.",
			Pod: never(
				fixtures.Victim(inClear, probed(fixtures.GRPCByTLS)),
				fixtures.Named(fails, encrypted, probed(fixtures.GRPCByTLS)),
			),
			Needs:    []formula.Change{formula.GRPCModeIgnored},
			NodeOnly: gateOfServer,
			Claims:   slices.Concat(survives(trial.Main), die(formula.ClosedGRPCKills, fails)),
		},
	}
	for i := range all {
		all[i].KillCause, all[i].Lasts = formula.ByLiveness, lives+7*time.Second
		containers := all[i].Pod.Spec.Containers
		all[i].Faults = []trial.Fault{deletedAfter(containers[len(containers)-1].Name, lives)}
	}
	return all
}

func errorsAndRedirects() []trial.Trial {
	// certainDeath is a probe whose first failure kills.
	certainDeath := func(h fixtures.Handler) fixtures.Option {
		return fixtures.Liveness(fixtures.Probe{Handler: h, PeriodSeconds: 5, TimeoutSeconds: 1, FailureThreshold: 1})
	}
	apart := func(n int, f formula.Formula) trial.Claim {
		return claims.Between(trial.NthProbe(victim.Liveness, n), trial.NthProbe(victim.Liveness, n+1), f)
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
			ID: "probes/errors-never-ready",
			About: "An answer whose body never comes makes no container ready. A readiness probe's error is tried " +
				"three times a period, too.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Readiness: "EEEEEES"},
				fixtures.Readiness(fixtures.Probe{
					Handler: fixtures.HTTP, InitialDelaySeconds: served, PeriodSeconds: 6, TimeoutSeconds: 1,
					FailureThreshold: 3,
				}),
			),
			Labels: []string{victim.Readiness},
			Lasts:  26 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.NthProbe(victim.Readiness, 4), trial.NthProbe(victim.Readiness, 5), formula.TriedAgain,
				),
				claims.Between(
					trial.NthProbe(victim.Readiness, 5), trial.NthProbe(victim.Readiness, 6), formula.TriedAgain,
				),
				claims.Between(
					trial.Answered(victim.Readiness, victim.Succeed), trial.Condition(ready), formula.LastSuccessReady,
				),
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
		redirects("", twoFailures,
			"A redirect to the same host is followed, also to another of its ports. One to another host is a success "+
				"with a warning."),
		redirects("-once", fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 1},
			"The first redirect decides: one to a failing address kills, one to another host warns."),
	}
}

func answering(script victim.Scripts) victim.Run {
	return victim.Run{Term: victim.ExitNow, Liveness: script}
}

// redirects returns the trial of four containers whose probes are redirected.
func redirects(what string, probe fixtures.Probe, about string) trial.Trial {
	const well, port, away = "well", "port", "away"
	lives := 13 * time.Second
	return trial.Trial{
		ID:    "probes/redirects" + what,
		About: about,
		Pod: fixtures.Pod(2,
			fixtures.Victim(answering("D"), fixtures.Liveness(probe)),
			fixtures.Named(well, answering("R"), fixtures.Liveness(probe)),
			fixtures.Named(port, answering("P"), fixtures.Liveness(probe)),
			fixtures.Named(away, answering("W"), fixtures.Liveness(probe)),
		),
		Lasts: lives + 3*time.Second,
		Claims: slices.Concat(killedByProbe(victim.Liveness, 1), []trial.Claim{
			claims.New(trial.FailingProbes(victim.Liveness, 1).Of(port), formula.FailingProbes),
			claims.Between(trial.Started.Of(port), trial.SIGTERM.Of(port), formula.ProbeKills),
			claims.New(trial.EndsWithin(lives).Of(well), formula.RedirectKills),
			claims.New(trial.EndsWithin(lives).Of(away), formula.RedirectKills),
			claims.Between(
				trial.FirstProbe(victim.Liveness).Of(away), trial.Event("ProbeWarning").Of(away),
				formula.RedirectAwayWarns,
			),
		}),
	}
}

package restarts

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// disturbedRuntimes returns the trials of a container runtime that fails, or from which somebody removes containers.
func disturbedRuntimes() []trial.Trial {
	const done, other, failed, calm, idle = "done", "other", "failed", "calm", "idle"
	const failing = 5 * time.Second
	once := func(code int) victim.Run { return ending(code, 2*time.Second, livesOn) }
	remove := func(container string) trial.Fault {
		return trial.Fault{
			Action: trial.RemoveContainer, Container: container, When: trial.Gone.Of(container), After: 4 * time.Second,
		}
	}
	fail := func(call string) trial.Fault { return trial.Fault{Action: trial.FailCalls, Call: call, For: failing} }
	outage := fail("ListPodSandbox")
	outage.For = 15 * time.Second
	static := trial.Trial{
		ID: "restarts/removed-sidecar-of-static-pod",
		About: "A sidecar of a static pod is removed from the runtime while it waits for its back-off. A restarted " +
			"kubelet knows no end of it, and starts it again.",
		Pod: fixtures.With(fixtures.Single(5, victim.Run{}),
			fixtures.Init(fixtures.Named(other, crashing(1, 2), fixtures.Sidecar()))),
		Static: true,
		Worker: &trial.Worker{Name: "removed-sidecar-of-static-pod"},
		Needs:  []formula.Change{formula.Sidecars, formula.LongBackOff},
		Faults: []trial.Fault{
			{
				Action: trial.RemoveContainer, Container: other,
				When: trial.Gone.Of(other).Life(2), After: 3 * time.Second,
			},
			{Action: trial.RestartKubelet, When: trial.Injected},
		},
		Nightly: true,
		Lasts:   24 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.FaultDone.Number(2), trial.Started.Of(other).Life(3), formula.AfterKubeletRestart),
			claims.New(trial.EndsWithin(20*time.Second), formula.Undisturbed),
		},
	}
	return []trial.Trial{
		{
			ID: "restarts/removed-from-runtime",
			About: "Somebody removes containers that ended for good from the container runtime. The next sync of " +
				"their pods starts them again. An init container that had succeeded is not started again while " +
				"another container runs.",
			Pod: fixtures.With(
				fixtures.Pod(5, fixtures.Victim(ending(1, 14*time.Second, livesOn)), fixtures.Named(done, once(0)),
					fixtures.Named(idle, victim.Run{})),
				fixtures.Init(fixtures.Named(prepare, victim.Run{ExitAfter: []time.Duration{time.Second}})),
				fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
			),
			Companions: []*corev1.Pod{namedPod(fixtures.With(
				fixtures.Pod(5, fixtures.Named(other, ending(0, 14*time.Second, livesOn)),
					fixtures.Named(failed, once(3)),
					fixtures.Named(calm, victim.Run{})),
				fixtures.RestartPolicy(corev1.RestartPolicyNever)), other)},
			Faults:  []trial.Fault{remove(prepare), remove(done), remove(failed)},
			Nightly: true,
			Lasts:   30 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Of(done).Life(2), formula.Forgotten),
				claims.Between(trial.Gone.Of(other), trial.Started.Of(failed).Life(2), formula.Forgotten),
				claims.New(trial.Starts(prepare, trial.Injected.Number(3), 10*time.Second), formula.Starts),
			},
		},
		{
			ID: "restarts/runtime-fails",
			About: "While the runtime lists no sandboxes, and later shows no container's status, the kubelet starts " +
				"and kills nothing. It sees the end of a container when the runtime answers again.",
			// The results of probes cause a sync each second.
			Pod: fixtures.Pod(5, fixtures.Victim(ending(1, 7*time.Second, livesOn)),
				fixtures.Named(neighbour, ending(1, 21*time.Second, livesOn)),
				fixtures.Named(calm, victim.Run{Readiness: victim.Scripts(strings.Repeat("SF", 18))},
					fixtures.Readiness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1}))),
			Labels: []string{"crash-loop"},
			Faults: []trial.Fault{
				fail("ListPodSandbox").At(trial.Started, 5*time.Second),
				fail("ContainerStatus").At(trial.Injected, 14*time.Second),
			},
			Nightly: true,
			Lasts:   36 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.Started.Life(2), formula.RuntimeAnswers(failing)),
				claims.Between(trial.Injected.Number(2), trial.Started.Of(neighbour).Life(2),
					formula.RuntimeAnswers(failing)),
				claims.New(trial.EndsWithin(30*time.Second).Of(calm), formula.Undisturbed),
			},
		},
		vanished(fail("ListPodSandbox")), static, {
			ID: "restarts/runtime-fails-over-kubelet-restart",
			About: "A kubelet that restarts while the runtime lists no sandboxes starts and kills nothing before the " +
				"runtime answers.",
			Pod: fixtures.Pod(5, fixtures.Victim(ending(1, 10*time.Second, livesOn)),
				fixtures.Named(calm, victim.Run{})),
			Worker: &trial.Worker{Name: "runtime-fails-over-kubelet-restart"},
			Faults: []trial.Fault{
				outage.At(trial.Started, 5*time.Second), {Action: trial.RestartKubelet, When: trial.Injected},
			},
			Nightly: true,
			Lasts:   40 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.Started.Life(2), formula.RuntimeAnswers(outage.For)),
				claims.New(trial.EndsWithin(35*time.Second).Of(calm), formula.Undisturbed),
			},
		},
	}
}

// vanished returns the trial of containers that end and are removed while the runtime fails, so that the kubelet does
// not see their ends.
func vanished(fails trial.Fault) trial.Trial {
	const other, early, lost, idle, helper, helped = "other", "early", "lost", "idle", "helper", "helped"
	ends := func(name string, options ...fixtures.Option) corev1.Container {
		return fixtures.Named(name, ending(0, 6*time.Second, livesOn), options...)
	}
	t := trial.Trial{
		ID: "restarts/vanished-from-runtime",
		About: "Containers that run are gone when the runtime answers again. That is a failure: an init container's " +
			"ends a pod that restarts nothing, and other containers start again.",
		Pod: fixtures.With(fixtures.Pod(5, fixtures.Victim(victim.Run{})),
			fixtures.Init(ends(prepare)), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Companions: []*corev1.Pod{
			namedPod(fixtures.With(fixtures.Pod(5, fixtures.Named(other, victim.Run{})),
				fixtures.Init(ends(early)), fixtures.RestartPolicy(corev1.RestartPolicyOnFailure)), other),
			namedPod(fixtures.With(fixtures.Pod(5, ends(lost), fixtures.Named(idle, victim.Run{})),
				fixtures.RestartPolicy(corev1.RestartPolicyNever)), lost),
			namedPod(fixtures.With(fixtures.Pod(5, fixtures.Named(helped, victim.Run{})),
				fixtures.Init(ends(helper, fixtures.Sidecar()))), helped),
		},
		Needs:   []formula.Change{formula.Sidecars},
		Faults:  []trial.Fault{fails.At(trial.Started.Of(prepare), 4*time.Second)},
		Nightly: true,
		Lasts:   24 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Injected, trial.Phase(string(corev1.PodFailed)), formula.RuntimeAnswers(fails.For)),
			claims.New(trial.EndsWithin(20*time.Second).Of(idle), formula.Undisturbed),
			claims.New(trial.EndsWithin(20*time.Second).Of(helped), formula.Undisturbed),
		},
	}
	for _, container := range []string{prepare, early, lost, helper} {
		t.Faults = append(t.Faults, trial.Fault{
			Action: trial.RemoveContainer, Container: container, When: trial.Gone.Of(container), After: time.Second / 2,
		})
		if container != prepare {
			t.Claims = append(t.Claims, claims.Between(
				trial.Injected, trial.Started.Of(container).Life(2), formula.RuntimeAnswers(fails.For)))
		}
	}
	return t
}

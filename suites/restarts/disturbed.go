package restarts

import (
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
				fixtures.Pod(5, fixtures.Named(other, ending(0, 14*time.Second, livesOn)), fixtures.Named(failed, once(3)),
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
			Pod: fixtures.Pod(5, fixtures.Victim(ending(1, 7*time.Second, livesOn)),
				fixtures.Named(neighbour, ending(1, 21*time.Second, livesOn)), fixtures.Named(calm, victim.Run{})),
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
	}
}

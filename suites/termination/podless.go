package termination

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

// staticPods is a worker whose static pods a later run removes, should this one be killed.
var staticPods = trial.Worker{Name: "static-pods"}

// podless returns the trials of pods that are not, or no longer, objects of the API.
func podless() []trial.Trial {
	remove := trial.Fault{Action: trial.RemoveManifest, After: 3 * time.Second}
	return []trial.Trial{
		{
			ID:        "termination/static-pod",
			About:     "A static pod whose file is removed is killed with its own six seconds.",
			Pod:       fixtures.Single(6, fixtures.Ignoring),
			Static:    true,
			Worker:    &staticPods,
			KillCause: formula.ByRemoval,
			Faults:    []trial.Fault{remove}, Lasts: 18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ManifestRemoved),
				claims.Between(trial.Gone, trial.ObjectDeleted, formula.MirrorGone, formula.MirrorFirst),
			}, claims.Death(trial.Main, formula.Remainder)),
		},
		{
			ID:     "termination/mirror-deleted",
			About:  "A delete of its mirror pod ends no container of a static pod.",
			Pod:    fixtures.Single(2, fixtures.Ignoring),
			Static: true,
			Worker: &staticPods,
			Faults: []trial.Fault{trial.Delete()}, Lasts: 110 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.ObjectDeleted, formula.MirrorRenewed),
				claims.New(trial.Ended(trial.Main, trial.ObjectDeleted, 10*time.Second), formula.MirrorDelete,
					formula.MirrorDeleteKills),
			},
		},
		changedStatic(), replacedStatic(),
		restartedStatic(),
		{
			ID: "termination/refused-while-deleted",
			About: "The kubelet restarts while it kills a deleted pod, and refuses the pod, because its disk is " +
				"under pressure now. The object stays until the containers have ended, and then disappears.",
			Pod:    fixtures.Single(12, fixtures.Ignoring),
			Worker: &trial.Worker{Name: "refused-while-deleted", Alone: true},
			Faults: []trial.Fault{trial.Delete(), {
				Action: trial.TuneKubelet, When: trial.SIGTERM, After: 500 * time.Millisecond,
				Patch: map[string]any{
					"evictionSoft":            map[string]any{"nodefs.available": "1Pi"},
					"evictionSoftGracePeriod": map[string]any{"nodefs.available": "10m"},
				},
			}},
			FillsNode: true,
			Nightly:   true,
			Lasts:     24 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.KillStart),
				claims.Between(trial.Gone, trial.ObjectDeleted, formula.ObjectDeleted),
				{
					Measure:   trial.HasReason("Evicted", trial.Gone, 500*time.Millisecond),
					Formula:   formula.RefusalFor,
					KillCause: formula.BySoftEviction,
				},
			},
		},
		{
			ID: "termination/sandbox-stop-fails",
			About: "The runtime once fails to stop a deleted pod's sandbox. The kubelet tries again when it sees the " +
				"container's end, and the object disappears.",
			Pod: fixtures.Single(3, victim.Run{Term: victim.ExitNow}),
			Faults: []trial.Fault{
				{Action: trial.FailCalls, Call: "StopPodSandbox", After: 3 * time.Second},
				trial.Delete().At(trial.Injected, 500*time.Millisecond),
			},
			Nightly: true,
			Lasts:   26 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected.Number(2), trial.SIGTERM, formula.KillStart),
				claims.Between(trial.Gone, trial.ObjectDeleted, formula.ObjectDeleted),
			}, claims.Death(trial.Main, formula.ObeyedSignal)),
		},
		{
			ID: "termination/stop-fails",
			About: "The runtime once fails to stop a deleted pod's container. It dies with its sandbox, without its " +
				"hundred seconds and without SIGTERM.",
			Pod: fixtures.Single(100, fixtures.Ignoring),
			Faults: []trial.Fault{
				{Action: trial.FailCalls, Call: "StopContainer", After: 3 * time.Second},
				trial.Delete().At(trial.Injected, 500*time.Millisecond),
			},
			Nightly: true,
			Lasts:   12 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected.Number(2), trial.Gone, formula.StopFails),
			}, claims.DeletedGracefully),
		},
		{
			ID: "termination/grace-overflows",
			About: "A grace period that is a negative number of nanoseconds for the runtime is none: SIGKILL comes at once, " +
				"without SIGTERM, although the process would obey.",
			Pod:     fixtures.Single(negative, victim.Run{Term: victim.ExitNow, ExitCode: 3}),
			Faults:  oneDelete,
			Nightly: true,
			Lasts:   12 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.Gone, formula.KillStart),
				claims.New(trial.StopSignals(), formula.StopSignals),
				claims.New(trial.DeathCode(), formula.DeathCode),
			},
		},
		{
			ID: "termination/grace-ends-the-call",
			About: "A grace period with which the kubelet's call of the runtime has ended before it begins is none: the " +
				"process dies with its sandbox, without SIGTERM.",
			Pod:     fixtures.Single(endsTheCall, victim.Run{Term: victim.ExitNow, ExitCode: 3}),
			Faults:  oneDelete,
			Nightly: true,
			Lasts:   12 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.Gone, formula.StopFails),
				claims.New(trial.StopSignals(), formula.StopSignals),
			},
		},
		{
			ID: "termination/grace-ends-the-call-of-a-probe",
			About: "A probe fails, and the kubelet's call of the runtime has ended before it begins, each time. The container " +
				"is never restarted.",
			Pod: fixtures.Single(endsTheCall, victim.Run{Term: victim.ExitNow, Liveness: "F"},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 1, FailureThreshold: 2})),
			KillCause: formula.ByLiveness,
			Nightly:   true,
			Lasts:     30 * time.Second,
			Claims:    []trial.Claim{claims.New(trial.EndsWithin(25*time.Second), formula.NeverStopped)},
		},
		{
			ID: "termination/orphan-stop-fails",
			About: "The runtime once fails to stop a container whose pod is gone. The container dies with its " +
				"sandbox.",
			Pod:       fixtures.Single(8, fixtures.Ignoring),
			Worker:    &trial.Worker{Name: "orphan-stop-fails"},
			KillCause: formula.ByOrphaning,
			Faults: []trial.Fault{
				{Action: trial.FailCalls, Call: "StopContainer", After: 3 * time.Second},
				{Action: trial.OrphanPod, When: trial.Injected, After: 500 * time.Millisecond},
			},
			Nightly: true,
			Lasts:   40 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.FaultDone.Number(2), trial.Event("Killing"), formula.OrphanFound),
				claims.Between(trial.Event("Killing"), trial.Gone, formula.OrphanStopFails),
			},
		},
		{
			ID: "termination/orphan",
			About: "A pod is force-deleted while no kubelet runs. The next one kills its containers at once, without " +
				"their hooks. Without cgroups of pods, it gives them two seconds.",
			Pod: fixtures.Pod(8, fixtures.Victim(fixtures.Ignoring),
				fixtures.Named(neighbour, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: time.Second}))),
			Worker:    &trial.Worker{Name: "orphan"},
			KillCause: formula.ByOrphaning,
			Faults:    []trial.Fault{{Action: trial.OrphanPod, After: 3 * time.Second}},
			Lasts:     26 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.FaultDone, trial.Event("Killing"), formula.OrphanFound),
				claims.Between(trial.Event("Killing"), trial.Gone, formula.OrphanKilled, formula.OrphanGrace),
				claims.New(trial.HookRuns().Of(neighbour), formula.HookRuns),
				claims.New(trial.Starts(trial.Main, trial.Gone, 5*time.Second), formula.Starts),
			},
		},
	}
}

// changedStatic returns the trial of three static pods of one name, each in the file of the one before.
func changedStatic() trial.Trial {
	const never, heir = "never", "heir"
	place := func(name string) trial.Fault { return trial.Fault{Action: trial.PlaceManifest, Pod: name} }
	remove := trial.Fault{Action: trial.RemoveManifest}
	ready := fixtures.Readiness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1})
	named := func(name string) *corev1.Pod {
		pod := fixtures.Pod(3, fixtures.Named(name, fixtures.Ignoring, ready))
		pod.Name = name
		return pod
	}
	return trial.Trial{
		ID: "termination/static-changed",
		About: "A static pod's file is changed twice while the pod dies: the third pod starts after its end, and the " +
			"second never. Then the file is removed and returns while the pod dies. The pod starts again and is " +
			"probed. At last the file is removed for good.",
		Pod:        fixtures.Single(4, fixtures.Ignoring),
		Companions: []*corev1.Pod{named(never), named(heir)},
		Static:     true,
		Worker:     &staticPods,
		KillCause:  formula.ByRemoval,
		Faults: []trial.Fault{
			place(never).At(trial.Point{}, 3*time.Second),
			place(heir).At(trial.SIGTERM, 1500*time.Millisecond),
			remove.At(trial.Started.Of(heir), 3*time.Second),
			place(heir).At(trial.SIGTERM.Of(heir), time.Second),
			remove.At(trial.Started.Of(heir).Life(2), 3*time.Second),
			place(heir).At(trial.SIGTERM.Of(heir).Life(2), time.Second),
			remove.At(trial.SIGTERM.Of(heir).Life(2), 500*time.Millisecond),
		},
		Lasts: 45 * time.Second,
		Claims: slices.Concat(
			[]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.ManifestRemoved),
				claims.Between(trial.Injected.Number(2), trial.Started.Of(heir), formula.StaticTurn,
					formula.StaticOverlap),
				claims.Between(trial.ObjectDeleted, trial.Started.Of(heir), formula.MirrorReplaced),
				claims.New(trial.Starts(never, trial.Started.Of(heir), 2*time.Second), formula.NeverStarts),
				claims.Between(trial.Injected.Number(3), trial.SIGTERM.Of(heir), formula.ManifestRemoved),
				claims.Between(trial.Gone.Of(heir), trial.Started.Of(heir).Life(2), formula.StaticReturns),
				claims.Between(trial.Started.Of(heir).Life(2), trial.FirstProbe(victim.Readiness).Of(heir).Life(2),
					formula.FirstProbe),
				claims.Between(trial.Injected.Number(5), trial.SIGTERM.Of(heir).Life(2), formula.ManifestRemoved),
				claims.New(trial.Starts(heir, trial.Gone.Of(heir).Life(2), 8*time.Second), formula.Starts),
			},
			claims.Death(trial.Main, formula.Remainder), claims.Death(heir, formula.Remainder),
		),
	}
}

// replacedStatic returns the trial of a static pod whose file is removed, and of another one that gets its name.
func replacedStatic() trial.Trial {
	const heir = "heir"
	other := fixtures.Pod(3, fixtures.Named(heir, victim.Run{Term: victim.ExitNow}))
	other.Name = heir
	return trial.Trial{
		ID: "termination/static-replaced",
		About: "A static pod's file is removed. While the pod dies, another pod gets its name: it starts after that " +
			"end, when its worker asks again.",
		Pod:        fixtures.Single(7, fixtures.Ignoring),
		Companions: []*corev1.Pod{other},
		Static:     true,
		Worker:     &staticPods,
		KillCause:  formula.ByRemoval,
		Faults: []trial.Fault{
			{Action: trial.RemoveManifest, After: 3 * time.Second},
			{Action: trial.PlaceManifest, Pod: heir, When: trial.SIGTERM, After: 1500 * time.Millisecond},
		},
		Lasts: 26 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.Between(trial.Injected, trial.SIGTERM, formula.ManifestRemoved),
			claims.Between(trial.Injected.Number(2), trial.Started.Of(heir), formula.StaticTurn, formula.StaticOverlap),
			claims.Between(trial.ObjectDeleted, trial.Started.Of(heir), formula.MirrorReplaced),
		}, claims.Death(trial.Main, formula.Remainder)),
	}
}

// restartedStatic returns the trial of a kubelet that restarts beside a static pod and a pod that has ended.
func restartedStatic() trial.Trial {
	const ended = "ended"
	exits := victim.Run{ExitAfter: []time.Duration{time.Second}}
	companion := fixtures.With(fixtures.Pod(2, fixtures.Named(ended, exits)),
		fixtures.RestartPolicy(corev1.RestartPolicyNever))
	companion.Name = ended
	return trial.Trial{
		ID: "termination/static-restart",
		About: "The kubelet restarts twice, the second time while its mirror is deleted. The static pod runs on until " +
			"its file is removed, and stays away. A pod that has ended does not start again.",
		Pod:        fixtures.Single(3, fixtures.Ignoring),
		Companions: []*corev1.Pod{companion},
		Static:     true,
		Worker:     &trial.Worker{Name: "static-restart"}, // the other static pods need one kubelet
		KillCause:  formula.ByRemoval,
		Faults: []trial.Fault{
			{Action: trial.RestartKubelet, After: 3 * time.Second},
			{Action: trial.OrphanPod, When: trial.FaultDone, After: 10 * time.Second},
			{Action: trial.RemoveManifest, When: trial.FaultDone.Number(2), After: 10 * time.Second},
		},
		Lasts: 115 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.New(trial.Ended(trial.Main, trial.FaultDone.Number(2), 9*time.Second), formula.MirrorDelete,
				formula.MirrorDeleteKills),
			claims.New(trial.Starts(ended, trial.Gone.Of(ended), 28*time.Second), formula.Starts),
			claims.Between(trial.Injected.Number(3), trial.SIGTERM, formula.ManifestRemoved),
			claims.New(trial.Starts(trial.Main, trial.Gone, 65*time.Second), formula.Starts),
		}, claims.Death(trial.Main, formula.Remainder)),
	}
}

// Grace periods of which a duration has too few bits. math.MaxInt64 / 1000 is what people write for "never".
const (
	negative    = 9223372036854775
	endsTheCall = 9223372037
)

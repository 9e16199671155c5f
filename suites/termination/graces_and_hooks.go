package termination

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// stopSignals is a worker that knows lifecycle.stopSignal.
var stopSignals = trial.Worker{
	Name:          "stop-signals",
	KubeletConfig: map[string]any{"featureGates": map[string]any{"ContainerStopSignals": true}},
}

// ownSignal returns the trial of a container with a stop signal of its own.
func ownSignal(what string, grace int64, about string, image ...fixtures.Option) trial.Trial {
	mistakes := []formula.Mistake{formula.DefaultSignals}
	if len(image) > 0 {
		mistakes = append(mistakes, formula.ImageSignals)
	}
	return trial.Trial{
		ID:    "termination/own-stop-signal" + what,
		About: about,
		Pod: fixtures.With(
			fixtures.Single(grace, fixtures.Ignoring, append(image, fixtures.StopWith("SIGINT"))...), fixtures.OnLinux,
		),
		Worker: &stopSignals,
		Needs:  []formula.Change{formula.StopSignalGate, formula.StopSignalTaken},
		Faults: oneDelete, Lasts: time.Duration(grace+8) * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.New(trial.StopSignal(), formula.OwnStopSignal, mistakes...),
		}, claims.KilledWithoutHook, claims.DeletedGracefully),
	}
}

// graces returns the trials of further grace periods. The longest exceeds the runtime's limit of two minutes for other
// calls.
func graces() []trial.Trial {
	ignored := func(grace int64, what, about string) trial.Trial {
		return trial.Trial{
			ID:     "termination/" + what,
			About:  about,
			Pod:    fixtures.Single(grace, fixtures.Ignoring),
			Faults: oneDelete, Lasts: time.Duration(grace+8) * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook, claims.DeletedGracefully),
		}
	}
	return []trial.Trial{
		ownSignal("", 3,
			"A container's lifecycle.stopSignal replaces its image's STOPSIGNAL, with the same grace period.",
			fixtures.StopSignal()),
		ownSignal("-of-plain-image", 4,
			"A container's lifecycle.stopSignal replaces the runtime's SIGTERM, with the same grace period."),
		ignored(3, "grace-3", "A grace period of three seconds lasts three seconds."),
		ignored(30, "grace-30", "A process that ignores SIGTERM has all of the API's default of thirty seconds."),
		ignored(125, "grace-125",
			"A grace period longer than two minutes, the limit of other calls of the runtime, is not cut."),
		{
			ID:     "termination/stop-signal",
			About:  "An image's STOPSIGNAL replaces SIGTERM, with the same grace period.",
			Pod:    fixtures.Single(3, fixtures.Ignoring, fixtures.StopSignal()),
			Faults: oneDelete, Lasts: 11 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.StopSignal(), formula.ImageStopSignal),
			}, claims.KilledWithoutHook, claims.DeletedGracefully),
		},
	}
}

// The events of a hook that fails, and of one that hangs.
var (
	failureEvent = []trial.Claim{
		claims.Between(trial.HookEnded, trial.Event("FailedPreStopHook"), formula.HookFailureEvent),
	}
	silentTimeout = []trial.Claim{claims.New(
		trial.Events("FailedPreStopHook", trial.SIGTERM, 1500*time.Millisecond), formula.HookTimeoutSilent,
	)}
)

func hooks() []trial.Trial {
	const portless = "portless"
	falls := way{name: trial.Main, http: true, hook: &victim.Hook{Sleep: 1500 * time.Millisecond}}
	tls := way{name: "tls", http: true, hook: falls.hook, obeys: true}
	named := way{name: "named", http: true, hook: &victim.Hook{Sleep: 1500 * time.Millisecond}, obeys: true}
	failing := fixtures.ExecPreStop(victim.Hook{Sleep: 300 * time.Millisecond, ExitCode: 1})
	return []trial.Trial{
		{
			ID:     "termination/http-hook-2400ms-of-6s",
			About:  "A hook of 2.4 s counts as two seconds.",
			Pod:    fixtures.Single(6, httpHook(2400*time.Millisecond), fixtures.HTTPPreStop()),
			Faults: oneDelete, Lasts: 14 * time.Second,
			Claims: slices.Concat(killedAfterRoundedHook, claims.HookCompletes, claims.DeletedGracefully),
		},
		{
			ID:    "termination/http-hook-hangs",
			About: "The kubelet waits for an HTTP hook that never answers until the grace period is over.",
			Pod: fixtures.Single(3,
				victim.Run{Term: victim.Ignore, HookHang: true}, fixtures.HTTPPreStop(),
			),
			Faults: oneDelete, Lasts: 13 * time.Second,
			Claims: slices.Concat(killedAfterHangingHook, claims.DeletedGracefully),
		},
		{
			ID:    "termination/http-hook-by-name",
			About: "An HTTP hook may name its port, which the kubelet looks up in the hook's own container only.",
			Pod: fixtures.Pod(4,
				fixtures.Victim(fixtures.Ignoring),
				fixtures.Named(named.name, victim.Run{Term: victim.ExitNow, HookSleep: named.hook.Sleep},
					fixtures.HTTPPreStopByName()),
			),
			Faults: oneDelete, Lasts: 12 * time.Second,
			Claims: slices.Concat(
				claims.KilledWithoutHook, named.signs(trial.Injected, formula.KillStart), named.end(),
				claims.DeletedGracefully,
			),
		},
		{
			ID: "termination/https-hook",
			About: "An HTTPS hook accepts any certificate, and falls back to a port's plain HTTP, without an " +
				"event. One of a named port that is missing fails at once.",
			Pod: fixtures.Pod(7,
				fixtures.Victim(victim.Run{Term: victim.Ignore, HookSleep: falls.hook.Sleep}, fixtures.HTTPSPreStop()),
				fixtures.Named(tls.name, victim.Run{Term: victim.ExitNow, HookSleep: tls.hook.Sleep, TLS: true},
					fixtures.HTTPSPreStop()),
				fixtures.Named(portless, victim.Run{Term: victim.ExitNow}, fixtures.MissingPortPreStop()),
			),
			Faults: oneDelete, Lasts: 15 * time.Second,
			Claims: slices.Concat(
				falls.signs(trial.Injected, formula.KillStart), falls.end(formula.FullGraceAgain),
				tls.signs(trial.Injected, formula.KillStart), tls.end(),
				claims.Death(portless, formula.ObeyedSignal), claims.DeletedGracefully, []trial.Claim{claims.New(
					trial.Events("LifecycleHTTPFallback", trial.SIGTERM, 1500*time.Millisecond), formula.FallbackSilent,
				)},
			),
		},
		{
			ID: "termination/http-hook-of-host-network",
			About: "The kubelet finds no address for an HTTP hook of a pod with its node's network, unless the hook " +
				"names a host: the hook fails at once.",
			Pod: fixtures.With(
				fixtures.Single(4, httpHook(1500*time.Millisecond), fixtures.HTTPPreStop()), fixtures.HostNetwork,
			),
			Faults: oneDelete, Lasts: 12 * time.Second,
			Claims: slices.Concat(claims.Killed, []trial.Claim{
				claims.New(trial.HookRuns(), formula.HostNetworkHook),
			}, claims.DeletedGracefully),
		},
		{
			ID: "termination/delete-in-post-start",
			About: "A delete does not cancel a postStart hook. After its end the pod's next container starts, and " +
				"both are killed.",
			Pod: fixtures.Pod(14, fixtures.Victim(victim.Run{}, fixtures.SleepPostStart(12)),
				fixtures.Named(neighbour, victim.Run{})),
			Needs:  []formula.Change{formula.SleepAction},
			Faults: []trial.Fault{trial.Delete().At(trial.Started, 4*time.Second)}, Lasts: 22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Started, trial.Started.Of(neighbour), formula.HeldStart(12*time.Second)),
				claims.Between(trial.Started.Of(neighbour), trial.SIGTERM, formula.KilledAfterSync),
			}, claims.Death(trial.Main, formula.ObeyedSignal), claims.DeletedGracefully),
		},
		{
			ID:     "termination/hook-failure-event",
			About:  "A hook that fails causes an event.",
			Pod:    fixtures.Single(2, fixtures.Ignoring, failing),
			Faults: oneDelete, Lasts: 10 * time.Second,
			Claims: slices.Concat(failureEvent, killedAfterQuickHook, claims.HookCompletes, claims.DeletedGracefully),
		},
		{
			ID:    "termination/hook-failure-event-in-time",
			About: "A hook that fails after 1.2 s of the eight seconds causes an event, although the process obeys.",
			Pod: fixtures.Single(8,
				victim.Run{Term: victim.ExitAfter, TermDelay: time.Second},
				fixtures.ExecPreStop(victim.Hook{Sleep: 1200 * time.Millisecond, ExitCode: 3})),
			Faults: oneDelete, Lasts: 12 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.HookBegan, formula.KillStart),
				claims.New(trial.HookRuns(), formula.HookRuns),
			}, failureEvent, claims.HookCompletes, claims.Death(trial.Main, formula.ObeyedSignal),
				claims.DeletedGracefully),
		},
		{
			ID:     "termination/hook-timeout-event",
			About:  "A hook that hangs causes no event at its timeout, but one when it dies.",
			Pod:    fixtures.Single(3, fixtures.Ignoring, hangingHook),
			Faults: oneDelete, Lasts: 12 * time.Second,
			Claims: slices.Concat(silentTimeout, []trial.Claim{
				claims.Between(trial.Gone, trial.Event("FailedPreStopHook"), formula.HookDeathEvent),
			}, killedAfterHangingHook, claims.DeletedGracefully),
		},
		{
			ID:     "termination/sleep-hook-0",
			About:  "A sleep action of zero seconds is allowed and takes no time.",
			Pod:    fixtures.Single(3, fixtures.Ignoring, fixtures.SleepPreStop(0)),
			Needs:  []formula.Change{formula.SleepAction},
			Faults: oneDelete, Lasts: 11 * time.Second,
			Claims: slices.Concat(slept(), claims.Killed, claims.DeletedGracefully),

			ServerNeeds: []formula.Change{formula.ZeroSleep},
		},
		{
			ID:     "termination/sleep-hook-cut-at-7s",
			About:  "A sleep action beyond the delete's grace period is cut. Then the process has two more seconds.",
			Pod:    fixtures.Single(20, fixtures.Ignoring, fixtures.SleepPreStop(15)),
			Needs:  []formula.Change{formula.SleepAction},
			Faults: []trial.Fault{trial.DeleteWithin(7)}, Lasts: 17 * time.Second,
			Claims: slices.Concat(
				slept(formula.SleepNotSlept), claims.Against(afterHook, formula.NoMinimum, formula.SpecGrace),
				claims.DeletedGracefully,
			),
		},
		{
			ID:    "termination/sleep-hook-outlives-process",
			About: "The kubelet waits for a sleep action even if the process ends before.",
			Pod: fixtures.Single(12,
				victim.Run{ExitAfter: []time.Duration{7 * time.Second}, ExitCode: 5}, fixtures.SleepPreStop(8),
			),
			Needs:  []formula.Change{formula.SleepAction},
			Faults: oneDelete, Lasts: 15 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected, trial.ObjectDeleted, formula.SleepOutlives,
					formula.SleepEndsWithProcess),
				claims.New(trial.StopSignals(), formula.NoSignal),
				claims.New(trial.DeathCode(), formula.DeathCode),
			},
		},
	}
}

func deadlines() []trial.Trial {
	unscheduled := fixtures.Scheduler("podclock-nobody") // no such scheduler runs, so only a fault binds the pod
	return []trial.Trial{
		{
			ID:    "termination/deadline-after-pending",
			About: "activeDeadlineSeconds count from when a node accepts the pod.",
			Pod: fixtures.With(
				fixtures.Single(2, fixtures.Ignoring),
				fixtures.ActiveDeadline(8),
				unscheduled,
			),
			Unscheduled: true,
			// After so long, a deadline that counted from the pod's creation would end it well before its time.
			Faults:    []trial.Fault{{Action: trial.BindPod, After: 4 * time.Second}},
			KillCause: formula.ByDeadline,
			Lasts:     20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.PodStartTime, trial.SIGTERM, formula.DeadlineKills),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			}, failedAfter(trial.Gone)),
		},
		{
			ID:    "termination/deadline-after-pending-obeyed",
			About: "A pod that waits six seconds for a node still has all of its activeDeadlineSeconds there.",
			Pod: fixtures.With(
				fixtures.Single(5, victim.Run{Term: victim.ExitAfter, TermDelay: 1500 * time.Millisecond}),
				fixtures.ActiveDeadline(10),
				unscheduled,
			),
			Unscheduled: true,
			Faults:      []trial.Fault{{Action: trial.BindPod, After: 6 * time.Second}},
			KillCause:   formula.ByDeadline,
			Lasts:       24 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.PodStartTime, trial.SIGTERM, formula.DeadlineKills),
			}, claims.Death(trial.Main, formula.ObeyedSignal), failedAfter(trial.Gone)),
		},
		{
			ID:    "termination/deadline-after-init",
			About: "activeDeadlineSeconds count while init containers run, fail and run again.",
			Pod: fixtures.With(
				fixtures.Single(2, fixtures.Ignoring),
				fixtures.Init(fixtures.Named("init",
					victim.Run{ExitAfter: []time.Duration{2 * time.Second}, ExitCodes: []int{1, 0}})),
				fixtures.ActiveDeadline(25),
			),
			KillCause: formula.ByDeadline,
			Lasts:     32 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.PodStartTime, trial.SIGTERM, formula.DeadlineKills),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			}, failedAfter(trial.Gone)),
		},
		{
			ID:    "termination/deadline-after-restart",
			About: "A container's restart does not move its pod's activeDeadlineSeconds.",
			Pod: fixtures.With(
				fixtures.Single(2, victim.Run{Term: victim.Ignore, ExitAfter: []time.Duration{4 * time.Second, -1}}),
				fixtures.ActiveDeadline(12),
			),
			KillCause: formula.ByDeadline,
			Lasts:     18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.PodStartTime, trial.SIGTERM.Life(2), formula.DeadlineKills),
				claims.Between(trial.SIGTERM.Life(2), trial.Gone.Life(2), formula.Remainder),
			}, failedAfter(trial.Gone.Life(2))),
		},
	}
}

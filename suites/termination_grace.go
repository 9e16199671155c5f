package suites

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// graces are grace periods that the area's first trials leave out, up to one longer than the two minutes
// that a call of the runtime may otherwise take.
func graces() []trial.Trial {
	ignored := func(grace int64, what, about string) trial.Trial {
		return trial.Trial{
			ID: "termination/" + what, About: about,
			Pod:    fixtures.Pod(grace, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  time.Duration(grace+8) * time.Second,
			Claims: slices.Concat(killedWithoutHook, deletedGracefully),
		}
	}
	return []trial.Trial{
		ignored(3, "grace-3", "Three seconds are three seconds."),
		ignored(
			30,
			"grace-30",
			"The API's default of thirty seconds is left to a process that ignores SIGTERM, to the end.",
		),
		ignored(
			125,
			"grace-125",
			"A grace period of more than the two minutes that a call of the runtime may otherwise take is not cut.",
		),
		{
			ID:    "termination/stop-signal",
			About: "An image's STOPSIGNAL comes in SIGTERM's place, with the same grace.",
			Pod:   fixtures.Pod(3, fixtures.Victim(ignoring, fixtures.StopSignal())),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 11 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.StopSignal(), Formula: formula.ImageStopSignal},
			}, killedWithoutHook, deletedGracefully),
		},
	}
}

// hooks are preStop hooks that the area's first trials leave out.
func hooks() []trial.Trial {
	slept := func(rivals ...formula.Rival) []trial.Claim {
		return []trial.Claim{
			{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: formula.SleepThenSignal, Rivals: rivals},
		}
	}
	needs := []formula.Change{formula.SleepAction}
	named := way{name: "named", http: true, hook: &victim.Hook{Sleep: 1500 * time.Millisecond}, obeys: true}
	return []trial.Trial{
		{
			ID:    "termination/http-hook-2400ms-of-6s",
			About: "A hook of 2.4 s is counted as two seconds.",
			Pod: fixtures.Pod(
				6,
				fixtures.Victim(
					victim.Run{Term: victim.Ignore, HookSleep: 2400 * time.Millisecond},
					fixtures.HTTPPreStop(),
				),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 14 * time.Second,
			Claims: slices.Concat(
				against(killedAfterHook, formula.HookSubtractedExactly, formula.HookRoundedUp),
				hookCompletes,
				deletedGracefully,
			),
		},
		{
			ID:    "termination/http-hook-hangs",
			About: "A hook over HTTP that is never answered is waited for until the grace period is over.",
			Pod: fixtures.Pod(
				3,
				fixtures.Victim(victim.Run{Term: victim.Ignore, HookHang: true}, fixtures.HTTPPreStop()),
			),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  13 * time.Second,
			Claims: slices.Concat(against(killedAfterHook, formula.NoMinimum), hookHangs, deletedGracefully),
		},
		{
			ID:    "termination/http-hook-by-name",
			About: "A hook over HTTP may name its port: the name is looked up in the hook's own container, and nowhere else.",
			Pod: fixtures.Pod(
				4,
				fixtures.Victim(ignoring),
				fixtures.Named(
					named.name,
					victim.Run{Term: victim.ExitNow, HookSleep: named.hook.Sleep},
					fixtures.HTTPPreStopByName(),
				),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 12 * time.Second,
			Claims: slices.Concat(
				killedWithoutHook,
				named.signs(trial.Cued, formula.KillStart),
				named.end(),
				deletedGracefully,
			),
		},
		{
			ID:    "termination/hook-failure-event",
			About: "A hook that fails is told by an event.",
			Pod: fixtures.Pod(
				2,
				fixtures.Victim(
					ignoring,
					fixtures.ExecPreStop(victim.Hook{Sleep: 300 * time.Millisecond, ExitCode: 1}),
				),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 10 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Between(trial.HookEnded, trial.Event(failedPreStopHook)),
					Formula: formula.HookFailureEvent,
				},
			}, killedAfterQuickHook, hookCompletes, deletedGracefully),
		},
		{
			ID:    "termination/hook-timeout-event",
			About: "A hook that hangs is told by no event when it is given up, only when it dies with its container.",
			Pod:   fixtures.Pod(3, fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true}))),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 12 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Events(failedPreStopHook, trial.SIGTERM, 1500*time.Millisecond),
					Formula: formula.HookTimeoutSilent,
				},
				{Measure: trial.Between(trial.Gone, trial.Event(failedPreStopHook)), Formula: formula.HookDeathEvent},
			}, against(killedAfterHook, formula.NoMinimum), hookHangs, deletedGracefully),
		},
		{
			ID: "termination/sleep-hook-0", About: "A sleep action of zero seconds is allowed, and delays nothing.",
			Pod: fixtures.Pod(3, fixtures.Victim(ignoring, fixtures.SleepPreStop(0))), Needs: needs,
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  11 * time.Second,
			Claims: slices.Concat(slept(), killed, deletedGracefully),
		},
		{
			ID:    "termination/sleep-hook-cut",
			About: "A sleep action longer than the delete's grace period is cut at its end, and the process has two seconds more.",
			Pod:   fixtures.Pod(20, fixtures.Victim(ignoring, fixtures.SleepPreStop(15))),
			Needs: needs,
			Cues:  []trial.Cue{trial.DeleteWithin(3)},
			Lasts: 13 * time.Second,
			Claims: slices.Concat(
				slept(formula.SleepNotSlept),
				against(afterHook, formula.NoMinimum, formula.SpecGrace),
				deletedGracefully,
			),
		},
		{
			ID:    "termination/sleep-hook-outlives-process",
			About: "A process that ends by itself is waited for until the sleep action of its container is over.",
			Pod: fixtures.Pod(
				12,
				fixtures.Victim(
					victim.Run{ExitAfter: []time.Duration{7 * time.Second}, ExitCode: 5},
					fixtures.SleepPreStop(8),
				),
			),
			Needs: needs,
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 15 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.Between(trial.Cued, trial.ObjectDeleted),
					Formula: formula.SleepOutlives,
					Rivals:  []formula.Rival{formula.SleepEndsWithProcess},
				},
				{Measure: trial.StopSignals(), Formula: formula.NoSignal},
				{Measure: trial.DeathCode(), Formula: formula.DeathCode},
			},
		},
	}
}

// failedPreStopHook is the reason of the event.
const failedPreStopHook = "FailedPreStopHook"

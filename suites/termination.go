package suites

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// ignoring is a main process that takes no notice of SIGTERM: only SIGKILL ends it.
var ignoring = victim.Run{Term: victim.Ignore}

// Termination is the area of killed containers: which grace period applies to which cause, what a preStop
// hook leaves of it, the two-second minimum, and what becomes of a kill that meets another.
func Termination() []trial.Trial {
	return slices.Concat(deletes(), graces(), hooks(), wholePods(), deadlines(), singleContainers(), collisions())
}

// deletes are the area's first trials: one delete, one hook at most.
func deletes() []trial.Trial {
	return []trial.Trial{
		{
			ID:     "termination/grace-5",
			About:  "A process that ignores SIGTERM is killed when its five seconds are over.",
			Pod:    fixtures.Pod(5, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  13 * time.Second,
			Claims: slices.Concat(killedWithoutHook, deletedGracefully),
		},
		{
			ID: "termination/grace-2", About: "Two seconds are the least grace that is neither lengthened nor cut.",
			Pod:    fixtures.Pod(2, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  10 * time.Second,
			Claims: slices.Concat(killedWithoutHook, deletedGracefully),
		},
		{
			ID: "termination/grace-1", About: "A grace period of one second is lengthened to two.",
			Pod:    fixtures.Pod(1, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  10 * time.Second,
			Claims: slices.Concat(against(killedWithoutHook, formula.NoMinimum), deletedGracefully),
		},
		{
			ID:     "termination/grace-0",
			About:  "A grace period of zero is documented as an immediate kill; the process gets SIGTERM and two seconds.",
			Pod:    fixtures.Pod(0, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  10 * time.Second,
			Claims: slices.Concat(against(killedWithoutHook, formula.NoMinimum), deletedAtOnce),
		},
		{
			ID:     "termination/exits-at-once",
			About:  "A process that exits on SIGTERM is gone at once; the rest of its thirty seconds is not waited for.",
			Pod:    fixtures.Pod(30, fixtures.Victim(victim.Run{Term: victim.ExitNow, ExitCode: 3})),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  9 * time.Second,
			Claims: slices.Concat(obeyed, deletedGracefully),
		},
		{
			ID:    "termination/exits-after-2500ms",
			About: "A process that takes 2.5 s of its ten to exit on SIGTERM is left alone until it does.",
			Pod: fixtures.Pod(
				10,
				fixtures.Victim(victim.Run{Term: victim.ExitAfter, TermDelay: 2500 * time.Millisecond, ExitCode: 4}),
			),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  11 * time.Second,
			Claims: slices.Concat(obeyed, deletedGracefully),
		},
		{
			ID:    "termination/exec-hook-3500ms-of-10s",
			About: "A hook of 3.5 s is part of the ten seconds, counted as three whole ones.",
			Pod: fixtures.Pod(
				10,
				fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: 3500 * time.Millisecond})),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 18 * time.Second,
			Claims: slices.Concat(
				against(killedAfterHook, formula.HookSubtractedExactly, formula.HookRoundedUp),
				hookCompletes,
				deletedGracefully,
			),
		},
		{
			ID:    "termination/http-hook-4900ms-of-10s",
			About: "A hook of 4.9 s is counted as four seconds, not five. Over HTTP, since the start of an exec hook's process would carry it over the full second.",
			Pod: fixtures.Pod(10, fixtures.Victim(victim.Run{Term: victim.Ignore, HookSleep: 4900 * time.Millisecond},
				fixtures.HTTPPreStop())),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 18 * time.Second,
			Claims: slices.Concat(
				against(killedAfterHook, formula.HookSubtractedExactly, formula.HookRoundedUp),
				hookCompletes,
				deletedGracefully,
			),
		},
		{
			ID:    "termination/exec-hook-8500ms-of-10s",
			About: "A hook of 8.5 s leaves exactly the minimum of two seconds.",
			Pod: fixtures.Pod(
				10,
				fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: 8500 * time.Millisecond})),
			),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  18 * time.Second,
			Claims: slices.Concat(killedAfterHook, hookCompletes, deletedGracefully),
		},
		{
			ID:    "termination/http-hook-9300ms-of-10s",
			About: "A hook that leaves less than two seconds leaves the minimum of two. Over HTTP, since the start of a process might carry it over the tenth second.",
			Pod: fixtures.Pod(10, fixtures.Victim(victim.Run{Term: victim.Ignore, HookSleep: 9300 * time.Millisecond},
				fixtures.HTTPPreStop())),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  19 * time.Second,
			Claims: slices.Concat(against(killedAfterHook, formula.NoMinimum), hookCompletes, deletedGracefully),
		},
		{
			ID:     "termination/hook-hangs",
			About:  "A hook that hangs does not keep the pod: SIGTERM comes at the end of the grace period, SIGKILL two seconds later.",
			Pod:    fixtures.Pod(6, fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true}))),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  16 * time.Second,
			Claims: slices.Concat(against(killedAfterHook, formula.NoMinimum), hookHangs, deletedGracefully),
		},
		{
			ID: "termination/hook-fails", About: "A hook that fails changes nothing and is not repeated.",
			Pod:    fixtures.Pod(5, fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{ExitCode: 1}))),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  13 * time.Second,
			Claims: slices.Concat(killedAfterQuickHook, hookCompletes, deletedGracefully),
		},
		{
			ID:     "termination/hook-binary-missing",
			About:  "A hook whose binary is missing costs no time: the container has its whole grace period.",
			Pod:    fixtures.Pod(5, fixtures.Victim(ignoring, fixtures.MissingPreStop())),
			Cues:   []trial.Cue{trial.Delete()},
			Lasts:  13 * time.Second,
			Claims: slices.Concat(killedWithoutHook, deletedGracefully),
		},
		{
			ID:    "termination/sleep-hook-4s-of-10s",
			About: "The kubelet's own sleep action is part of the grace period like any hook.",
			Pod:   fixtures.Pod(10, fixtures.Victim(ignoring, fixtures.SleepPreStop(4))),
			Needs: []formula.Change{formula.SleepAction},
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Between(trial.Cued, trial.SIGTERM),
					Formula: formula.SleepThenSignal,
					Rivals:  []formula.Rival{formula.SleepNotSlept},
				},
			}, afterHook, deletedGracefully),
		},
		{
			ID: "termination/option-shorter", About: "A delete request with four seconds overrides the pod's twenty.",
			Pod:    fixtures.Pod(20, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.DeleteWithin(4)},
			Lasts:  12 * time.Second,
			Claims: slices.Concat(against(killedWithoutHook, formula.SpecGrace), deletedGracefully),
		},
		{
			ID: "termination/option-longer", About: "A delete request with eight seconds overrides the pod's three.",
			Pod:    fixtures.Pod(3, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.DeleteWithin(8)},
			Lasts:  16 * time.Second,
			Claims: slices.Concat(against(killedWithoutHook, formula.SpecGrace), deletedGracefully),
		},
		{
			ID:     "termination/force",
			About:  "A force delete removes the object at once and leaves the process two seconds, whatever the pod's own grace period.",
			Pod:    fixtures.Pod(20, fixtures.Victim(ignoring)),
			Cues:   []trial.Cue{trial.DeleteWithin(0)},
			Lasts:  10 * time.Second,
			Claims: slices.Concat(against(killedWithoutHook, formula.NoMinimum, formula.SpecGrace), deletedAtOnce),
		},
		{
			ID:    "termination/force-hook-hangs",
			About: "After a force delete a hook has one second, then the process has two.",
			Pod:   fixtures.Pod(20, fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true}))),
			Cues:  []trial.Cue{trial.DeleteWithin(0)},
			Lasts: 11 * time.Second,
			Claims: slices.Concat(
				needing(formula.HookSubtractedLast, hookOfForce),
				against(killed, formula.NoMinimum),
				deletedAtOnce,
			),
		},
		{
			ID:    "termination/two-containers",
			About: "Two containers with different hooks are killed side by side, each with its own hook and its own remainder.",
			Pod: fixtures.Pod(
				8,
				fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: 3500 * time.Millisecond})),
				fixtures.Named(
					"neighbour",
					ignoring,
					fixtures.ExecPreStop(victim.Hook{Sleep: 1500 * time.Millisecond}),
				),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 16 * time.Second,
			Claims: slices.Concat(killedAfterHook, hookCompletes, []trial.Claim{
				{
					Measure: trial.Between(trial.HookBegan.Of("neighbour"), trial.HookBegan),
					Formula: formula.KilledTogether,
				},
				{
					Measure: trial.Between(trial.HookEnded, trial.SIGTERM).Of("neighbour"),
					Formula: formula.HookThenSignal,
				},
				{
					Measure: trial.Between(trial.SIGTERM, trial.Gone).Of("neighbour"),
					Formula: formula.Remainder,
					Rivals:  []formula.Rival{formula.FullGraceAgain},
				},
				{Measure: trial.StopSignals().Of("neighbour"), Formula: formula.StopSignals},
			}, deletedGracefully),
		},
	}
}

// against adds rivals to the claims on the time from SIGTERM to the death. Only those that would end it at
// another time in this very trial are worth naming: a hook that is subtracted or not needs a hook, an
// ignored option needs one, and a missing minimum a grace period that ends below it.
func against(claims []trial.Claim, rivals ...formula.Rival) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		if claims[i].Formula.ID == formula.Remainder.ID {
			claims[i].Rivals = slices.Concat(claims[i].Rivals, rivals)
		}
	}
	return claims
}

// What must be true of every deleted container that ignores SIGTERM …
var killed = []trial.Claim{
	{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
	{Measure: trial.Between(trial.Cued, trial.Gone), Formula: formula.KillLength},
	{Measure: trial.StopSignals(), Formula: formula.StopSignals},
}

// … that has no hook, or one that never starts …
var killedWithoutHook = slices.Concat([]trial.Claim{
	{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: formula.KillStart},
}, killed)

// … that has a hook which takes no whole second …
var killedAfterQuickHook = slices.Concat(hookBegins, killed)

// … or one which does …
var killedAfterHook = slices.Concat(hookBegins, afterHook)

// afterHook is killed where it shows whether the hook's time is subtracted.
var afterHook = func() []trial.Claim {
	claims := against(killed, formula.FullGraceAgain)
	claims[1].Rivals = []formula.Rival{formula.FullGraceAgainLength}
	return claims
}()

var hookBegins = []trial.Claim{
	{Measure: trial.Between(trial.Cued, trial.HookBegan), Formula: formula.KillStart},
	{Measure: trial.HookRuns(), Formula: formula.HookRuns, Rivals: []formula.Rival{formula.HookNotRun}},
}

// hookOfForce is what becomes of a hook that hangs after a force delete, where it is run at all.
var hookOfForce = slices.Concat(hookBegins, hookHangs)

// … which ends, or does not …
var (
	hookCompletes = []trial.Claim{
		{Measure: trial.Between(trial.HookEnded, trial.SIGTERM), Formula: formula.HookThenSignal},
	}
	hookHangs = []trial.Claim{{Measure: trial.Between(trial.HookBegan, trial.SIGTERM), Formula: formula.HookBound}}
)

// … and of one that obeys.
var obeyed = []trial.Claim{
	{Measure: trial.Between(trial.Cued, trial.SIGTERM), Formula: formula.KillStart},
	{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.ObeyedSignal},
	{Measure: trial.StopSignals(), Formula: formula.StopSignals},
}

// What must be true of the pod's object: a graceful delete keeps it until after the death, so that the API
// shows how the container ended …
var deletedGracefully = []trial.Claim{
	{Measure: trial.DeathCode(), Formula: formula.DeathCode},
	{Measure: trial.Between(trial.Gone, trial.ObjectDeleted), Formula: formula.ObjectDeleted},
}

// … and a delete without grace removes it at once.
var deletedAtOnce = []trial.Claim{
	{Measure: trial.Between(trial.Cued, trial.ObjectDeleted), Formula: formula.ObjectForced},
}

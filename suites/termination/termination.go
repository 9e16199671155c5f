// Package termination holds the trials of killed containers: which grace period belongs to which cause, what
// a preStop hook leaves of it, the two-second minimum, and kills that meet another event.
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

// Trials returns the trials of the area.
func Trials() []trial.Trial {
	return slices.Concat(deletes(), graces(), hooks(), wholePods(), deadlines(), singleContainers(), collisions(),
		stages(), podless())
}

func deletes() []trial.Trial {
	return []trial.Trial{
		{
			ID:     "termination/grace-5",
			About:  "A process that ignores SIGTERM is killed when its five seconds are over.",
			Pod:    fixtures.Single(5, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 13 * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "termination/grace-2",
			About:  "Two seconds are the shortest grace period that is neither lengthened nor cut.",
			Pod:    fixtures.Single(2, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 10 * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "termination/grace-1",
			About:  "A grace period of one second is lengthened to two.",
			Pod:    fixtures.Single(1, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 10 * time.Second,
			Claims: slices.Concat(killedAgainst(formula.NoMinimum), claims.DeletedGracefully),
		},
		{
			ID:     "termination/grace-0",
			About:  "A grace period of zero leaves two seconds after SIGTERM, not none as documented.",
			Pod:    fixtures.Single(0, fixtures.Ignoring),
			Faults: oneDelete, Lasts: 10 * time.Second,
			Claims: slices.Concat(killedAgainst(formula.NoMinimum), claims.DeletedAtOnce),
		},
		{
			ID:     "termination/exits-at-once",
			About:  "A process that exits on SIGTERM is gone at once.",
			Pod:    fixtures.Single(30, victim.Run{Term: victim.ExitNow, ExitCode: 3}),
			Faults: oneDelete, Lasts: 9 * time.Second,
			Claims: slices.Concat(claims.Obeyed, claims.DeletedGracefully),
		},
		{
			ID:    "termination/exits-after-2500ms",
			About: "A process that needs 2.5 s of its ten to exit on SIGTERM gets them.",
			Pod: fixtures.Single(10,
				victim.Run{Term: victim.ExitAfter, TermDelay: 2500 * time.Millisecond, ExitCode: 4},
			),
			Faults: oneDelete, Lasts: 11 * time.Second,
			Claims: slices.Concat(claims.Obeyed, claims.DeletedGracefully),
		},
		{
			ID:     "termination/exec-hook-3500ms-of-10s",
			About:  "A hook of 3.5 s is part of the ten seconds. It counts as three seconds.",
			Pod:    fixtures.Single(10, fixtures.Ignoring, execHook(3500*time.Millisecond)),
			Faults: oneDelete, Lasts: 18 * time.Second,
			Claims: slices.Concat(killedAfterRoundedHook, claims.HookCompletes, claims.DeletedGracefully),
		},
		{
			ID: "termination/http-hook-4900ms-of-10s",
			About: "A hook of 4.9 s counts as four seconds. HTTP, because a process' start would exceed the full " +
				"second.",
			Pod:    fixtures.Single(10, httpHook(4900*time.Millisecond), fixtures.HTTPPreStop()),
			Faults: oneDelete, Lasts: 18 * time.Second,
			Claims: slices.Concat(killedAfterRoundedHook, claims.HookCompletes, claims.DeletedGracefully),
		},
		{
			ID:     "termination/exec-hook-8500ms-of-10s",
			About:  "A hook of 8.5 s leaves exactly the minimum of two seconds.",
			Pod:    fixtures.Single(10, fixtures.Ignoring, execHook(8500*time.Millisecond)),
			Faults: oneDelete, Lasts: 18 * time.Second,
			Claims: slices.Concat(killedAfterHook, claims.HookCompletes, claims.DeletedGracefully),
		},
		{
			ID:     "termination/http-hook-9300ms-of-10s",
			About:  "A hook that leaves less leaves two seconds. HTTP, because a process could end after the tenth.",
			Pod:    fixtures.Single(10, httpHook(9300*time.Millisecond), fixtures.HTTPPreStop()),
			Faults: oneDelete, Lasts: 19 * time.Second,
			Claims: slices.Concat(
				claims.Against(killedAfterHook, formula.NoMinimum), claims.HookCompletes, claims.DeletedGracefully,
			),
		},
		{
			ID:     "termination/hook-hangs",
			About:  "A hook that hangs delays SIGTERM until the grace period is over, and SIGKILL by two more seconds.",
			Pod:    fixtures.Single(6, fixtures.Ignoring, hangingHook),
			Faults: oneDelete, Lasts: 16 * time.Second,
			Claims: slices.Concat(killedAfterHangingHook, silentTimeout, claims.DeletedGracefully),
		},
		{
			ID:     "termination/hook-fails",
			About:  "A hook that fails changes nothing and is not repeated.",
			Pod:    fixtures.Single(5, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{ExitCode: 1})),
			Faults: oneDelete, Lasts: 13 * time.Second,
			Claims: slices.Concat(killedAfterQuickHook, claims.HookCompletes, claims.DeletedGracefully),
		},
		{
			ID:     "termination/hook-binary-missing",
			About:  "A hook without a binary takes no time: the container has its whole grace period.",
			Pod:    fixtures.Single(5, fixtures.Ignoring, fixtures.MissingPreStop()),
			Faults: oneDelete, Lasts: 13 * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook, claims.DeletedGracefully),
		},
		{
			ID:     "termination/sleep-hook-4s-of-10s",
			About:  "The kubelet's own sleep action is part of the grace period like any hook.",
			Pod:    fixtures.Single(10, fixtures.Ignoring, fixtures.SleepPreStop(4)),
			Needs:  []formula.Change{formula.SleepAction},
			Faults: oneDelete, Lasts: 18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.SleepThenSignal, formula.SleepNotSlept),
			}, afterHook, claims.DeletedGracefully),
		},
		{
			ID:     "termination/option-shorter",
			About:  "A delete request with four seconds overrides the pod's twenty.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{trial.DeleteWithin(4)}, Lasts: 12 * time.Second,
			Claims: slices.Concat(killedAgainst(formula.SpecGrace), claims.DeletedGracefully),
		},
		{
			ID:     "termination/option-longer",
			About:  "A delete request with eight seconds overrides the pod's three.",
			Pod:    fixtures.Single(3, fixtures.Ignoring),
			Faults: []trial.Fault{trial.DeleteWithin(8)}, Lasts: 16 * time.Second,
			Claims: slices.Concat(killedAgainst(formula.SpecGrace), claims.DeletedGracefully),
		},
		{
			ID:     "termination/force",
			About:  "A force delete removes the object at once and leaves the process two seconds.",
			Pod:    fixtures.Single(20, fixtures.Ignoring),
			Faults: []trial.Fault{trial.DeleteWithin(0)}, Lasts: 10 * time.Second,
			Claims: slices.Concat(killedAgainst(formula.NoMinimum, formula.SpecGrace), claims.DeletedAtOnce),
		},
		{
			ID:     "termination/force-hook-hangs",
			About:  "After a force delete a hook has one second, then the process has two.",
			Pod:    fixtures.Single(20, fixtures.Ignoring, hangingHook),
			Faults: []trial.Fault{trial.DeleteWithin(0)}, Lasts: 11 * time.Second,
			Claims: slices.Concat(
				claims.Needing(formula.HookSubtractedLast, slices.Concat(hookBegins[:1], hookHangs)), hookBegins[1:],
				claims.Against(claims.Killed, formula.NoMinimum), claims.DeletedAtOnce,
			),
		},
		{
			ID:    "termination/two-containers",
			About: "Two containers are killed side by side. Each has its own hook and its own remainder.",
			Pod: fixtures.Pod(8,
				fixtures.Victim(fixtures.Ignoring, execHook(3500*time.Millisecond)),
				fixtures.Named(neighbour, fixtures.Ignoring, execHook(1500*time.Millisecond)),
			),
			Faults: oneDelete, Lasts: 16 * time.Second,
			Claims: slices.Concat(killedAfterHook, claims.HookCompletes, []trial.Claim{
				claims.Between(trial.HookBegan.Of(neighbour), trial.HookBegan, formula.KilledTogether),
				claims.New(trial.Between(trial.HookEnded, trial.SIGTERM).Of(neighbour), formula.HookThenSignal),
			}, claims.Death(neighbour, formula.Remainder, formula.FullGraceAgain), claims.DeletedGracefully),
		},
	}
}

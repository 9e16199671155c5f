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

// way is how one container reacts to a kill.
type way struct {
	name  string
	obeys bool
	// hook is the preStop hook, nil without one. http serves it instead of running a process.
	hook *victim.Hook
	http bool
}

// Hooks of ways.
var (
	completes = &victim.Hook{Sleep: 1500 * time.Millisecond}
	hangs     = &victim.Hook{Hang: true}
)

func ignores(hook *victim.Hook) way { return way{name: trial.Main, hook: hook} }

func obeys(hook *victim.Hook) way { return way{name: trial.Main, hook: hook, obeys: true} }

// ways returns six ways, each in its own container. Hooks that hang are processes, because a request could exceed its
// budget while so much starts. Hooks that complete are requests, so that few processes start at once.
func ways(takes time.Duration) []way {
	completes := &victim.Hook{Sleep: takes}
	return []way{
		{name: trial.Main},
		{name: "obeys", obeys: true},
		{name: "completes", hook: completes, http: true},
		{name: "completes-obeys", hook: completes, http: true, obeys: true},
		{name: "hangs", hook: hangs},
		{name: "hangs-obeys", hook: hangs, obeys: true},
	}
}

func (w way) container() corev1.Container {
	run := victim.Run{Term: victim.Ignore}
	if w.obeys {
		run = victim.Run{Term: victim.ExitNow, ExitCode: 3}
	}
	switch {
	case w.hook == nil:
		return fixtures.Named(w.name, run)
	case w.http:
		run.HookSleep, run.HookHang = w.hook.Sleep, w.hook.Hang
		return fixtures.Named(w.name, run, fixtures.HTTPPreStop())
	}
	return fixtures.Named(w.name, run, fixtures.ExecPreStop(*w.hook))
}

// signs returns the claims from the start of a kill to SIGTERM. A formula predicts its first sign.
func (w way) signs(cause trial.Point, first formula.Formula) []trial.Claim {
	if w.hook == nil {
		return []trial.Claim{claims.New(trial.Between(cause, trial.SIGTERM).Of(w.name), first)}
	}
	end, after := trial.HookEnded, formula.HookThenSignal
	if w.hook.Hang {
		end, after = trial.HookBegan, formula.HookBound
	}
	return []trial.Claim{
		claims.New(trial.Between(cause, trial.HookBegan).Of(w.name), first),
		claims.New(trial.HookRuns().Of(w.name), formula.HookRuns, formula.HookNotRun),
		claims.New(trial.Between(end, trial.SIGTERM).Of(w.name), after),
	}
}

// mistakes returns the known mistakes that predict another death of a process that ignores SIGTERM.
func (w way) mistakes(grace int64) []formula.Mistake {
	var mistakes []formula.Mistake
	if w.hook != nil && grace > 2 {
		mistakes = append(mistakes, formula.FullGraceAgain)
	}
	if grace < 2 || w.hook != nil && w.hook.Hang {
		mistakes = append(mistakes, formula.NoMinimum)
	}
	return mistakes
}

// end returns the claims on the death. The known mistakes are for a process that ignores SIGTERM.
func (w way) end(mistakes ...formula.Mistake) []trial.Claim {
	death := claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(w.name), formula.Remainder, mistakes...)
	if w.obeys {
		death.Formula, death.Mistakes = formula.ObeyedSignal, nil
	}
	return []trial.Claim{claims.New(trial.StopSignals().Of(w.name), formula.StopSignals), death}
}

func (w way) code() []trial.Claim {
	return []trial.Claim{claims.New(trial.DeathCode().Of(w.name), formula.DeathCode)}
}

func inOnePod(ways []way) []corev1.Container {
	var containers []corev1.Container
	for _, w := range ways {
		containers = append(containers, w.container())
	}
	return containers
}

func wholePods() []trial.Trial {
	return []trial.Trial{deleteEveryWay(), forceEveryWay(), deadlineEveryWay()}
}

func deleteEveryWay() trial.Trial {
	all := ways(1500 * time.Millisecond)
	t := trial.Trial{
		ID: "termination/delete-every-way",
		About: "A delete kills six containers side by side: obeying and ignoring ones, without a hook and with two " +
			"kinds.",
		Pod:    fixtures.Pod(5, inOnePod(all)...),
		Faults: []trial.Fault{trial.Delete()}, Lasts: 16 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.SIGTERM.Of("obeys"), trial.SIGTERM, formula.KilledTogether),
			claims.Between(trial.Gone.Of("hangs"), trial.ObjectDeleted, formula.ObjectDeleted),
		},
	}
	for _, w := range all {
		t.Claims = slices.Concat(t.Claims, w.signs(trial.Injected, formula.KillStart), w.end(w.mistakes(5)...),
			w.code())
	}
	return t
}

func forceEveryWay() trial.Trial {
	all := ways(300 * time.Millisecond)
	t := trial.Trial{
		ID:     "termination/force-every-way",
		About:  "A force delete leaves six containers one second for their hooks and two for their processes.",
		Pod:    fixtures.Pod(8, inOnePod(all)...),
		Faults: []trial.Fault{trial.DeleteWithin(0)}, Lasts: 11 * time.Second,
		Claims: claims.DeletedAtOnce,
	}
	for _, w := range all {
		mistakes := w.mistakes(1)
		if w.hook == nil || !w.hook.Hang { // a hook that hangs uses up any grace period
			mistakes = append(mistakes, formula.SpecGrace)
		}
		signs := w.signs(trial.Injected, formula.KillStart)
		if w.hook != nil {
			began := slices.Concat(signs[:1], signs[2:]) // before, no hook was run
			signs = append(claims.Needing(formula.HookSubtractedLast, began), signs[1])
		}
		t.Claims = slices.Concat(t.Claims, signs, w.end(mistakes...))
	}
	return t
}

func deadlineEveryWay() trial.Trial {
	all := ways(1500 * time.Millisecond)
	t := trial.Trial{
		ID:        "termination/deadline-every-way",
		About:     "A pod beyond its activeDeadlineSeconds is killed like a deleted one, and then Failed.",
		Pod:       fixtures.With(fixtures.Pod(5, inOnePod(all)...), fixtures.ActiveDeadline(12)),
		KillCause: formula.ByDeadline,
		Lasts:     25 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.Between(trial.SIGTERM.Of("obeys"), trial.SIGTERM, formula.KilledTogether),
		}, failedAfter(trial.Gone.Of("hangs"))),
	}
	for _, w := range all {
		t.Claims = slices.Concat(
			t.Claims, w.signs(trial.PodStartTime, formula.DeadlineKills), w.end(w.mistakes(5)...), w.code(),
		)
	}
	return t
}

package suites

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// way is one way to take a kill: a container of its own in a pod that shows them all side by side.
type way struct {
	name  string
	obeys bool
	// hook is what its preStop hook does, nil without one; http says that it is served, not run.
	hook *victim.Hook
	http bool
}

// ways are ignoring SIGTERM or obeying it, each without a hook, with one that completes in a time, and with
// one that hangs. Hooks that hang are processes, because a request takes longer than its budget while so
// much else starts; those that complete are requests, so that not four processes start at once.
func ways(takes time.Duration) []way {
	completes, hangs := &victim.Hook{Sleep: takes}, &victim.Hook{Hang: true}
	return []way{
		{name: trial.Main},
		{name: "obeys", obeys: true},
		{name: "completes", hook: completes, http: true},
		{name: "completes-obeys", hook: completes, http: true, obeys: true},
		{name: "hangs", hook: hangs},
		{name: "hangs-obeys", hook: hangs, obeys: true},
	}
}

// container builds the victim.
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

// signs are what must be true of the way from a kill's reason to SIGTERM.
func (w way) signs(reason trial.Point, begins formula.Formula) []trial.Claim {
	if w.hook == nil {
		return []trial.Claim{{Measure: trial.Between(reason, trial.SIGTERM).Of(w.name), Formula: begins}}
	}
	claims := []trial.Claim{
		{Measure: trial.Between(reason, trial.HookBegan).Of(w.name), Formula: begins},
		{Measure: trial.HookRuns().Of(w.name), Formula: formula.HookRuns, Rivals: []formula.Rival{formula.HookNotRun}},
	}
	if w.hook.Hang {
		return append(
			claims,
			trial.Claim{Measure: trial.Between(trial.HookBegan, trial.SIGTERM).Of(w.name), Formula: formula.HookBound},
		)
	}
	return append(
		claims,
		trial.Claim{Measure: trial.Between(trial.HookEnded, trial.SIGTERM).Of(w.name), Formula: formula.HookThenSignal},
	)
}

// rivals are those that would end a process which ignores SIGTERM at another time, by the grace period of its kill.
func (w way) rivals(grace int64) []formula.Rival {
	var rivals []formula.Rival
	if w.hook != nil && grace > 2 {
		rivals = append(rivals, formula.FullGraceAgain)
	}
	if grace < 2 || w.hook != nil && w.hook.Hang {
		rivals = append(rivals, formula.NoMinimum)
	}
	return rivals
}

// end is what must be true of the death after SIGTERM.
func (w way) end(rivals ...formula.Rival) []trial.Claim {
	claims := []trial.Claim{{Measure: trial.StopSignals().Of(w.name), Formula: formula.StopSignals}}
	if w.obeys {
		return append(
			claims,
			trial.Claim{Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(w.name), Formula: formula.ObeyedSignal},
		)
	}
	return append(
		claims,
		trial.Claim{
			Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(w.name),
			Formula: formula.Remainder,
			Rivals:  rivals,
		},
	)
}

// code is what the API must show of the death.
func (w way) code() trial.Claim {
	return trial.Claim{Measure: trial.DeathCode().Of(w.name), Formula: formula.DeathCode}
}

func containers(all []way) []corev1.Container {
	var built []corev1.Container
	for _, w := range all {
		built = append(built, w.container())
	}
	return built
}

// needing are claims with one more change without which they have no meaning.
func needing(c formula.Change, claims []trial.Claim) []trial.Claim {
	held := slices.Clone(claims)
	for i := range held {
		held[i].Needs = append(slices.Clone(held[i].Needs), c)
	}
	return held
}

// wholePods are the causes that kill all containers of a pod side by side, each with all ways to take it.
func wholePods() []trial.Trial {
	return []trial.Trial{byDelete(), byForce(), byDeadline()}
}

func byDelete() trial.Trial {
	all := ways(1500 * time.Millisecond)
	t := trial.Trial{
		ID:    "termination/delete-every-way",
		About: "A delete kills six containers side by side: those that ignore SIGTERM or obey it, without a hook, with one that completes and with one that hangs.",
		Pod:   fixtures.Pod(5, containers(all)...),
		Cues:  []trial.Cue{trial.Delete()},
		Lasts: 16 * time.Second,
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.SIGTERM.Of("obeys"), trial.SIGTERM), Formula: formula.KilledTogether},
			{Measure: trial.Between(trial.Gone.Of("hangs"), trial.ObjectDeleted), Formula: formula.ObjectDeleted},
		},
	}
	for _, w := range all {
		t.Claims = slices.Concat(
			t.Claims,
			w.signs(trial.Cued, formula.KillStart),
			w.end(w.rivals(5)...),
			[]trial.Claim{w.code()},
		)
	}
	return t
}

func byForce() trial.Trial {
	all := ways(300 * time.Millisecond)
	t := trial.Trial{
		ID:     "termination/force-every-way",
		About:  "A force delete leaves six containers a second for their hooks and two for themselves, whether they take them or not.",
		Pod:    fixtures.Pod(8, containers(all)...),
		Cues:   []trial.Cue{trial.DeleteWithin(0)},
		Lasts:  11 * time.Second,
		Claims: slices.Clone(deletedAtOnce),
	}
	for _, w := range all {
		rivals := w.rivals(1)
		if w.hook == nil || !w.hook.Hang { // a hook that hangs takes up any grace period
			rivals = append(rivals, formula.SpecGrace)
		}
		signs := w.signs(trial.Cued, formula.KillStart)
		if w.hook != nil {
			signs = needing(formula.HookSubtractedLast, signs) // before, no hook was run
		}
		t.Claims = slices.Concat(t.Claims, signs, w.end(rivals...))
	}
	return t
}

func byDeadline() trial.Trial {
	all := ways(1500 * time.Millisecond)
	t := trial.Trial{
		ID:        "termination/deadline-every-way",
		About:     "A pod whose activeDeadlineSeconds are over is killed like a deleted one, with its whole grace period, and is Failed afterwards.",
		Pod:       fixtures.With(fixtures.Pod(5, containers(all)...), fixtures.ActiveDeadline(12)),
		KillCause: formula.ByDeadline,
		Lasts:     25 * time.Second,
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.SIGTERM.Of("obeys"), trial.SIGTERM), Formula: formula.KilledTogether},
			{
				Measure: trial.Between(trial.Gone.Of("hangs"), trial.Phase("Failed")),
				Formula: formula.PhaseAfterDeath,
				Needs:   []formula.Change{formula.TerminalPhaseLast},
			},
		},
	}
	for _, w := range all {
		t.Claims = slices.Concat(
			t.Claims,
			w.signs(trial.PodStartTime, formula.DeadlineKills),
			w.end(w.rivals(5)...),
			[]trial.Claim{w.code()},
		)
	}
	return t
}

// singleContainers are the causes that kill one container within a sync, in the pod that lives on.
func singleContainers() []trial.Trial {
	return slices.Concat(byProbe(), byPostStart(), byImageChange())
}

func byProbe() []trial.Trial {
	probe := func(kind string, w way, grace int64, what, about string) trial.Trial {
		p := fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1}
		run := victim.Run{Term: victim.Ignore}
		option, cause := fixtures.Liveness(p), formula.ByLiveness
		run.Liveness = "F"
		if kind == victim.Startup {
			option, cause = fixtures.Startup(p), formula.ByStartup
			run.Liveness, run.Startup = "", "F"
		}
		if w.obeys {
			run = obeying(run)
		}
		options := []fixtures.Option{option}
		if w.hook != nil {
			options = append(options, fixtures.ExecPreStop(*w.hook))
		}
		t := trial.Trial{
			ID:        "termination/" + kind + "-" + what,
			About:     about,
			Labels:    []string{kind},
			KillCause: cause,
			Pod:       fixtures.Pod(grace, fixtures.Victim(run, options...)),
			Lasts:     time.Duration(max(2, grace)+7) * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{{Measure: trial.FailingProbes(kind, 1), Formula: formula.FailingProbes}},
				w.end(w.rivals(grace)...),
			),
		}
		if w.hook != nil {
			t.Claims = append(t.Claims, trial.Claim{Measure: trial.HookRuns(), Formula: formula.HookRuns})
		}
		switch {
		case w.hook == nil || grace <= 0:
		case w.hook.Hang:
			t.Claims = append(t.Claims, hookHangs...)
		default:
			t.Claims = append(t.Claims, hookCompletes...)
		}
		return t
	}
	completes, hangs := &victim.Hook{Sleep: 1500 * time.Millisecond}, &victim.Hook{Hang: true}
	return []trial.Trial{
		probe(
			victim.Liveness,
			way{name: trial.Main, hook: hangs},
			4,
			"hook-hangs",
			"A liveness probe's kill waits for a hook that hangs until the grace period is over, then leaves two seconds.",
		),
		probe(
			victim.Liveness,
			way{name: trial.Main, hook: completes, obeys: true},
			10,
			"hook-then-obeys",
			"A container that obeys a liveness probe's kill is gone when its hook has ended.",
		),
		probe(
			victim.Liveness,
			way{name: trial.Main, hook: hangs, obeys: true},
			3,
			"hook-hangs-obeys",
			"A hook that hangs keeps a container that would obey until the grace period of a liveness probe's kill is over, not longer.",
		),
		probe(
			victim.Liveness,
			way{name: trial.Main, hook: completes},
			0,
			"no-grace",
			"A liveness probe's kill without grace skips the hook and leaves two seconds.",
		),
		probe(
			victim.Liveness,
			way{name: trial.Main, hook: completes},
			-5,
			"negative-grace",
			"A negative grace period of a pod is stored as one second, so a liveness probe's kill gives the hook one second and the process two.",
		),
		probe(
			victim.Startup,
			way{name: trial.Main, hook: completes},
			6,
			"hook",
			"A startup probe's kill runs the hook, whose time is part of the grace period.",
		),
		probe(
			victim.Startup,
			way{name: trial.Main, hook: hangs, obeys: true},
			3,
			"hook-hangs-obeys",
			"A hook that hangs keeps a container that would obey until the grace period of a startup probe's kill is over, not longer.",
		),
	}
}

func byPostStart() []trial.Trial {
	failing := func(w way, grace int64, what, about string) trial.Trial {
		run := victim.Run{Term: victim.Ignore}
		if w.obeys {
			run = obeying(run)
		}
		options := []fixtures.Option{fixtures.ExecPostStart(victim.Hook{Sleep: 500 * time.Millisecond, ExitCode: 1})}
		if w.hook != nil {
			options = append(options, fixtures.ExecPreStop(*w.hook))
		}
		return trial.Trial{
			ID:        "termination/" + what,
			About:     about,
			KillCause: formula.ByPostStart,
			Pod:       fixtures.Pod(grace, fixtures.Victim(run, options...)),
			Lasts:     time.Duration(grace+4) * time.Second,
			Claims: slices.Concat(
				w.signs(trial.PostStartEnded, formula.PostStartKills),
				w.end(w.rivals(grace)...),
				[]trial.Claim{
					{
						Measure: trial.Between(trial.PostStartEnded, trial.Event("FailedPostStartHook")),
						Formula: formula.PostStartEvent,
					},
				},
			),
		}
	}
	return []trial.Trial{
		failing(
			way{name: trial.Main},
			4,
			"post-start-fails",
			"A container whose postStart hook fails is killed at once, with the pod's whole grace period.",
		),
		failing(
			way{name: trial.Main, hook: &victim.Hook{Hang: true}},
			3,
			"post-start-fails-hook-hangs",
			"The kill after a failed postStart hook runs the preStop hook, and waits for it as any other kill does.",
		),
		failing(
			way{name: trial.Main, hook: &victim.Hook{Sleep: 1500 * time.Millisecond}, obeys: true},
			10,
			"post-start-fails-obeys",
			"A container that obeys the kill after a failed postStart hook is gone when its preStop hook has ended.",
		),
	}
}

func byImageChange() []trial.Trial {
	changed := func(w way, grace int64, what, about string) trial.Trial {
		return trial.Trial{
			ID: "termination/" + what, About: about, KillCause: formula.ByChange,
			Pod:    fixtures.Pod(grace, w.container()),
			Cues:   []trial.Cue{{Action: trial.SetImage, After: 3 * time.Second}},
			Lasts:  time.Duration(grace+8) * time.Second,
			Claims: slices.Concat(w.signs(trial.Cued, formula.ChangeKills), w.end(w.rivals(grace)...)),
		}
	}
	return []trial.Trial{
		changed(
			way{name: trial.Main},
			4,
			"image-change",
			"A container whose image is changed is killed with the pod's whole grace period.",
		),
		changed(
			way{name: trial.Main, hook: &victim.Hook{Sleep: 1500 * time.Millisecond}},
			6,
			"image-change-hook",
			"The hook's time is part of the grace period when a container's image is changed, too.",
		),
		changed(
			way{name: trial.Main, hook: &victim.Hook{Hang: true}, obeys: true},
			3,
			"image-change-hook-hangs-obeys",
			"A hook that hangs keeps a container whose image is changed until its grace period is over, not longer.",
		),
	}
}

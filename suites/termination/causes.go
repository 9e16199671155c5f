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

func singleContainers() []trial.Trial {
	return []trial.Trial{
		byProbe(victim.Liveness, "hook-hangs", 4, ignores(hangs),
			"A liveness probe's kill waits for a hook that hangs until the grace period is over. "+
				"Then it leaves two seconds."),
		byProbe(victim.Liveness, "hook-then-obeys", 10, obeys(completes),
			"A container that obeys a liveness probe's kill is gone when its hook has ended."),
		byProbe(victim.Liveness, "hook-hangs-obeys", 3, obeys(hangs),
			"A hook that hangs delays the end of an obeying container until the grace period "+
				"of a liveness probe's kill is over, not longer."),
		byProbe(victim.Liveness, "no-grace", 0, ignores(completes),
			"A liveness probe's kill without a grace period skips the hook and leaves two seconds."),
		byProbe(victim.Liveness, "negative-grace", -5, ignores(completes),
			"A pod's negative grace period is stored as one second. "+
				"A liveness probe's kill leaves the hook one second and the process two."),
		byProbe(victim.Startup, "hook", 6, ignores(completes),
			"A startup probe's kill runs the hook, whose time is part of the grace period."),
		byProbe(victim.Startup, "hook-hangs-obeys", 3, obeys(hangs),
			"A hook that hangs delays the end of an obeying container until the grace period "+
				"of a startup probe's kill is over, not longer."),
		byPostStart("", 4, ignores(nil),
			"A container whose postStart hook fails is killed at once, with the pod's whole grace period."),
		byPostStart("-hook-hangs", 3, ignores(hangs),
			"The kill after a failed postStart hook runs the preStop hook and waits for it like any other kill."),
		byPostStart("-obeys", 10, obeys(completes),
			"A container that obeys the kill after a failed postStart hook is gone when its preStop hook has ended."),
		byImageChange("", 4, ignores(nil),
			"A container whose image is changed is killed with the pod's whole grace period. "+
				"It starts with the new one, although its restartPolicy is Never."),
		byImageChange("-hook", 6, ignores(completes),
			"If a container's image is changed, the hook's time is part of the grace period."),
		byImageChange("-hook-hangs-obeys", 3, obeys(hangs),
			"A hook that hangs delays the end of a container whose image is changed "+
				"until its grace period is over, not longer."),
	}
}

// victimOf returns a main process of a way, and its options.
func (w way) victimOf(options ...fixtures.Option) (victim.Run, []fixtures.Option) {
	run := victim.Run{Term: victim.Ignore}
	if w.obeys {
		run.Term = victim.ExitNow
	}
	if w.hook != nil {
		options = append(options, fixtures.ExecPreStop(*w.hook))
	}
	return run, options
}

func byProbe(kind, what string, grace int64, w way, about string) trial.Trial {
	option, cause := fixtures.Liveness(atOnce), formula.ByLiveness
	if kind == victim.Startup {
		option, cause = fixtures.Startup(atOnce), formula.ByStartup
	}
	run, options := w.victimOf(option)
	if kind == victim.Startup {
		run.Startup = "F"
	} else {
		run.Liveness = "F"
	}
	t := trial.Trial{
		ID:        "termination/" + kind + "-" + what,
		About:     about,
		Labels:    []string{kind},
		KillCause: cause,
		Pod:       fixtures.Single(grace, run, options...),
		Lasts:     time.Duration(max(2, grace)+7) * time.Second,
		Claims: slices.Concat(
			[]trial.Claim{claims.New(trial.FailingProbes(kind, 1), formula.FailingProbes)}, w.end(w.mistakes(grace)...),
		),
	}
	if w.hook != nil {
		t.Claims = append(t.Claims, claims.New(trial.HookRuns(), formula.HookRuns))
	}
	switch {
	case w.hook == nil || grace <= 0:
	case w.hook.Hang:
		t.Claims = append(t.Claims, hookHangs...)
	default:
		t.Claims = append(t.Claims, claims.HookCompletes...)
	}
	return t
}

func byPostStart(what string, grace int64, w way, about string) trial.Trial {
	run, options := w.victimOf(fixtures.ExecPostStart(victim.Hook{Sleep: 500 * time.Millisecond, ExitCode: 1}))
	t := trial.Trial{
		ID:        "termination/post-start-fails" + what,
		About:     about,
		KillCause: formula.ByPostStart,
		Pod:       fixtures.Single(grace, run, options...),
		Lasts:     time.Duration(grace+6) * time.Second,
		Claims: slices.Concat(
			w.signs(trial.PostStartEnded, formula.PostStartKills), w.end(w.mistakes(grace)...), []trial.Claim{
				claims.Between(trial.PostStartEnded, trial.Event("FailedPostStartHook"), formula.PostStartEvent),
			},
		),
	}
	if w.hook == nil {
		again := claims.Between(trial.PostStartEnded.Life(2), trial.SIGTERM.Life(2), formula.PostStartKills)
		t.Claims = append(t.Claims, again)
	}
	return t
}

func byImageChange(what string, grace int64, w way, about string) trial.Trial {
	return trial.Trial{
		ID:        "termination/image-change" + what,
		About:     about,
		KillCause: formula.ByChange,
		Pod:       fixtures.With(fixtures.Pod(grace, w.container()), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Faults:    []trial.Fault{{Action: trial.SetImage, After: 3 * time.Second}},
		Lasts:     time.Duration(grace+8) * time.Second,
		Claims: slices.Concat(w.signs(trial.Injected, formula.ChangeKills), w.end(w.mistakes(grace)...), []trial.Claim{
			claims.Between(trial.Gone, trial.Started.Life(2), formula.ChangeStarts),
		}),
	}
}

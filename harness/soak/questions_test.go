package soak

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// question is what a user asks about one container of a scenario: the timelines of one cause and variant.
type question struct {
	container string
	cause     formula.Cause
	variant   string
	// options and runsFor are the flags that the question needs: of the delete, and of a crash loop.
	options []int64
	runsFor time.Duration
	// zero is between these two points. They differ if the scenario does not fix the moment, as that of a fault between
	// two probes.
	zero [2]trial.Point
	// life is the life of the container that the timelines call the first, 0 for 1, probe the number of its first
	// failing probe.
	life, probe int
	// lives is how many lives the scenario has as the timelines say.
	lives int
	// unmarked is set if nothing shows when the container's hook begins: it only sleeps, or its binary is missing.
	unmarked bool
	// until is the last step that the scenario leaves alone, or empty.
	until string
}

const fromStart = "from its start"

// unasked are the families about which nothing is asked, each with the reason.
var unasked = map[string]string{
	"sleeper":      "a process that ends by itself during its hook, which no prediction has",
	"probe-errors": "a probe that cannot be carried out, which no spec shows",
	"race":         "a second delete in a race with the first; a prediction begins with one request",
	"in-turn": "two containers that fail from their start; a prediction of both begins with the fault of healthy " +
		"ones",
}

// questions returns what a scenario answers.
func questions(t trial.Trial, tl *timeline.Timeline) []question {
	at := func(p trial.Point) [2]trial.Point { return [2]trial.Point{p, p} }
	own := question{container: trial.Main, cause: t.KillCause, zero: at(trial.Started), lives: 1}
	family := strings.TrimPrefix(t.ID, prefix)
	switch family {
	case "delete":
		return deletes(t)
	case "sidecars":
		if t.KillCause != formula.ByCompletion {
			return deletes(t)
		}
		var all []question
		for _, c := range t.Pod.Spec.InitContainers {
			q := own
			q.container, q.zero = c.Name, at(trial.Gone)
			all = append(all, q)
		}
		return all
	case "probe-kill", "collision":
		own.variant = fromStart
		if family == "collision" { // the delete decides what follows
			own.until = predict.Death
			return []question{own}
		}
		if t.Pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
			return []question{own}
		}
		own.lives = 2
		loop := own
		loop.cause, loop.variant, loop.lives = predict.Looping, string(t.KillCause), endless
		return []question{own, loop}
	case "crash-loop", "restart-rule", "new-image", "ends", "init":
		if t.KillCause == formula.ByRestartAll {
			own.variant, own.zero = "by leader", at(trial.Gone.Of("leader"))
			leader := own
			leader.container = "leader"
			return []question{own, leader}
		}
		return crashes(t, tl)
	case "single-kill":
		own.zero = at(trial.PostStartEnded)
		if t.KillCause == formula.ByChange {
			own.zero = at(trial.Cued)
		}
		return []question{own}
	case "deadline":
		own.zero = at(trial.PodStartTime)
		var all []question
		for _, c := range t.Pod.Spec.Containers {
			own.container = c.Name
			all = append(all, own)
		}
		return all
	case "startup":
		own.cause = predict.Starting
		return []question{own}
	case "readiness":
		own.cause = predict.Starting
		broken, first := own, faultBefore(tl, victim.Readiness, trial.NoCondition("Ready"))
		broken.cause, broken.until = predict.Unreadying, predict.Unready
		if first < 2 {
			return []question{own}
		}
		broken.fails(victim.Readiness, first)
		return []question{own, broken}
	case "script", "mixed-loop":
		first := faultBefore(tl, victim.Liveness, trial.SIGTERM)
		switch {
		case first == 1:
			own.variant = fromStart
		case first > 1:
			own.variant = "once healthy"
			own.fails(victim.Liveness, first)
		default:
			return nil
		}
		return []question{own}
	}
	if unasked[family] == "" {
		panic("nothing says what to ask about the family " + family) // the hunt reports it
	}
	return nil
}

// fails sets zero between a probe and the one before it.
func (q *question) fails(kind string, n int) {
	q.probe, q.zero = n, [2]trial.Point{trial.NthProbe(kind, n-1), trial.NthProbe(kind, n)}
}

// endless is more lives than any timeline has.
const endless = 1000

// faultBefore returns the number of the first probe of the streak of failures of the first life before a point, 0 if
// the point or the streak did not come.
func faultBefore(tl *timeline.Timeline, kind string, until trial.Point) int {
	end, life := until.In(tl), tl.Life(trial.Main, 1)
	if end == nil || life == nil {
		return 0
	}
	n, first := 0, 0
	for _, p := range life.Probes {
		if p.For != kind || p.At.At > end.At {
			continue
		}
		n++
		switch {
		case !timeline.Fails(p.Answer):
			first = 0
		case first == 0:
			first = n
		}
	}
	return first
}

func deletes(t trial.Trial) (all []question) {
	for _, c := range containerNames(t) {
		if c == "crasher" {
			continue // at the delete it may wait for a restart
		}
		q := question{container: c, cause: formula.ByDelete, lives: 1, zero: [2]trial.Point{trial.Cued, trial.Cued}}
		if g := t.Cues[0].GracePeriodSeconds; g != nil {
			q.options, q.variant = []int64{*g}, predict.WithGrace(*g)
		}
		if len(t.Cues) > 1 { // a later request can remove the object
			q.until = predict.Death
		}
		all = append(all, q)
	}
	return all
}

func crashes(t trial.Trial, tl *timeline.Timeline) (all []question) {
	for _, name := range containerNames(t) {
		run, err := victim.ParseRun(container(t.Pod, name).Args)
		if err != nil || len(run.ExitAfter) == 0 {
			continue
		}
		q := question{container: name, cause: predict.Crashing, runsFor: run.ExitAfter[0]}
		q.zero = [2]trial.Point{trial.Gone.Of(name), trial.Gone.Of(name)}
		c := container(t.Pod, name)
		if len(c.RestartPolicyRules) > 0 {
			q.variant = "with an exit code for which a rule restarts it"
		}
		for _, l := range tl.Containers[name].Lives {
			if l.Gone != nil && (len(t.Cues) == 0 || t.Cues[0].Action != trial.SetImage || l.Gone.At < cueAt(tl)) {
				q.lives++
			}
		}
		waited := len(t.Cues) > 0 && t.Cues[0].Action == trial.SetImage
		if waited {
			q.lives-- // the new image ends the wait after its last life
		}
		never := podspec.NeverRestarted(t.Pod, &c)
		succeeds := run.ExitCodeIn(q.lives) == 0
		if q.lives == 0 {
			continue
		}
		if succeeds && (isInit(t.Pod, name) || t.Pod.Spec.RestartPolicy != corev1.RestartPolicyAlways) {
			done := q
			done.cause, done.runsFor, done.zero = predict.Completing, 0, [2]trial.Point{
				trial.Gone.Of(name).Life(q.lives), trial.Gone.Of(name).Life(q.lives)}
			all = append(all, done)
			q.lives-- // the last life is not followed by another
			if never || q.lives == 0 {
				continue
			}
		}
		if len(c.RestartPolicyRules) > 0 {
			q.lives-- // the last code is not one of the rule
		}
		all = append(all, q)
	}
	return all
}

func cueAt(tl *timeline.Timeline) int64 {
	if at := trial.Cued.In(tl); at != nil {
		return at.At
	}
	return tl.Known
}

func containerNames(t trial.Trial) (names []string) {
	for _, c := range t.Pod.Spec.Containers {
		names = append(names, c.Name)
	}
	for _, c := range t.Pod.Spec.InitContainers {
		names = append(names, c.Name)
	}
	return names
}

// point returns the point of a step, and whether the scenario answers for it.
func (q question) point(s predict.Step, tl *timeline.Timeline) (p trial.Point, covered bool) {
	id := s.ID
	if s.Life > 1 {
		id = strings.TrimSuffix(id, fmt.Sprintf("-%d", s.Life))
	}
	lives := q.lives
	if id == predict.Start {
		lives++ // of the next life
	}
	after := q.until == predict.Death && (id == predict.Start || id == predict.Deleted) ||
		q.until == predict.Unready && s.ID == predict.Ready
	if s.Life > lives || after || s.Rule() == nil && s.Implemented.Terms[0].Name == "assumed" {
		return p, false
	}
	kind := string(q.cause)
	if q.cause == predict.Looping {
		kind = q.variant
	}
	switch id {
	case predict.HookBegan:
		p = trial.HookBegan
		if q.unmarked {
			return p, false
		}
	case predict.SIGTERM:
		p = trial.SIGTERM
	case predict.Death:
		p = trial.Gone
	case predict.Start:
		p = trial.Started
	case predict.FirstProbe:
		if p = trial.FirstProbe(kind); q.probe > 0 {
			p = trial.NthProbe(kind, q.probe)
		}
	case predict.LastProbe:
		p = trial.LastProbe(kind)
	case predict.CrashLooping:
		p = trial.Waiting("CrashLoopBackOff")
	case predict.StartupFirst:
		p = trial.FirstProbe(victim.Startup)
	case victim.Liveness + "-" + predict.FirstProbe:
		p = trial.FirstProbe(victim.Liveness)
	case victim.Readiness + "-" + predict.FirstProbe:
		p = trial.FirstProbe(victim.Readiness)
	case "next-start":
		return trial.Started, true
	case "first-start":
		return trial.Started.Life(2), true
	case "event-failedpoststarthook":
		return trial.Event("FailedPostStartHook"), true
	case predict.Ready:
		return trial.Condition("Ready"), true
	case predict.Unready:
		return trial.NoCondition("Ready"), true
	case predict.Failed:
		return trial.Phase("Failed"), endsLast(tl, q.container)
	case predict.Succeeded:
		return trial.Phase("Succeeded"), endsLast(tl, q.container)
	case predict.Deleted:
		return trial.ObjectDeleted, s.Formula == formula.ObjectForced.ID || endsLast(tl, q.container)
	default:
		return p, false
	}
	return p.Of(q.container).Life(s.Life), true
}

// evenLives makes all lives of a container that ends by itself as long as the first.
func evenLives(t trial.Trial) trial.Trial {
	t.Pod = t.Pod.DeepCopy()
	for _, containers := range [][]corev1.Container{t.Pod.Spec.Containers, t.Pod.Spec.InitContainers} {
		for i := range containers {
			run, err := victim.ParseRun(containers[i].Args)
			if err != nil || len(run.ExitAfter) < 2 || run.ExitAfter[0] < 0 {
				continue
			}
			for n, d := range run.ExitAfter {
				if d >= 0 {
					t.Lasts += max(0, run.ExitAfter[0]-d)
					run.ExitAfter[n] = run.ExitAfter[0]
				}
			}
			containers[i].Args = run.Args()
		}
	}
	return t
}

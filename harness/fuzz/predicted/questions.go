package predicted

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/promises"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// question is what a user asks about one container of a scenario: the timelines of one cause and variant.
type question struct {
	pod       *corev1.Pod
	container string
	cause     formula.Cause
	variant   string
	// or begins another variant, if the scenario does not decide which of the two it plays. It plays that one if last
	// is set.
	or   string
	last bool
	// assumes is the only assumption that the scenario plays, if set.
	assumes string
	// factsOf is the container whose facts count, if another one.
	factsOf string
	// options and runsFor are the flags that the question needs: of the delete, and of a crash loop.
	options []int64
	runsFor time.Duration
	// zero is between these two points. They differ if the scenario does not fix the moment, as that of a fault between
	// two probes.
	zero [2]trial.Point
	// probe is the number of the first failing probe, 0 for 1.
	probe int
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
	"in-turn":      "two containers that fail from their start; the family \"together\" has healthy ones",
	"any-moment":   "a delete at a chance moment; a prediction begins with a pod that runs, or starts",
}

// questions returns what a scenario answers.
func questions(t trial.Trial, tl *timeline.Timeline) []question {
	at := func(p trial.Point) [2]trial.Point { return [2]trial.Point{p, p} }
	own := question{pod: t.Pod, container: trial.Main, cause: t.KillCause, zero: at(trial.Started), lives: 1}
	family := scenario.Family(t)
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
			own.until = lifecycle.Gone
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
			leader.container, leader.factsOf = "leader", trial.Main
			return []question{own, leader}
		}
		return crashes(t, tl)
	case "single-kill":
		own.zero = at(trial.PostStartEnded)
		if t.KillCause == formula.ByChange {
			own.zero = at(trial.Injected)
		}
		return []question{own}
	case "deadline":
		own.zero = at(trial.PodStartTime)
		return ofAll(t, own)
	case "startup":
		own.cause, own.assumes = predict.Starting, startsAs(container(t.Pod, trial.Main))
		return []question{own}
	case "evicted":
		own.zero = at(trial.Filled)
		if t.KillCause == formula.ByStorageLimit {
			own.variant = "of volumes"
			if len(t.Pod.Spec.Volumes) == 0 {
				own.variant = "of a container's layer"
			}
		}
		return ofAll(t, own)
	case "tainted":
		own.cause, own.variant, own.zero = predict.ByTaint, trial.TaintKey, at(trial.Injected)
		return ofAll(t, own)
	case "shut-down", "preempted":
		own.zero = at(trial.Injected)
		return ofAll(t, own)
	case "together":
		return failingTogether(t, own, tl)
	case "readiness":
		own.cause = predict.Starting
		broken, first := own, faultBefore(tl, victim.Readiness, trial.NoCondition("Ready"))
		broken.cause, broken.until = predict.Unreadying, lifecycle.Unready
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
		panic("nothing says what to ask about the family " + family) // the campaign reports it
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
	for _, c := range containerNames(t.Pod) {
		if c == "crasher" {
			continue // at the delete it may wait for a restart
		}
		q := question{pod: t.Pod, container: c, cause: formula.ByDelete, lives: 1}
		q.zero = [2]trial.Point{trial.Injected, trial.Injected}
		if g := t.Faults[0].GracePeriodSeconds; g != nil {
			q.options, q.variant = []int64{*g}, predict.WithGrace(*g)
		}
		if len(t.Faults) > 1 { // a later request can remove the object
			q.until = lifecycle.Gone
		}
		all = append(all, q)
	}
	return all
}

func crashes(t trial.Trial, tl *timeline.Timeline) (all []question) {
	for _, name := range containerNames(t.Pod) {
		run, err := victim.ParseRun(container(t.Pod, name).Args)
		if err != nil || len(run.ExitAfter) == 0 {
			continue
		}
		q := question{pod: t.Pod, container: name, cause: predict.Crashing, runsFor: run.ExitAfter[0]}
		q.zero = [2]trial.Point{trial.Gone.Of(name), trial.Gone.Of(name)}
		c := container(t.Pod, name)
		if len(c.RestartPolicyRules) > 0 {
			q.variant = "with an exit code for which a rule restarts it"
		}
		for _, l := range tl.Containers[name].Lives {
			if l.Gone != nil && (len(t.Faults) == 0 || t.Faults[0].Action != trial.SetImage ||
				l.Gone.At < faultAt(tl)) {
				q.lives++
			}
		}
		waited := len(t.Faults) > 0 && t.Faults[0].Action == trial.SetImage
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

func faultAt(tl *timeline.Timeline) int64 {
	if at := trial.Injected.In(tl); at != nil {
		return at.At
	}
	return tl.Known
}

// ofAll asks the same about every container.
func ofAll(t trial.Trial, q question) (all []question) {
	for _, q.container = range containerNames(t.Pod) {
		all = append(all, q)
	}
	return all
}

// failingTogether asks about containers whose probes begin to fail between the last of their successes and the first of
// their failures.
func failingTogether(t trial.Trial, q question, tl *timeline.Timeline) (all []question) {
	q.variant, q.or = "once healthy", "together with "
	last := int64(0)
	for i, c := range t.Pod.Spec.Containers {
		run, _ := victim.ParseRun(c.Args)
		q.probe = 2 + strings.LastIndexByte(strings.Split(string(run.Liveness), "/")[0], byte(victim.Succeed))
		before := trial.NthProbe(victim.Liveness, q.probe-1).Of(c.Name)
		at := trial.NthProbe(victim.Liveness, q.probe).Of(c.Name)
		from, to, killed := before.In(tl), at.In(tl), trial.SIGTERM.Of(c.Name).In(tl)
		if from == nil || to == nil || killed == nil {
			return nil
		}
		if i == 0 || from.At > q.zero[0].In(tl).At {
			q.zero[0] = before
		}
		if i == 0 || to.At < q.zero[1].In(tl).At {
			q.zero[1] = at
		}
		last = max(last, killed.At)
	}
	for _, q := range ofAll(t, q) {
		q.last = trial.SIGTERM.Of(q.container).In(tl).At == last
		all = append(all, q)
	}
	return all
}

// startsAs returns the assumption that a container's start plays, if any: its startup probe succeeds the first time, or
// the last time, without an answer before.
func startsAs(c corev1.Container) string {
	run, err := victim.ParseRun(c.Args)
	if err != nil || c.StartupProbe == nil {
		return ""
	}
	switch fails := strings.IndexByte(string(run.Startup), byte(victim.Succeed)); {
	case fails == 0:
		return "shortest"
	case fails == int(c.StartupProbe.FailureThreshold)-1 && run.Startup.Has(victim.Hang):
		return "longest"
	}
	return ""
}

// about reports whether the question is about a timeline.
func (q question) about(l predict.Timeline) bool {
	return l.Cause == q.cause && (l.Variant == q.variant || q.or != "" && strings.HasPrefix(l.Variant, q.or)) &&
		(q.assumes == "" || l.Assumes.Name == q.assumes)
}

// exactly returns the timelines that a container with this behaviour plays.
func (q question) exactly(all []predict.Timeline, run victim.Run) []predict.Timeline {
	hangs := run.Liveness.Has(victim.Hang) || run.Startup.Has(victim.Hang)
	return slices.DeleteFunc(all, func(l predict.Timeline) bool {
		switch {
		case q.cause == predict.Starting:
			return false
		case q.or != "":
			return q.last && hangs && l.Variant == q.variant
		}
		return l.Assumes.ProbeHangs != hangs && q.cause != predict.Looping
	})
}

// answer returns the numbers of the sentences that answer the question, as one timeline.
func (q question) answer(a predict.Answers) predict.Timeline {
	l := predict.Timeline{ID: "answer", Cause: q.cause, Variant: q.variant, Begins: "its zero"}
	add := func(point string, life int, at predict.Span) {
		w, id := formula.Window{Terms: []formula.Term{{Name: "answer"}}}, point
		if life > 1 {
			id = fmt.Sprintf("%s-%d", point, life)
		}
		p := predict.Predicted{Implemented: w}
		l.Steps = append(l.Steps, predict.Step{ID: id, Point: point, Life: life, At: at, Predicted: p})
	}
	for _, k := range a.Kills {
		if q.or == "" && k.Cause == q.cause && k.Variant == q.variant {
			add(lifecycle.SIGTERM, 1, k.SIGTERM)
			add(lifecycle.Gone, 1, k.Dead)
			if k.Restarted != nil {
				add(lifecycle.Started, 2, *k.Restarted)
			}
		}
	}
	from := map[string]string{fromStart: predict.FromStart, "once healthy": predict.FromFault}[q.variant]
	if q.or != "" {
		from = predict.FromFaults
	}
	for _, r := range a.Restarts {
		if r.Probe == string(q.cause) && r.From == from {
			add(lifecycle.SIGTERM, 1, r.Signalled)
			if r.Restarted != nil {
				add(lifecycle.Started, 2, *r.Restarted)
			}
		}
	}
	var loop []predict.Restart
	if q.cause == predict.Crashing {
		loop = a.CrashLoop
	}
	for _, p := range a.ProbeLoops {
		if q.cause == predict.Looping && p.Probe == q.variant {
			loop = p.Restarts
		}
	}
	for _, r := range loop {
		add(lifecycle.Started, r.Number+1, r.Since)
	}
	return l
}

// ends reports whether the question's cause ends the container, and the scenario leaves what follows alone.
func (q question) ends() bool {
	return q.until == "" && q.cause != predict.Starting && q.cause != predict.Unreadying
}

// measure returns how a value is measured, and whether the scenario answers for it.
func (q question) measure(v predict.Value) (m trial.Measure, covered bool) {
	switch m, covered = promises.Measure(q.pod, q.container, v); {
	case strings.HasPrefix(v.ID, "failing-probes"):
		return m, max(1, v.Input().Life) <= q.lives
	case v.ID == "hook-runs":
		return m, !q.unmarked
	case v.ID == "exit-code":
		// The kubelet may lose the exit code of a pod that it ends ([formula.LostCode]).
		return m, q.cause == formula.ByDelete || q.lives > 1
	case v.ID == "starts":
		return m, q.lives == 1
	}
	return m, covered && !strings.HasPrefix(v.ID, "restart-count") // a scenario has fewer lives than a loop
}

// point returns the point of a timeline's step, and whether the scenario answers for it.
func (q question) point(l predict.Timeline, s predict.Step, tl *timeline.Timeline) (p trial.Point, covered bool) {
	lives := q.lives
	if s.Point == lifecycle.Started {
		lives++ // of the next life
	}
	after := q.until == lifecycle.Gone && (s.Point == lifecycle.Started || s.Point == lifecycle.ObjectDeleted) ||
		q.until == lifecycle.Unready && s.ID == lifecycle.Ready
	if s.Life > lives || after {
		return p, false
	}
	switch p, covered = promises.Point(q.pod, q.container, l, s); s.Point {
	case lifecycle.HookBegan:
		return p, !q.unmarked
	case lifecycle.FirstProbe:
		if q.probe > 0 {
			return trial.NthProbe(p.Kind, q.probe).Of(q.container).Life(s.Life), true
		}
	case predict.StartupSuccess:
		return p, q.assumes != ""
	case lifecycle.Failed, lifecycle.Succeeded:
		return p, q.endsLast(tl)
	case lifecycle.ObjectDeleted:
		return p, s.Formula == formula.ObjectForced.ID || q.endsLast(tl)
	}
	return p, covered
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

// facts returns what a question's container does by itself, and the facts of its kill that the command line takes. They
// are alike if they hold for all other containers that the prediction takes them for.
func (q question) facts() (run victim.Run, told predict.Options, alike bool, err error) {
	run, told, err = facts(container(q.pod, cmp.Or(q.factsOf, q.container)))
	others := podspec.WaitsFor(q.pod, q.container)
	if q.or != "" {
		others = containerNames(q.pod)
	}
	alike = true
	for _, name := range others {
		c := container(q.pod, name)
		if q.cause == formula.ByCompletion && !isInit(q.pod, name) {
			continue // its end begins the kill
		}
		_, other, wrong := facts(c)
		hooked := c.Lifecycle != nil && c.Lifecycle.PreStop != nil && c.Lifecycle.PreStop.Sleep == nil
		alike = alike && *other.ExitsAfter == *told.ExitsAfter && (!hooked || *other.HookTakes == *told.HookTakes)
		err = errors.Join(err, wrong)
	}
	return run, told, alike, err
}

// endsLast reports whether no container of the pod lives on after this one's last life.
func (q question) endsLast(tl *timeline.Timeline) bool {
	var own, last int64
	for _, name := range containerNames(q.pod) {
		c := tl.Containers[name]
		if c == nil {
			return false
		}
		for _, l := range c.Lives {
			if l.Gone == nil {
				return false
			}
			last = max(last, l.Gone.At)
			if name == q.container {
				own = max(own, l.Gone.At)
			}
		}
	}
	return own > 0 && own == last
}

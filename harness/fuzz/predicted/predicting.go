// Package predicted predicts the pods of random scenarios from their manifests, as podclock predict does, and compares
// the predictions with what happens. questions.go has what a user would ask about a scenario. The package must not know
// how a result is written.
package predicted

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Runner predicts the pod of every trial from its manifest alone, and finds each step that came outside its predicted
// time, or never. It asks without any facts, and with those that the command line takes (--hook-takes, --exits-after).
// If the claims of a trial do not hold, the outcome is the node's own.
type Runner struct {
	fuzz.Runner
	// predict is predict.All, or a wrong one in a test.
	predict func([]predict.Workload, formula.Kubelet, predict.Options) []predict.Prediction

	mu      sync.Mutex // protects summary
	summary fuzz.Predicted
}

// New returns a runner that predicts what r plays.
func New(r fuzz.Runner) *Runner {
	return &Runner{Runner: r, predict: predict.All, summary: fuzz.Predicted{
		Asked: map[string]int{}, Formulas: map[string]*fuzz.Part{}, Answers: map[string]*fuzz.Part{},
	}}
}

// Summary returns what was compared. No trial may be running.
func (p *Runner) Summary() fuzz.Predicted { return p.summary }

// Run plays a trial and compares it with the predictions. In a crash loop all lives last equally long, because a
// prediction takes one duration.
func (p *Runner) Run(ctx context.Context, t trial.Trial) (trial.Outcome, error) {
	t = evenLives(t)
	o, err := p.Runner.Run(ctx, t)
	if err != nil || o.Verdict != trial.Conforms && o.Verdict != trial.Divergent {
		return o, err
	}
	last := o.Last()
	tl := timeline.Build(last.Evidence, delay.Record{})
	for _, q := range questions(t, tl) {
		misses, err := p.compare(t, q, tl, last.Kubelet)
		if err != nil {
			return o, err
		}
		if len(misses) > 0 {
			o.Verdict, last.Result.Verdict, last.Result.Findings = trial.Deviates, trial.Deviates, misses
			return o, nil
		}
	}
	return o, nil
}

// compare asks for the predictions of a question's container and compares them with a timeline: without facts, with
// one, and with all.
func (p *Runner) compare(
	t trial.Trial, q question, tl *timeline.Timeline, k formula.Kubelet,
) ([]trial.Finding, error) {
	workloads, err := asManifest(t)
	if err != nil {
		return nil, err
	}
	run, told, alike, err := q.facts()
	if err != nil {
		return nil, err
	}
	q.unmarked = unmarked(container(q.pod, q.container))
	asks := []predict.Options{{}}
	if alike {
		asks = append(asks, predict.Options{HookTakes: told.HookTakes}, predict.Options{ExitsAfter: told.ExitsAfter},
			told)
	}
	p.mu.Lock()
	p.summary.Asked[string(q.cause)]++
	p.mu.Unlock()
	var misses []trial.Finding
	for _, o := range asks {
		o.GracePeriodSeconds, o.RunsFor = q.options, q.runsFor
		containers := p.predict(workloads, k, o)[0].Containers
		own := containers[slices.IndexFunc(containers, func(c predict.Container) bool { return c.Name == q.container })]
		all := slices.DeleteFunc(slices.Clone(own.Timelines), func(l predict.Timeline) bool { return !q.about(l) })
		exact := o.HookTakes != nil && o.ExitsAfter != nil
		if exact {
			all = q.exactly(all, run)
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("nothing is predicted of %s for the cause %q, variant %q", q.container, q.cause,
				q.variant)
		}
		misses = slices.Concat(misses, p.check(q, all, tl, exact), p.checkValues(q, all, tl), startsAgain(q, all, tl))
		if q.assumes == "" {
			misses = append(misses, p.check(q, []predict.Timeline{q.answer(own.Answers)}, tl, false)...)
		}
	}
	return misses, nil
}

// check compares the steps of timelines that differ in their assumptions with what happened. Each must lie in the hull
// of its predicted times, and come if all timelines have it.
func (p *Runner) check(
	q question, all []predict.Timeline, tl *timeline.Timeline, exact bool,
) (misses []trial.Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from, to := q.zero[0].In(tl), q.zero[1].In(tl)
	if from == nil || to == nil {
		return nil
	}
	for _, s := range all[len(all)-1].Steps {
		point, covered := q.point(all[len(all)-1], s, tl)
		if !covered {
			continue
		}
		at, always := hullOf(all, s.ID)
		w := formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{
			Name: "predicted", Earliest: int64(at.Earliest), Latest: int64(at.Latest)})
		f := trial.Finding{
			Claim: all[0].ID + " " + s.ID, Formula: "prediction of " + s.ID + " by " + cmp.Or(s.Formula, "the answer"),
			Verdict: trial.Deviates, Implemented: w, Since: from.At,
		}
		e := point.In(tl)
		if e == nil {
			if always && to.At+to.Late+w.Latest < tl.Known {
				f.Why = fmt.Sprintf("%s did not come; it is predicted %s after %s", s.ID, w, all[0].Begins)
				misses = append(misses, f)
			}
			continue
		}
		p.summary.Steps++
		// The timelines hold for every moment between the two points.
		earliest, latest := e.At-e.Early-from.At-from.Late, e.At+e.Late-to.At+to.Early
		if latest < w.Earliest || earliest > w.Latest {
			value := latest
			if earliest > w.Latest {
				value = earliest
			}
			f.Measured = &trial.Measured{Unit: formula.Nanoseconds, Value: value}
			f.Why = fmt.Sprintf("%s came %s after %s; predicted is %s", s.ID, f.Measured.Unit.Format(value),
				all[0].Begins, w)
			misses = append(misses, f)
		}
		if exact && len(all) == 1 {
			p.note(q, all[0], s, tl)
		}
	}
	return misses
}

// hullOf returns the hull of a step's times, and whether all timelines have the step.
func hullOf(all []predict.Timeline, id string) (at predict.Span, always bool) {
	found := 0
	for _, l := range all {
		for _, s := range l.Steps {
			if s.ID != id {
				continue
			}
			if found++; found == 1 {
				at = s.At
			}
			at = predict.Span{Earliest: min(at.Earliest, s.At.Earliest), Latest: max(at.Latest, s.At.Latest)}
		}
	}
	return at, found == len(all)
}

// checkValues compares what the timelines count or read with what happened.
func (p *Runner) checkValues(q question, all []predict.Timeline, tl *timeline.Timeline) (misses []trial.Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range all[0].Values {
		measure, covered := q.measure(v)
		if !covered {
			continue
		}
		m, _ := measure.Read(tl)
		if m == nil {
			continue
		}
		p.summary.Values++
		w := v.Implemented
		for _, l := range all[1:] {
			for _, other := range l.Values {
				if other.ID == v.ID {
					w = formula.EitherOf(w, other.Implemented)
				}
			}
		}
		if !w.Contains(m.Value) {
			misses = append(misses, trial.Finding{
				Claim: all[0].ID + " " + v.ID, Formula: "prediction of " + v.ID + " by " + v.Formula,
				Verdict: trial.Deviates, Implemented: w, Since: m.From, Measured: m,
				Why: fmt.Sprintf("%s: %s; predicted is %s", v.What, m.Unit.Format(m.Value), w),
			})
		}
	}
	return misses
}

// startsAgain finds a later life of a container that is not started again in any of the timelines.
func startsAgain(q question, all []predict.Timeline, tl *timeline.Timeline) []trial.Finding {
	for _, l := range all {
		starts := func(s predict.Step) bool { return s.ID == "first-start" || s.Life > 1 }
		if !q.ends() || slices.ContainsFunc(l.Steps, starts) {
			return nil
		}
	}
	at := trial.Started.Of(q.container).Life(q.lives + 1).In(tl)
	if at == nil {
		return nil
	}
	return []trial.Finding{{
		Claim: all[0].ID + " starts-again", Formula: "prediction of no restart after " + string(q.cause),
		Verdict: trial.Deviates, Implemented: formula.Window{Unit: formula.Nanoseconds}, Since: at.At,
		Why: q.container + " was started again, which is not predicted",
	}}
}

// note notes where a step came in its windows: the one of its formula, counted from the step before it, and the one
// that is predicted, from the timeline's zero. If the moment of zero is open, the window must reach both.
func (p *Runner) note(q question, l predict.Timeline, s predict.Step, tl *timeline.Timeline) {
	point, _ := q.point(l, s, tl)
	e := point.In(tl)
	zero := []*timeline.Instant{q.zero[0].In(tl), q.zero[1].In(tl)}
	before := zero
	if i := slices.IndexFunc(l.Steps, func(b predict.Step) bool { return b.ID == s.After }); i >= 0 {
		before = nil
		if at, covered := q.point(l, l.Steps[i], tl); covered && at.In(tl) != nil {
			before = []*timeline.Instant{at.In(tl)}
		}
	}
	if s.Rule() != nil {
		for _, b := range before {
			place(p.summary.Formulas, s.Formula, bare(s.Implemented), e.At-b.At)
		}
	}
	if s.Life <= 2 {
		at, whose := bareTimes(l)[s.ID], ""
		if podspec.IsSidecar(q.pod, q.container) {
			whose = "sidecar's "
		}
		for _, z := range zero {
			place(p.summary.Answers, fmt.Sprintf("%s%s %s", whose, l.Cause, s.ID), at, e.At-z.At)
		}
	}
}

// asManifest writes a trial's pod as a user would, and reads it again.
func asManifest(t trial.Trial) ([]predict.Workload, error) {
	pod := t.Pod.DeepCopy()
	pod.APIVersion, pod.Kind, pod.Name = "v1", "Pod", trial.Main
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			if containers[i].Image == "" {
				containers[i].Image = "fault" // the lab fills it in
			}
		}
	}
	text, err := yaml.Marshal(pod)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Read(bytes.NewReader(text), t.ID)
	return predict.Workloads(m), err
}

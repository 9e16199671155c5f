package predict

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

func (p predictor) starts() []*draft {
	if p.StartupProbe == nil && p.LivenessProbe == nil && p.ReadinessProbe == nil {
		return nil
	}
	if p.StartupProbe == nil {
		d := p.draft(startTrigger, Assumption{Description: "all probes succeed"})
		p.probed(d, func() reason { return reason{after: lifecycle.Fault, rule: &formula.FirstProbe} },
			reason{after: lifecycle.Fault, rule: &formula.FirstReady})
		return []*draft{d}
	}
	threshold := podspec.Probe(p.StartupProbe).FailureThreshold
	return []*draft{
		p.startsUp(1, Assumption{Name: "shortest", Description: "the startup probe succeeds the first time"}),
		p.startsUp(threshold, Assumption{Name: "longest",
			Description: fmt.Sprintf("the startup probe succeeds at the last of its %d times, without an answer before",
				threshold)}),
	}
}

// The steps that end a start: the first startup probe if it succeeds, or else a later one. The other probes begin then.
const (
	StartupFirst   = podspec.Startup + "-" + lifecycle.FirstProbe
	StartupSuccess = "startup-success"
	LivenessFirst  = podspec.Liveness + "-" + lifecycle.FirstProbe
	ReadinessFirst = podspec.Readiness + "-" + lifecycle.FirstProbe
)

var startTrigger = trigger{id: "start", cause: Starting, begins: "the start of the container"}

// probed draws the first liveness and readiness probes, and when the container is ready. First makes a probe's
// reason from the draft's input.
func (p predictor) probed(d *draft, first func() reason, ready reason) {
	for _, kind := range []string{podspec.Liveness, podspec.Readiness} {
		if podspec.ProbeOf(p.Container.Container, kind) == nil {
			continue
		}
		p.switchProbe(kind, d)
		d.step(kind+"-"+lifecycle.FirstProbe, fmt.Sprintf("the first %s probe arrives", kind), 1, first())
		if kind == podspec.Readiness {
			d.step(lifecycle.Ready, "the API shows the container as ready", 1, ready)
			d.value("ready-after", "successful readiness probes until then", 1, &formula.ReadyAfter)
		}
	}
}

func (p predictor) switchProbe(kind string, d *draft) {
	d.spec, d.inputs = p.input(trigger{probe: kind}), nil
}

// startsUp predicts a start whose startup probe succeeds at the n-th time.
func (p predictor) startsUp(n int, assumed Assumption) *draft {
	d := p.draft(startTrigger, assumed)
	p.switchProbe(podspec.Startup, d)
	first := StartupFirst
	success := first
	d.value("startup-successes", "successful startup probes", 1, &formula.StartupOnce)
	d.step(first, "the first startup probe arrives", 1, reason{after: lifecycle.Fault, rule: &formula.FirstProbe})
	if n > 1 {
		in := d.input(1)
		in.Probe.FailureThreshold = n // the last of these probes succeeds, the others get no answer
		in.Probe.Takes = effective.Seconds(in.Probe.TimeoutSeconds)
		success = StartupSuccess
		d.step(success, "the startup probe succeeds", 1,
			reason{after: first, rule: &formula.FailuresApart, inputs: []formula.Input{in}})
	}
	if p.LivenessProbe != nil {
		d.valueOf(podspec.Liveness, "held-back", "liveness probes before that", &formula.HeldBack)
	}
	started := d.at(success)
	p.probed(d, func() reason {
		early, late := d.input(1), d.input(1)
		early.StartedUp, late.StartedUp = max(0, started.Earliest), started.Latest
		return reason{after: success, rule: &formula.Released, inputs: []formula.Input{early, late}, ordered: true}
	}, reason{after: ReadinessFirst, rule: &formula.ReadyLag})
	return d
}

// crashes predicts a container that ends again and again. One that only its own rules restart may also end for
// good.
func (p predictor) crashes() (all []*draft) {
	t := trigger{id: "crash", cause: Crashing,
		begins: "the first end of the container by itself, in failure"}
	if !p.restarted() {
		all = append(all, p.endsForGood(t))
		restarts := func(r corev1.ContainerRestartRule) bool {
			return r.Action == corev1.ContainerRestartRuleActionRestart
		}
		if !slices.ContainsFunc(p.RestartPolicyRules, restarts) {
			return all
		}
		t.id, t.variant = "crash-by-rule", "with an exit code for which a rule restarts it"
	}
	said := "the container fails as soon as it has started, each time"
	if p.options.RunsFor > 0 {
		said = fmt.Sprintf("the container fails %s after each start", effective.Words(p.options.RunsFor))
	}
	d := p.draft(t, Assumption{Description: said, RunsFor: p.options.RunsFor})
	d.started, d.held = -p.options.RunsFor, p.heldAfter(p.options.RunsFor)
	rules := func(n int) []*formula.Formula {
		if n == 1 {
			return []*formula.Formula{p.restartRule(), &formula.FirstCrash}
		}
		return []*formula.Formula{p.restartRule()}
	}
	p.again(d, rules, func(life int) {
		d.assume(lifecycle.Gone, "the container ends again", life, inLife(lifecycle.Started, life), p.options.RunsFor)
		if life == 2 && p.options.RunsFor <= longRun { // a back-off that is forgotten is not shown
			d.shownAsCrashLoop()
		}
	})
	return append(all, d)
}

// shownAsCrashLoop draws when the API shows CrashLoopBackOff after the second end, on a busy node too.
func (d *draft) shownAsCrashLoop() {
	inputs := d.lived(2)
	for i := range inputs {
		inputs[i].Life = 2
		inputs = append(inputs, inputs[i].Busy())
	}
	d.step(lifecycle.CrashLooping, "the API shows the container as waiting in CrashLoopBackOff", 2,
		reason{after: inLife(lifecycle.Gone, 2), rule: &formula.ShownAsCrashLoop, inputs: inputs})
	d.Steps[len(d.Steps)-1].ID = lifecycle.CrashLooping // no other life has it
}

// restartRule returns one of three formulas, which compute one rule with different documentation and issues.
func (p predictor) restartRule() *formula.Formula {
	switch {
	case p.kubelet.Has(formula.ReducedBackOff):
		return &formula.RestartDelayReduced
	case p.options.RunsFor > longRun:
		return &formula.RestartDelayForgotten
	}
	return &formula.RestartDelay
}

// longRun is the shortest life after which a back-off may be forgotten: ten minutes less the longest back-off.
const longRun = 5 * time.Minute

func (p predictor) endsForGood(t trigger) *draft {
	d := p.draft(t, Assumption{})
	if p.Role == effective.Init {
		d.value("main-starts", "starts of the main containers", 1, &formula.NeverStarts)
	}
	if p.Role != effective.Main || len(p.pod.Spec.Containers) == 1 {
		d.step(lifecycle.Failed, "the pod is shown as Failed", 1,
			reason{after: lifecycle.Fault, rule: &formula.PodEnds})
	}
	d.value("starts", "lives of the container", 1, &formula.Starts)
	return d
}

func (p predictor) completes() []*draft {
	t := trigger{id: "completes", cause: Completing}
	switch {
	case p.Role == effective.Init:
		t.begins = "the successful end of the init container"
		d := p.draft(t, Assumption{})
		d.step("next-start", "the next container starts", 1,
			reason{after: lifecycle.Fault, rule: &formula.InitThenNext})
		return []*draft{d}
	case p.Role == effective.Main && !p.alwaysRestarted(p.Container) && len(p.RestartPolicyRules) == 0:
		t.begins = "the successful end of the container"
		d := p.draft(t, Assumption{})
		if len(p.pod.Spec.Containers) == 1 {
			d.step(lifecycle.Succeeded, "the pod is shown as Succeeded", 1,
				reason{after: lifecycle.Fault, rule: &formula.PodEnds})
		}
		d.value("starts", "lives of the container", 1, &formula.Starts)
		return []*draft{d}
	}
	return nil
}

package predict

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/victim"
)

// restartsShown is how many restarts of a crash loop are predicted.
const restartsShown = 10

// starts is a container that starts, and whose probes succeed.
func (s scene) starts() []*line {
	c := s.spec
	if c.StartupProbe == nil && c.LivenessProbe == nil && c.ReadinessProbe == nil {
		return nil
	}
	if c.StartupProbe == nil {
		l := s.line(
			about{id: "start", cause: Starting, begins: "the start of the container"},
			Assumption{Says: "all probes succeed"},
		)
		for _, kind := range []string{victim.Liveness, victim.Readiness} {
			if podspec.ProbeOf(c, kind) == nil {
				continue
			}
			s.of(kind, l)
			l.step(
				kind+"-"+FirstProbe,
				fmt.Sprintf("the first %s probe arrives", kind),
				1,
				reason{after: Zero, rule: &formula.FirstProbe},
			)
			if kind == victim.Readiness {
				l.step(Ready, "the API shows the container as ready", 1, reason{after: Zero, rule: &formula.FirstReady})
				l.value("ready-after", "successful readiness probes until then", 1, &formula.ReadyAfter)
			}
		}
		return []*line{l}
	}
	threshold := podspec.Probe(c.StartupProbe).FailureThreshold
	return []*line{
		s.startsUp(1, Assumption{Name: "shortest", Says: "the startup probe succeeds the first time"}),
		s.startsUp(
			threshold,
			Assumption{
				Name: "longest",
				Says: fmt.Sprintf("the startup probe succeeds at the last of its %d times", threshold),
			},
		),
	}
}

// of has the line speak of another kind of probe.
func (s scene) of(kind string, l *line) {
	l.spec, l.inputs = podspec.Question{Pod: s.pod, Container: s.spec.Name, Probe: kind}.Input(s.kubelet), nil
}

// startsUp is a start whose startup probe succeeds at the n-th time.
func (s scene) startsUp(n int, assumed Assumption) *line {
	l := s.line(about{id: "start", cause: Starting, begins: "the start of the container"}, assumed)
	s.of(victim.Startup, l)
	first := victim.Startup + "-" + FirstProbe
	success := first
	l.value("startup-successes", "successful startup probes", 1, &formula.StartupOnce)
	l.step(first, "the first startup probe arrives", 1, reason{after: Zero, rule: &formula.FirstProbe})
	if n > 1 {
		in := l.input(1)
		in.Probe.FailureThreshold = n // so many probes, of which the last succeeds
		success = "startup-success"
		l.step(
			success,
			"the startup probe succeeds",
			1,
			reason{after: first, rule: &formula.FailuresApart, inputs: []formula.Input{in}},
		)
	}
	if s.spec.LivenessProbe != nil {
		l.valueOf(victim.Liveness, "held-back", "liveness probes before that", &formula.HeldBack)
	}
	started := l.at(success)
	for _, kind := range []string{victim.Liveness, victim.Readiness} {
		if podspec.ProbeOf(s.spec, kind) == nil {
			continue
		}
		s.of(kind, l)
		inputs := []formula.Input{l.input(1), l.input(1)}
		inputs[0].StartedUp, inputs[1].StartedUp = max(0, started.Earliest), started.Latest
		probed := kind + "-" + FirstProbe
		l.step(
			probed,
			fmt.Sprintf("the first %s probe arrives", kind),
			1,
			reason{after: success, rule: &formula.Released, inputs: inputs},
		)
		if kind == victim.Readiness {
			l.step(Ready, "the API shows the container as ready", 1, reason{after: probed, rule: &formula.ReadyLag})
			l.value("ready-after", "successful readiness probes until then", 1, &formula.ReadyAfter)
		}
	}
	return l
}

// crashes is a container that ends by itself, again and again. One that is restarted by rules of its own
// only, for some exit codes, may also have ended for good.
func (s scene) crashes() (all []*line) {
	a := about{id: "crash", cause: Crashing, begins: "the first end of the container by itself, in failure"}
	if !s.restarted() {
		all = append(all, s.endsForGood(a))
		if !slices.ContainsFunc(
			s.spec.RestartPolicyRules,
			func(r corev1.ContainerRestartRule) bool { return r.Action == corev1.ContainerRestartRuleActionRestart },
		) {
			return all
		}
		a.id, a.variant = "crash-by-rule", "with an exit code for which a rule restarts it"
	}
	said := "the container fails as soon as it has started, each time"
	if s.options.RunsFor > 0 {
		said = fmt.Sprintf("the container fails %s after each start", short(s.options.RunsFor))
	}
	l := s.line(a, Assumption{Says: said, RunsFor: s.options.RunsFor})
	l.started = -s.options.RunsFor
	rule := s.restartRule()
	for n := 1; n <= restartsShown; n++ {
		rules := []*formula.Formula{rule}
		if n == 1 {
			rules = append(rules, &formula.FirstCrash)
		}
		l.restarts(n, rules...)
		if n == restartsShown {
			break
		}
		l.assume(numbered(Death, n+1), "the container ends again", n+1, numbered(Start, n+1), s.options.RunsFor)
		if n == 1 {
			l.shownAsCrashLoop()
		}
	}
	l.value("restart-count", "restartCount after these", restartsShown+1, &formula.RestartCount)
	return append(all, l)
}

// shownAsCrashLoop is when the API shows the container that has just ended for the second time to wait.
func (l *line) shownAsCrashLoop() {
	inputs := l.lived(2)
	for i := range inputs {
		inputs[i].Life = 2
	}
	l.step(
		CrashLooping,
		"the API shows the container as waiting in CrashLoopBackOff",
		2,
		reason{after: numbered(Death, 2), rule: &formula.ShownAsCrashLoop, inputs: inputs},
	)
}

// restartRule is the formula of the restarts of a container that crashes: one rule, of which different
// things are worth saying.
func (s scene) restartRule() *formula.Formula {
	switch {
	case s.kubelet.Has(formula.ReducedBackOff):
		return &formula.RestartDelayReduced
	case s.options.RunsFor > longRun:
		return &formula.RestartDelayForgotten
	}
	return &formula.RestartDelay
}

// longRun is how long a container must run between two ends for its back-off to be forgotten at times: ten
// minutes less the longest back-off.
const longRun = 5 * time.Minute

// endsForGood is a container that ends, and is not started again.
func (s scene) endsForGood(a about) *line {
	l := s.line(a, Assumption{})
	if s.role == Init {
		l.value("main-starts", "starts of the main containers", 1, &formula.NeverStarts)
	}
	if s.role != Main || len(s.pod.Spec.Containers) == 1 {
		l.step(Failed, "the pod is shown as Failed", 1, reason{after: Zero, rule: &formula.PodEnds})
	}
	l.value("starts", "lives of the container", 1, &formula.Starts)
	return l
}

// completes is a container that succeeds, where it is not started again for that: an init container, or a
// main one by its pod's restart policy.
func (s scene) completes() []*line {
	switch {
	case s.role == Init:
		l := s.line(
			about{id: "completes", cause: Completing, begins: "the successful end of the init container"},
			Assumption{},
		)
		l.step("next-start", "the next container starts", 1, reason{after: Zero, rule: &formula.InitThenNext})
		return []*line{l}
	case s.role == Main && s.spec.RestartPolicy == nil && s.pod.Spec.RestartPolicy != "" && s.pod.Spec.RestartPolicy != corev1.RestartPolicyAlways:
		l := s.line(
			about{id: "completes", cause: Completing, begins: "the successful end of the container"},
			Assumption{},
		)
		if len(s.pod.Spec.Containers) == 1 {
			l.step(Succeeded, "the pod is shown as Succeeded", 1, reason{after: Zero, rule: &formula.PodEnds})
		}
		l.value("starts", "lives of the container", 1, &formula.Starts)
		return []*line{l}
	}
	return nil
}

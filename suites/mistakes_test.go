package suites

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// A known mistake that predicts the kubelet's real behaviour cannot diagnose a deviation. No claim on the end of a
// process or on a restart has such a known mistake.
func TestMistakesDiffer(t *testing.T) {
	g, compared := gomega.NewGomega(func(message string, _ ...int) { t.Error(message) }), 0
	for _, tr := range Catalogue() {
		for _, c := range tr.Claims {
			in, ok := plausible(tr, c)
			if !ok {
				continue
			}
			right := c.Formula.Implemented(in)
			for _, r := range c.Mistakes {
				if r.Never {
					continue
				}
				would := r.Of(c.Formula, in)
				g.Expect([2]int64{would.Earliest, would.Latest}).
					NotTo(gomega.Equal([2]int64{right.Earliest, right.Latest}),
						"%s, %s: the known mistake %q would measure %v as well", tr.ID, c.ID(), r.Name, right)
				compared++
			}
		}
	}
	g.Expect(compared).To(gomega.BeNumerically(">", 150))
}

// plausible returns the input of a claim on the end of a process or on a restart when its trial goes as expected. It
// returns false for other claims, and for restarts that a fault disturbs.
func plausible(tr trial.Trial, c trial.Claim) (formula.Input, bool) {
	spec, pod := container(tr, c)
	in := formula.Input{
		Kubelet: configured(tr),
		Life:    1,
		Kill: formula.Kill{
			Cause:                         tr.KillCause,
			TerminationGracePeriodSeconds: podspec.TerminationGracePeriodSeconds(&pod),
		},
	}
	if pod.Priority != nil {
		in.Kill.Priority = *pod.Priority
	}
	if c.KillCause != "" {
		in.Kill.Cause = c.KillCause
	}
	if m := regexp.MustCompile(`-([0-9]+)$`).FindStringSubmatch(c.ID()); m != nil {
		in.Life, _ = strconv.Atoi(m[1])
	}
	for _, fault := range tr.Faults {
		if in.Kill.Cause == "" || in.Kill.Cause == formula.ByDelete {
			in.Kill.Cause, in.Kill.GracePeriodSeconds = formula.ByDelete, fault.GracePeriodSeconds
			break
		}
	}
	in.Kill.WholePod = pod.RestartPolicy == corev1.RestartPolicyNever && len(pod.Containers) == 1
	probe := spec.LivenessProbe
	if in.Kill.Cause == formula.ByStartup {
		probe = spec.StartupProbe
	}
	if probe != nil {
		in.Kill.ProbeTerminationGracePeriodSeconds = probe.TerminationGracePeriodSeconds
	}
	switch c.Formula.ID {
	case formula.Remainder.ID, formula.EvictionRemainder.ID, formula.KillLength.ID:
		in.Kill.Hook, in.Kill.HookElapsed = hooked(spec)
		return in, true
	case formula.RestartDelay.ID,
		formula.RestartDelayAfterProbe.ID,
		formula.RestartDelayForgotten.ID,
		formula.RestartDelayReduced.ID:
		in.Lives = lived(c.Formula, in, spec, probe)
		return in, len(tr.Faults) == 0
	}
	return in, false
}

// container returns the container that a claim's name begins with, or the trial's own, and its pod's spec.
func container(tr trial.Trial, c trial.Claim) (corev1.Container, corev1.PodSpec) {
	for _, pod := range append([]*corev1.Pod{tr.Pod}, tr.Companions...) {
		for _, spec := range append(append([]corev1.Container{}, pod.Spec.Containers...), pod.Spec.InitContainers...) {
			if spec.Name != trial.Main && strings.HasPrefix(c.ID(), spec.Name+"-") {
				return spec, pod.Spec
			}
		}
	}
	return tr.Pod.Spec.Containers[0], tr.Pod.Spec
}

// configured returns the newest kubelet with the trial's configuration.
func configured(tr trial.Trial) formula.Kubelet {
	set := map[string]any{}
	if tr.Worker != nil {
		maps.Copy(set, tr.Worker.KubeletConfig)
	}
	for _, fault := range tr.Faults {
		maps.Copy(set, fault.Patch)
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err)
	}
	k, err := formula.KubeletOf(newest.Version, nil, text, nil)
	if err != nil {
		panic(err)
	}
	return k
}

// hooked returns a container's preStop hook and its duration: a little more than its sleep, or endless.
func hooked(c corev1.Container) (formula.HookKind, formula.Range) {
	const little, endless = 30 * time.Millisecond, time.Hour
	run, err := victim.ParseRun(c.Args)
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil || err != nil {
		return formula.NoHook, formula.Range{}
	}
	kind, took := formula.HTTPHook, run.HookSleep+little
	hangs := run.HookHang
	switch h := c.Lifecycle.PreStop; {
	case h.Sleep != nil:
		return formula.SleepHook, formula.Range{
			Low:  time.Duration(h.Sleep.Seconds) * time.Second,
			High: time.Duration(h.Sleep.Seconds) * time.Second,
		}
	case h.Exec != nil:
		hook, _ := victim.ParseHook(h.Exec.Command[1:])
		kind, took, hangs = formula.ExecHook, hook.Sleep+little, hook.Hang
	}
	if hangs {
		took = endless
	}
	return kind, formula.Range{Low: took, High: took}
}

// lived returns the lives before the claim's own, each restarted in the middle of its window.
func lived(f formula.Formula, in formula.Input, c corev1.Container, probe *corev1.Probe) []formula.Life {
	run, _ := victim.ParseRun(c.Args)
	at, lives := time.Hour, []formula.Life(nil)
	for n := 1; n < in.Life; n++ {
		lasts, killed := time.Duration(0), probe != nil
		if len(run.ExitAfter) > 0 {
			lasts = run.ExitAfter[min(n, len(run.ExitAfter))-1]
		}
		if killed {
			lasts = time.Duration(probe.PeriodSeconds*probe.FailureThreshold) * time.Second
		}
		life := formula.Life{Started: at, Gone: at + lasts, Signalled: killed, ExitCode: -1}
		lives = append(lives, life)
		step := in
		step.Life, step.Lives = n+1, lives
		w := f.Implemented(step)
		at = life.Gone + time.Duration(w.Earliest+w.Latest)/2
	}
	return append(lives, formula.Life{Started: at, ExitCode: -1})
}

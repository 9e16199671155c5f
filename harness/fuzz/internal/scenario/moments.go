package scenario

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// anyMoment draws a pod whose containers start, fail and end as chance has it, and is deleted at any moment: while it
// pulls, initialises, starts in part, restarts or ends. Only that its object goes is claimed of the delete. All claims
// that hold for every trial are claimed too.
func anyMoment(d *draws) trial.Trial {
	d.tag("deleted at any moment")
	spec := int64(d.number("grace", 0, 10))
	pod := fixtures.Pod(spec)
	policy := one(d, "policy", corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)
	fixtures.RestartPolicy(policy)(pod)
	d.tag("restartPolicy " + string(policy))
	for _, name := range []string{"init-a", "init-b"} {
		if d.oneIn(3, name) {
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, d.anyContainer(name, spec, true))
			d.tag("init container")
		}
	}
	pod.Spec.Containers = append(pod.Spec.Containers, d.anyContainer(trial.Main, spec, false))
	if d.oneIn(2, "second container") {
		pod.Spec.Containers = append(pod.Spec.Containers, d.anyContainer(neighbour, spec, false))
		d.tag("two containers")
	}
	fault := d.deleting()
	fault.When, fault.After = trial.Created(""), d.ms("moment", 0, 30*time.Second)
	longest := fault.After + longestSync + seconds(max(seen(spec), 40)) + 10*time.Second
	return trial.Trial{
		Pod: pod, Faults: []trial.Fault{fault}, Lasts: longest,
		Claims: []trial.Claim{
			claim(trial.DeletionGrace(1), formula.DeletionGrace),
			between(trial.Injected, trial.ObjectDeleted, formula.DeletedWithin(longestSync)),
		},
	}
}

// longestSync bounds the sync that is under way at a delete: two containers' postStart hooks, one after another.
const longestSync = 10 * time.Second

// anyContainer draws a container: one that cannot start, or one that ends, once or in each life, or lives.
func (d *draws) anyContainer(name string, spec int64, init bool) corev1.Container {
	run := victim.Run{Term: victim.ExitNow}
	if d.oneIn(3, "ignores SIGTERM") {
		run.Term = victim.Ignore
	}
	var options []fixtures.Option
	switch d.evenly("start", 12) {
	case 0:
		d.tag("image that cannot be pulled")
		options = append(options, fixtures.Image(victim.UnpullableImage))
	case 1:
		d.tag("image with an invalid name")
		options = append(options, fixtures.Image(victim.InvalidImage))
	case 2:
		d.tag("missing ConfigMap")
		options = append(options, fixtures.NeedsConfigMap())
	case 3:
		d.tag("missing program")
		options = append(options, fixtures.MissingProgram())
	case 4:
		if !init && spec > 1 { // the API server refuses longer ones
			d.tag("postStart hook sleeps")
			options = append(options, fixtures.SleepPostStart(int64(d.number("postStart", 1, int(min(spec-1, 4))))))
		}
	case 5:
		if !init {
			d.tag("readiness probe exec")
			options = append(options, fixtures.Readiness(fixtures.Probe{
				Handler: fixtures.Exec, PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1,
			}))
		}
	}
	ends := d.number("lives", 0, 3)
	if init {
		ends = max(ends, 1)
	}
	for range ends {
		run.ExitAfter = append(run.ExitAfter, d.ms("life", 0, 12*time.Second))
		run.ExitCodes = append(run.ExitCodes, d.number("exit code", 0, 3))
	}
	if ends > 0 && !init && d.oneIn(2, "then lives") {
		run.ExitAfter = append(run.ExitAfter, livesOn)
	}
	switch {
	case ends == 0:
		run.ExitCode = d.number("exit code on SIGTERM", 0, 100)
	case init:
		run.ExitCodes[ends-1] = 0
	}
	return fixtures.Named(name, run, options...)
}

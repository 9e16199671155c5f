package next

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// restarts reports whether a container is restarted after an exit code (pkg/api/v1/pod/util.go ContainerShouldRestart;
// pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions).
func (l living) restarts(c container, exitCode int32) bool {
	if c.RestartPolicy != nil && c.action(exitCode) != "" {
		return true
	}
	switch podspec.RestartPolicy(&l.Spec, c.Container.Container) {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return exitCode != 0
	}
	return c.Role != effective.Init || exitCode != 0
}

// action returns that of the first rule that matches an exit code, or "" (pkg/api/v1/pod/util.go
// FindMatchingContainerRestartRule).
func (c container) action(exitCode int32) corev1.ContainerRestartRuleAction {
	for _, r := range c.RestartPolicyRules {
		if matches(r.ExitCodes, exitCode) {
			return r.Action
		}
	}
	return ""
}

func matches(codes *corev1.ContainerRestartRuleOnExitCodes, exitCode int32) bool {
	if codes == nil {
		return false
	}
	listed := slices.Contains(codes.Values, exitCode)
	return listed == (codes.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn)
}

// restart notes when a container that ended is started again.
func (l living) restart(c container, ended *corev1.ContainerStateTerminated) {
	what := fmt.Sprintf("container %s is restarted", c.Name)
	if ended == nil || ended.FinishedAt.IsZero() || ended.StartedAt.IsZero() {
		l.fact(what + " at an unknown time: the status does not show when it ended")
		return
	}
	if c.action(ended.ExitCode) == corev1.ContainerRestartRuleActionRestartAllContainers {
		l.restartAll(c, ended)
		return
	}
	ends := int(c.status.RestartCount) + 1
	in := l.afterEndOf(c, ends, ended)
	after := func(b time.Duration) formula.Window { return in.RestartOf(ends, b) }
	possible := l.backOffs(c, ends, ended)
	left := slices.DeleteFunc(slices.Clone(possible), func(b time.Duration) bool {
		return ended.FinishedAt.Add(time.Duration(after(b).Latest) + truncation).Before(l.now)
	})
	if len(left) == 0 {
		left = possible[len(possible)-1:] // overdue
	}
	var windows []formula.Window
	for _, b := range left {
		windows = append(windows, after(b))
	}
	w := formula.EitherOf(windows...)
	switch longest := left[len(left)-1]; {
	case longest == 0:
		what += " at once, without a back-off"
	case len(left) == 1:
		what += fmt.Sprintf(" after its back-off of %s", effective.Words(longest))
	default:
		what += fmt.Sprintf(" after a back-off of at most %s", effective.Words(longest))
	}
	l.within(what, ended.FinishedAt, predict.Span{
		Earliest: time.Duration(w.Earliest), Latest: time.Duration(w.Latest),
	})
	l.limited()
}

// restartAll notes when all containers are started again because of one that ended.
func (l living) restartAll(c container, ended *corev1.ContainerStateTerminated) {
	var started *predict.Span
	for _, t := range c.predicted.Timelines {
		if t.Cause == formula.ByRestartAll && t.Variant == predict.By(c.Name) {
			started = predict.Over(started, t.Steps[len(t.Steps)-1].At)
		}
	}
	if started != nil {
		l.within(fmt.Sprintf("all containers are restarted, without a back-off, because container %s ended with exit "+
			"code %d", c.Name, ended.ExitCode), ended.FinishedAt, *started)
	}
}

// limited notes that a container's next restart is the last that its Job allows. The Job adds the restarts of all
// containers, those of its other pods as well, which are not known here (pkg/controller/job/job_controller.go
// pastBackoffLimitOnFailure).
func (l living) limited() {
	if l.job == nil || l.job.Spec.BackoffLimit == nil || l.Spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		return
	}
	restarts := int32(1)
	for _, s := range slices.Concat(l.Status.InitContainerStatuses, l.Status.ContainerStatuses) {
		restarts += s.RestartCount
	}
	if limit := *l.job.Spec.BackoffLimit; restarts >= max(1, limit) {
		l.fact(fmt.Sprintf("with that restart its Job has reached its backoffLimit of %d, and deletes the pod", limit))
	}
}

// epoch is the start of the last life on the clock of [formula.Input.Lives], whose 0 means not measured.
const epoch = time.Hour

// afterEndOf returns what is known of a container after so many ends: its last life, in whole seconds.
func (l living) afterEndOf(c container, ends int, ended *corev1.ContainerStateTerminated) formula.Input {
	in := podspec.Question{Pod: &corev1.Pod{Spec: l.Spec}, Container: c.Name}.Input(l.kubelet)
	in.Life, in.Lives, in.Delay = ends+1, make([]formula.Life, ends), truncation
	in.Lives[ends-1] = formula.Life{
		Started: epoch, Gone: epoch + ended.FinishedAt.Sub(ended.StartedAt.Time), ExitCode: int(ended.ExitCode),
	}
	return in
}

// backOffMessage is the kubelet's message about a container that waits (pkg/kubelet/kuberuntime/kuberuntime_manager.go
// doBackOff).
var backOffMessage = regexp.MustCompile(`^back-off (\S+) restarting failed container`)

// backOffs returns the values that a container's back-off can have, the shortest first. The kubelet's message has it.
// Otherwise the number of restarts has, unless the back-off was forgotten, which takes ten minutes without a restart,
// or a probe killed some life, which then leaves the back-off as it is.
func (l living) backOffs(c container, ends int, ended *corev1.ContainerStateTerminated) (all []time.Duration) {
	if w := c.status.State.Waiting; w != nil {
		if found := backOffMessage.FindStringSubmatch(w.Message); found != nil {
			if b, err := time.ParseDuration(found[1]); err == nil {
				return []time.Duration{b}
			}
		}
	}
	const forgotten = 10 * time.Minute
	young := l.Status.StartTime != nil && ended.StartedAt.Sub(l.Status.StartTime.Time) < forgotten
	if young && c.LivenessProbe == nil && c.StartupProbe == nil {
		return []time.Duration{l.kubelet.BackOff(ends)}
	}
	for n := range ends {
		all = append(all, l.kubelet.BackOff(n+1))
	}
	return slices.Compact(all)
}

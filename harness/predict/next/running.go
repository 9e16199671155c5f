package next

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// runs is about a pod on a node that nothing has ended.
func (l living) runs() {
	l.state()
	l.tainted()
	if l.node.lost() {
		return // its status is old
	}
	for _, c := range l.containers() {
		l.container(c)
	}
	l.deadlines()
	l.result.Quiet = len(l.result.Events) == 0 && l.ready()
}

func (l living) ready() bool {
	c := l.condition(corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

func (l living) state() {
	ready := l.condition(corev1.PodReady)
	switch {
	case l.node.Gone:
		l.is(fmt.Sprintf("was on node %s, which no longer exists", l.Spec.NodeName), time.Time{})
	case l.node.unready():
		l.is(fmt.Sprintf("is on node %s, which is not ready (%s)", l.Spec.NodeName, l.node.Ready.Reason),
			l.node.Ready.LastTransitionTime.Time)
	case slices.ContainsFunc(l.containers(), func(c container) bool { return c.waitsFor(crashLooping) }):
		l.is("is in CrashLoopBackOff", time.Time{})
	case l.Status.Phase == corev1.PodPending:
		since := time.Time{}
		if l.Status.StartTime != nil {
			since = l.Status.StartTime.Time
		}
		l.is("is starting", since)
	case ready == nil:
		l.is("runs", time.Time{})
	case l.ready():
		l.is("is ready", ready.LastTransitionTime.Time)
	default:
		l.is("is not ready", ready.LastTransitionTime.Time)
	}
}

func (l living) container(c container) {
	switch s := c.status.State; {
	case c.waitsFor(crashLooping):
		l.restart(c, c.status.LastTerminationState.Terminated)
	case c.waitsFor("ImagePullBackOff", "ErrImagePull"):
		const longest = 100 // attempts after which the back-off no longer grows
		pull := formula.PullDelay.Implemented(formula.Input{Kubelet: l.kubelet, Attempt: longest})
		l.soon("the image of container "+c.Name+" is pulled again: the status does not show the last try, after "+
			"which the longest back-off is 300 s", time.Duration(pull.Latest))
	case c.waitsFor("CreateContainerConfigError") && len(l.containers()) == 1:
		retry := formula.ConfigErrorRetry.Implemented(formula.Input{Kubelet: l.kubelet})
		l.soon(fmt.Sprintf("container %s is tried again: %s", c.Name, s.Waiting.Message), time.Duration(retry.Latest))
	case s.Waiting != nil && s.Waiting.Reason != "PodInitializing":
		says := strings.TrimSuffix(s.Waiting.Reason+": "+s.Waiting.Message, ": ")
		l.fact(fmt.Sprintf("container %s waits, for how long is unknown (%s)", c.Name, says))
	case s.Terminated != nil && l.restarts(c, s.Terminated.ExitCode):
		l.restart(c, s.Terminated)
	case s.Terminated != nil && c.Role != effective.Init:
		l.fact(fmt.Sprintf("container %s has ended with exit code %d and is not restarted", c.Name,
			s.Terminated.ExitCode))
	case s.Running != nil && !c.status.Ready:
		l.unready(c, s.Running)
	}
}

// unready is about a container that runs and is not ready.
func (l living) unready(c container, running *corev1.ContainerStateRunning) {
	restart := func(probe, from string) *predict.Span {
		for _, r := range c.predicted.Answers.Restarts {
			if r.Probe == probe && r.From == from {
				return &r.Signalled
			}
		}
		return nil
	}
	starting := c.StartupProbe != nil && (c.status.Started == nil || !*c.status.Started)
	fromStart, fromFault := restart(podspec.Startup, predict.FromStart), restart(podspec.Liveness, predict.FromFault)
	switch {
	case starting && fromStart != nil:
		l.within(fmt.Sprintf("container %s gets SIGTERM if its startup probe does not succeed before", c.Name),
			running.StartedAt, *fromStart)
	case fromFault != nil:
		from, until := l.now, l.now.Add(fromFault.Latest)
		if s := restart(podspec.Liveness, predict.FromStart); s != nil { // its initial delay may not be over
			from = later(from, running.StartedAt.Add(s.Earliest))
			until = later(until, running.StartedAt.Add(s.Latest))
		}
		l.between(fmt.Sprintf("container %s gets SIGTERM if its liveness probe keeps failing from now on, or already "+
			"fails: the status does not count failures", c.Name), from, until)
	case c.ReadinessProbe != nil:
		l.fact(fmt.Sprintf("container %s waits for its readiness probe to succeed; nothing kills it for that", c.Name))
	case c.Role == effective.Init:
		l.fact(fmt.Sprintf("init container %s runs; nothing limits its time", c.Name))
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// deadlines are about the pod's own deadline and its Job's.
func (l living) deadlines() {
	if s := l.Spec.ActiveDeadlineSeconds; s != nil && l.Status.StartTime != nil {
		var kill *predict.Span
		for _, c := range l.containers() {
			if k := c.predicted.Answers.Kills.Of(formula.ByDeadline, ""); k != nil {
				kill = predict.Over(kill, k.SIGTERM)
			}
		}
		if kill != nil { // the kubelet itself counts from the time in whole seconds
			l.between(fmt.Sprintf("the pod's containers get SIGTERM at its activeDeadlineSeconds of %d s", *s),
				l.Status.StartTime.Add(kill.Earliest), l.Status.StartTime.Add(kill.Latest))
		}
	}
	if l.job == nil || l.job.Spec.ActiveDeadlineSeconds == nil || l.job.Status.StartTime == nil {
		return
	}
	// pkg/controller/job/job_controller.go pastActiveDeadline
	l.between("its Job deletes the pod at the Job's activeDeadlineSeconds, if it has not succeeded",
		l.job.Status.StartTime.Add(effective.Seconds(*l.job.Spec.ActiveDeadlineSeconds)), time.Time{})
}

package next

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// terminates is about a pod that is being deleted.
func (l living) terminates() {
	grace := int64(0)
	if g := l.DeletionGracePeriodSeconds; g != nil {
		grace = *g
	}
	// The API server adds the grace period to the time of the request (k8s.io/apiserver pkg/registry/rest/delete.go
	// BeforeDelete).
	requested := metav1.NewTime(l.DeletionTimestamp.Add(-effective.Seconds(grace)))
	l.is(fmt.Sprintf("is being deleted, with a grace period of %d s", grace), requested.Time)
	removed := "the pod's object is removed"
	if len(l.Finalizers) > 0 {
		l.fact("the pod's object stays until its finalizers are removed: " + strings.Join(l.Finalizers, ", "))
	}
	var running []container
	for _, c := range l.containers() {
		if c.status.State.Running != nil {
			running = append(running, c)
		}
	}
	switch {
	case l.node.lost():
		l.fact(fmt.Sprintf("node %s does not answer: when its processes end is unknown, and the object stays until "+
			"the node answers or is removed", l.Spec.NodeName))
		return
	case len(running) > 0:
		l.killed(running, requested, grace)
	case l.ended() || l.Spec.NodeName == "":
		l.fact("none of its processes runs")
	case l.busy():
		l.fact("no container runs yet: the kubelet first ends what it does for the pod, such as the pull of an image")
	case len(l.Finalizers) == 0:
		from := requested
		if t := l.lastEnd(); t.After(from.Time) {
			from = metav1.NewTime(t)
		}
		begins := formula.KillStart.Implemented(formula.Input{Kubelet: l.kubelet})
		l.within(removed+", because no container runs", from, predict.Span{
			Latest: time.Duration(begins.Latest) + l.torndown(),
		})
	}
	if len(running) == 0 || len(l.Finalizers) > 0 {
		return
	}
	died := func(k *predict.Kill) *predict.Span { return &k.Dead }
	dead := l.spanOf(running, predict.WithGrace(grace), died)
	if first := l.spanOf(running, "", died); dead != nil && first != nil && l.shortened(grace) {
		dead = predict.Over(dead, *first)
	}
	if dead != nil {
		dead.Latest += l.torndown()
		l.within(removed, requested, *dead)
	}
}

// busy reports whether the kubelet may be starting a container.
func (l living) busy() bool {
	return slices.ContainsFunc(l.containers(), func(c container) bool {
		return c.status.State.Terminated == nil && !c.waitsFor(crashLooping) && !c.waitsFor("PodInitializing")
	})
}

// lastEnd returns when the last container ended, or a zero time.
func (l living) lastEnd() (last time.Time) {
	for _, c := range l.containers() {
		for _, s := range []corev1.ContainerState{c.status.State, c.status.LastTerminationState} {
			if s.Terminated != nil && s.Terminated.FinishedAt.After(last) {
				last = s.Terminated.FinishedAt.Time
			}
		}
	}
	return last
}

func (l living) ownGrace() int64 { return podspec.TerminationGracePeriodSeconds(&l.Spec) }

// shortened reports whether a second delete may have shortened the grace period (k8s.io/apiserver
// pkg/registry/rest/delete.go BeforeDelete). The kubelet does not shorten that of a kill under way.
func (l living) shortened(grace int64) bool { return grace < l.ownGrace() }

// torndown is how long after its last container a pod's object may stay.
func (l living) torndown() time.Duration {
	return time.Duration(formula.ObjectDeleted.Implemented(formula.Input{Kubelet: l.kubelet}).Latest)
}

// spanOf returns a span of a delete over all containers, nil if none has it.
func (l living) spanOf(all []container, variant string, of func(*predict.Kill) *predict.Span) (s *predict.Span) {
	for _, c := range all {
		if k := c.predicted.Answers.Kills.Of(formula.ByDelete, variant); k != nil {
			if own := of(k); own != nil {
				s = predict.Over(s, *own)
			}
		}
	}
	return s
}

// killed is about the containers of a deleted pod that still run.
func (l living) killed(running []container, requested metav1.Time, grace int64) {
	var names []string
	for _, c := range running {
		names = append(names, c.Name)
	}
	who := strings.Join(names, ", ")
	sigterm := func(k *predict.Kill) *predict.Span { return &k.SIGTERM }
	sigkill := func(k *predict.Kill) *predict.Span { return k.SIGKILL }
	with := predict.WithGrace(grace)
	if s := l.spanOf(running, with, sigterm); s != nil && requested.Add(s.Latest+truncation).After(l.now) {
		l.within("SIGTERM to "+who, requested, *s)
	}
	s := l.spanOf(running, with, sigkill)
	if s == nil {
		return
	}
	l.within("SIGKILL to "+who+", if a process still runs", requested, *s)
	if first := l.spanOf(running, "", sigkill); first != nil && l.shortened(grace) {
		l.within(fmt.Sprintf("or SIGKILL, if a first delete had the pod's own %d s: a second one does not shorten "+
			"them for processes that are already being stopped", l.ownGrace()), requested, *first)
	}
}

// afterEnd is about a pod whose containers have ended for good.
func (l living) afterEnd() {
	reason := string(l.Status.Phase)
	if l.Status.Reason != "" {
		reason += ", " + l.Status.Reason
	}
	l.is("has ended ("+reason+")", l.lastEnd())
	owner := metav1.GetControllerOf(l.Pod)
	switch {
	case owner != nil && owner.Kind == "Job" && l.job == nil:
		l.fact("its Job could not be read: whether that deletes the pod is unknown")
	case l.job != nil:
		l.collected()
	case owner != nil && owner.Kind == "StatefulSet":
		// pkg/controller/statefulset/stateful_set_control.go processReplica
		l.fact("its StatefulSet deletes it and makes another")
	case owner != nil && owner.Kind == "DaemonSet":
		// pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode; cmd/kube-controller-manager/app/apps.go
		l.fact("its DaemonSet deletes it and makes another: a failed one after a back-off of 1 s to 15 min")
	default:
		// pkg/controller/podgc/config/v1alpha1/defaults.go TerminatedPodGCThreshold
		l.fact("no container runs again, and nothing deletes the pod while the cluster has fewer than 12500 ended pods")
	}
}

// collected is about an ended pod's Job (pkg/controller/ttlafterfinished/ttlafterfinished_controller.go timeLeft,
// jobFinishTime).
func (l living) collected() {
	finished := time.Time{}
	for _, c := range l.job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			finished = c.LastTransitionTime.Time
		}
	}
	ttl := l.job.Spec.TTLSecondsAfterFinished
	switch {
	case ttl == nil:
		l.fact("no container runs again, and its Job has no ttlSecondsAfterFinished: both stay until something " +
			"deletes the Job")
	case finished.IsZero():
		l.fact(fmt.Sprintf("its Job has not finished; %d s after that both are deleted "+
			"(ttlSecondsAfterFinished)", *ttl))
	default:
		l.between(fmt.Sprintf("its Job and the pod are deleted by ttlSecondsAfterFinished of %d s", *ttl),
			finished.Add(effective.Seconds(*ttl)), time.Time{})
	}
}

// unschedulableFor is how long a pod that fits no node waits for the scheduler's next try if nothing changes in the
// cluster (pkg/scheduler/backend/queue/scheduling_queue.go DefaultPodMaxInUnschedulablePodsDuration, and the period of
// flushUnschedulableEntitiesLeftover).
const unschedulableFor = 5*time.Minute + 30*time.Second

// waitsForNode is about a pod that the scheduler has not bound.
func (l living) waitsForNode() {
	since := l.CreationTimestamp.Time
	scheduled := l.condition(corev1.PodScheduled)
	if scheduled != nil {
		since = scheduled.LastTransitionTime.Time
	}
	l.is("has no node", since)
	switch {
	case len(l.Spec.SchedulingGates) > 0:
		var names []string
		for _, g := range l.Spec.SchedulingGates {
			names = append(names, g.Name)
		}
		l.fact("it waits until its scheduling gates are removed: " + strings.Join(names, ", "))
	case l.Status.NominatedNodeName != "":
		l.fact(fmt.Sprintf("the scheduler deletes pods of node %s to make room: it can be bound when they have ended",
			l.Status.NominatedNodeName))
	case scheduled != nil && scheduled.Reason == corev1.PodReasonUnschedulable:
		l.soon("the scheduler tries again, earlier if something changes in the cluster: "+
			strings.TrimSuffix(scheduled.Message, "."), unschedulableFor)
	default:
		l.fact("the scheduler has not tried it yet")
	}
	l.fact("a delete removes it at once, because no container runs")
}

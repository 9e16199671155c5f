package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// kubelets are the conditions that only the kubelet writes (pkg/kubelet/types/pod_status.go).
var kubelets = []corev1.PodConditionType{
	corev1.PodScheduled, corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.ContainersReady,
	corev1.PodReady,
}

// conditions compares the conditions with the statuses of containers.
func (c *checker) conditions(v *timeline.Version) {
	s := v.Status
	seen := map[corev1.PodConditionType]bool{}
	for _, condition := range s.Conditions {
		if seen[condition.Type] {
			c.wrong("condition %s is there twice", condition.Type)
		}
		seen[condition.Type] = true
		if slices.Contains(kubelets, condition.Type) && condition.LastTransitionTime.IsZero() {
			c.wrong("condition %s has no lastTransitionTime", condition.Type)
		}
	}
	if refused(s) {
		return
	}
	ready, why, message := c.containersReady(s)
	c.expect(s, corev1.ContainersReady, ready, why, message)
	if ready && len(c.spec.ReadinessGates) > 0 { // Ready follows gates of others only a sync later
		c.gates(s)
	} else {
		c.expect(s, corev1.PodReady, ready, why, message)
	}
	c.expect(s, corev1.PodScheduled, true, "", "")
	if initialized, certain := c.initialized(s); certain {
		why, message := "ContainersNotInitialized", c.lacking(s, c.spec.InitContainers, "incomplete", complete)
		if initialized {
			why, message = "", ""
		}
		c.expect(s, corev1.PodInitialized, initialized, why, message)
	}
	if completed(s, corev1.ContainersReady) != completed(s, corev1.PodInitialized) {
		c.wrong("only one of the conditions ContainersReady and Initialized has the reason PodCompleted")
	}
	if is := conditionOf(s, corev1.PodReadyToStartContainers); is != nil && is.Status != corev1.ConditionTrue {
		for _, status := range s.ContainerStatuses {
			if running := status.State.Running; running != nil && !c.mayHaveLostSandbox(running, is) {
				c.wrong("container %s runs, but PodReadyToStartContainers is %s", status.Name, is.Status)
			}
		}
	}
}

// mayHaveLostSandbox reports whether the condition can be that of a sandbox that ended after a container's start. The
// runtime notices the ends of the sandbox and of its containers one after the other.
func (c *checker) mayHaveLostSandbox(running *corev1.ContainerStateRunning, is *corev1.PodCondition) bool {
	shares := c.spec.ShareProcessNamespace // so that a container can end its sandbox
	return shares != nil && *shares && running.StartedAt.Before(&is.LastTransitionTime)
}

func (c *checker) expect(s corev1.PodStatus, kind corev1.PodConditionType, want bool, why, message string) {
	is := conditionOf(s, kind)
	if is == nil {
		c.wrong("condition %s is missing", kind)
		return
	}
	status := corev1.ConditionFalse
	if want {
		status = corev1.ConditionTrue
	}
	switch {
	case is.Status != status || is.Reason != why:
		c.wrong("condition %s is %s %q, expected %s %q", kind, is.Status, is.Reason, status, why)
	case is.Message != message:
		c.wrong("the message of condition %s is %q, expected %q", kind, is.Message, message)
	}
}

func completed(s corev1.PodStatus, kind corev1.PodConditionType) bool {
	is := conditionOf(s, kind)
	return is != nil && is.Reason == "PodCompleted"
}

// gates checks Ready of a pod whose containers are ready (GeneratePodReadyCondition). The message names gates in their
// order. A gate may have changed since.
func (c *checker) gates(s corev1.PodStatus) {
	is := conditionOf(s, corev1.PodReady)
	if is == nil || is.Status == corev1.ConditionTrue {
		c.expect(s, corev1.PodReady, true, "", "")
		return
	}
	rest, found := is.Message, false
	for _, gate := range c.spec.ReadinessGates {
		for _, text := range []string{
			fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist.", gate.ConditionType),
			fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but False", gate.ConditionType),
			fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but Unknown", gate.ConditionType),
		} {
			if after, is := strings.CutPrefix(rest, text); is {
				rest, found = strings.TrimPrefix(after, ", "), true
			}
		}
	}
	if !found || rest != "" || is.Reason != "ReadinessGatesNotReady" {
		c.wrong("condition Ready is %s %q, but the readiness gates do not explain its message %q",
			is.Status, is.Reason, is.Message)
	}
}

// containersReady computes ContainersReady, its reason and its message (pkg/kubelet/status/generate.go
// GenerateContainersReadyCondition).
func (c *checker) containersReady(s corev1.PodStatus) (is bool, why, message string) {
	phase := s.Phase
	if announced := announcedBy(s); announced != "" && !terminal(phase) {
		phase = announced
	}
	ready := conditionOf(s, corev1.ContainersReady)
	neverReady := terminal(s.Phase) && ready != nil && ready.Reason == "ContainersNotReady" // it stays as it was
	if why := endsReady[phase]; why != "" && !neverReady {
		return false, why, ""
	}
	all := slices.DeleteFunc(slices.Clone(c.spec.InitContainers), func(c corev1.Container) bool { return !sidecar(c) })
	unready := c.lacking(s, append(all, c.spec.Containers...), "unready",
		func(_ corev1.Container, s *corev1.ContainerStatus) bool { return s.Ready })
	if unready != "" {
		return false, "ContainersNotReady", unready
	}
	return true, "", ""
}

// lacking returns the message that names containers without a status, and those whose status lacks something, or "".
func (c *checker) lacking(
	s corev1.PodStatus, all []corev1.Container, what string, has func(corev1.Container, *corev1.ContainerStatus) bool,
) string {
	var unknown, lack, parts []string
	for _, container := range all {
		status := statusOf(s, container.Name)
		switch {
		case status == nil:
			unknown = append(unknown, container.Name)
		case !has(container, status):
			lack = append(lack, container.Name)
		}
	}
	if len(unknown) > 0 {
		parts = append(parts, fmt.Sprintf("containers with unknown status: %s", unknown))
	}
	if len(lack) > 0 {
		parts = append(parts, fmt.Sprintf("containers with %s status: %s", what, lack))
	}
	return strings.Join(parts, ", ")
}

// endsReady are the reasons for which a pod of these phases is not ready.
var endsReady = map[corev1.PodPhase]string{corev1.PodSucceeded: "PodCompleted", corev1.PodFailed: "PodFailed"}

// announcedBy returns the phase that the kubelet has decided, or "". It shows the phase only when no container runs any
// more (pkg/kubelet/status/status_manager.go mergePodStatus), but the conditions follow it at once.
func announcedBy(s corev1.PodStatus) corev1.PodPhase {
	if ready := conditionOf(s, corev1.ContainersReady); ready != nil {
		for phase, why := range endsReady {
			if ready.Reason == why {
				return phase
			}
		}
	}
	return ""
}

// initialized computes Initialized (GeneratePodInitializedCondition). It is not certain once the pod has ended, or if
// containers restart: it may stay true then. A startup probe's success shows before the sync that follows it
// (pkg/kubelet/status/status_manager.go SetContainerStartup).
func (c *checker) initialized(s corev1.PodStatus) (is, certain bool) {
	if terminal(s.Phase) || announcedBy(s) != "" {
		return false, false
	}
	for _, container := range c.spec.Containers {
		status := statusOf(s, container.Name)
		if status != nil && (status.State.Running != nil || status.State.Terminated != nil) {
			return true, true
		}
	}
	for _, container := range c.spec.InitContainers {
		status := statusOf(s, container.Name)
		switch {
		case status == nil:
			return false, true
		case !complete(container, status):
			return false, !restarted(s)
		case sidecar(container) && container.StartupProbe != nil:
			return false, false
		}
	}
	return true, true
}

func restarted(s corev1.PodStatus) bool {
	all := slices.Concat(s.ContainerStatuses, s.InitContainerStatuses)
	return slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool {
		return s.RestartCount > 0 || s.LastTerminationState.Terminated != nil
	})
}

// restarts is how often a pod's containers have restarted.
func restarts(s corev1.PodStatus) (all int32) {
	for _, c := range slices.Concat(s.ContainerStatuses, s.InitContainerStatuses) {
		all += c.RestartCount
	}
	return all
}

// shortestPeriod is the shortest period of probes. cutToSeconds is what the API cuts from a time. statusOnItsWay is how
// long after a status was made the watch may show it, while the kubelet makes the next one: as long as formulas allow
// the status. A busy node of v1.37.2 took 1.2 s longer than the second that the time names.
const (
	shortestPeriod = int64(time.Second)
	cutToSeconds   = int64(time.Second)
	statusOnItsWay = int64(2 * time.Second)
)

// transitions compares the times of the last transitions with the version before. A condition may have changed twice
// between two versions only if a container restarted, probes had time for two results, each container was ready before
// or is ready now, or the sandbox of a static pod that returned is another.
func (c *checker) transitions(before, v *timeline.Version) {
	if c.rejected {
		return
	}
	if was, is := before.Status.StartTime, v.Status.StartTime; !was.Equal(is) {
		c.wrong("startTime went from %s to %s", was.UTC().Format(time.TimeOnly), is.UTC().Format(time.TimeOnly))
	}
	for _, kind := range kubelets {
		was, is := conditionOf(before.Status, kind), conditionOf(v.Status, kind)
		if was == nil || is == nil {
			continue
		}
		at := is.LastTransitionTime.UnixNano()
		flickers := kind == corev1.PodReady || kind == corev1.ContainersReady ||
			kind == corev1.PodReadyToStartContainers && c.ref == ""
		switch {
		case overtaken(before.Status, v.Status, was, is):
		case at > c.until:
			c.wrong("condition %s changed only at %s", kind, is.LastTransitionTime.UTC().Format(time.TimeOnly))
		case is.LastTransitionTime.Before(&was.LastTransitionTime):
			c.wrong("the last transition of condition %s went back", kind)
		case is.Status == was.Status && !is.LastTransitionTime.Equal(&was.LastTransitionTime) &&
			(!flickers || v.At.At-before.At.At < shortestPeriod && restarts(v.Status) == restarts(before.Status) &&
				!readyMeanwhile(before.Status, v.Status, is)):
			c.wrong("condition %s did not change, but lastTransitionTime did", kind)
		case is.Status != was.Status && is.LastTransitionTime.Equal(&was.LastTransitionTime) &&
			at+cutToSeconds+statusOnItsWay < before.At.At-before.At.Early:
			c.wrong("condition %s changed, but lastTransitionTime did not", kind)
		}
	}
}

// readyMeanwhile reports whether all containers may have been ready between two versions: the last one became ready,
// and then another one ended.
func readyMeanwhile(before, now corev1.PodStatus, is *corev1.PodCondition) bool {
	all := slices.Concat(now.ContainerStatuses, now.InitContainerStatuses) // in the same order in each version
	earlier := slices.Concat(before.ContainerStatuses, before.InitContainerStatuses)
	if is.Type == corev1.PodReadyToStartContainers || is.Status != corev1.ConditionFalse || len(all) != len(earlier) {
		return false
	}
	for i, s := range all {
		if !s.Ready && !earlier[i].Ready {
			return false
		}
	}
	return len(all) > 0
}

// overtaken reports whether the status manager made a condition false in a terminal phase, before it wrote the status
// in which the pod worker had done so after a container's end. It writes a terminal phase that it knows when the
// containers have ended, and then makes both conditions false at once (pkg/kubelet/status/status_manager.go
// mergePodStatus).
func overtaken(before, now corev1.PodStatus, was, is *corev1.PodCondition) bool {
	return (is.Type == corev1.PodReady || is.Type == corev1.ContainersReady) && terminal(before.Phase) &&
		terminal(now.Phase) && was.Status == corev1.ConditionFalse && is.Status == corev1.ConditionFalse &&
		is.LastTransitionTime.Before(&was.LastTransitionTime) &&
		slices.ContainsFunc(now.ContainerStatuses, func(s corev1.ContainerStatus) bool {
			end := s.State.Terminated
			return end != nil && !is.LastTransitionTime.Before(&end.FinishedAt)
		})
}

// others checks the kubelet's conditions that only some pods have (GenerateAllContainersRestartingCondition;
// pkg/kubelet/status/status_manager.go SetPodResizePendingCondition, SetPodResizeInProgressCondition).
func (c *checker) others(v *timeline.Version) {
	s := v.Status
	if is := conditionOf(s, corev1.AllContainersRestarting); is != nil {
		restarting := is.Status == corev1.ConditionTrue && is.Reason == "RestartAllContainersStarted" &&
			is.Message == "container exited with restart policy rule"
		idle := is.Status == corev1.ConditionFalse && is.Message == "" &&
			(is.Reason == "" || slices.Contains(slices.Collect(maps.Values(endsReady)), is.Reason))
		switch {
		case !slices.ContainsFunc(slices.Concat(c.spec.InitContainers, c.spec.Containers), podspec.RestartsAll):
			c.wrong("condition %s is there, but no rule restarts all containers", is.Type)
		case !restarting && !idle:
			c.wrong("condition %s is %s %q with the message %q", is.Type, is.Status, is.Reason, is.Message)
		}
	}
	if is := conditionOf(s, corev1.PodResizePending); is != nil &&
		(is.Reason != corev1.PodReasonDeferred && is.Reason != corev1.PodReasonInfeasible || is.Message == "") {
		c.wrong("condition %s has the reason %q and the message %q", is.Type, is.Reason, is.Message)
	}
	if is := conditionOf(s, corev1.PodResizeInProgress); is != nil && (is.Reason == "") != (is.Message == "") {
		c.wrong("condition %s has the reason %q and the message %q", is.Type, is.Reason, is.Message)
	}
}

// nextConditions checks that the kubelet loses no condition except that of a resize
// (pkg/kubelet/kubelet_pods.go generateAPIPodStatus), and does not take back Initialized if the pod can restart all its
// containers in place (GeneratePodInitializedCondition).
func (c *checker) nextConditions(before, v *timeline.Version) {
	if refused(v.Status) {
		return
	}
	for _, was := range before.Status.Conditions {
		resize := was.Type == corev1.PodResizePending || was.Type == corev1.PodResizeInProgress
		if !resize && conditionOf(v.Status, was.Type) == nil {
			c.wrong("condition %s is gone", was.Type)
		}
	}
	was, is := conditionOf(before.Status, corev1.PodInitialized), conditionOf(v.Status, corev1.PodInitialized)
	inPlace := conditionOf(v.Status, corev1.AllContainersRestarting) != nil
	if inPlace && was != nil && is != nil && was.Status == corev1.ConditionTrue && is.Status != corev1.ConditionTrue {
		c.wrong("condition Initialized went from %s to %s", was.Status, is.Status)
	}
}

// sandbox checks the condition PodReadyToStartContainers (GeneratePodReadyToStartContainersCondition). Up to 1.36 it
// gives no reason.
func (c *checker) sandbox(v *timeline.Version) {
	is := conditionOf(v.Status, corev1.PodReadyToStartContainers)
	switch {
	case refused(v.Status):
	case is == nil:
		c.wrong("condition PodReadyToStartContainers is missing")
	case is.Reason == "" && is.Message == "":
	case is.Status == corev1.ConditionTrue || is.Reason != "PodSandboxNotReady" || is.Message == "":
		c.wrong("condition %s is %s %q with the message %q", is.Type, is.Status, is.Reason, is.Message)
	}
}

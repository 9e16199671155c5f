package status

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// PhasesAgain are the phases while an init container runs again, after other containers have run.
const PhasesAgain timeline.Report = "phases-again"

// phase compares the phase with the containers' states (pkg/kubelet/kubelet_pods.go getPhase). A reason overrides them:
// the kubelet or the API server ended the pod for another cause.
func (c *checker) phase(v *timeline.Version) {
	s := v.Status
	if s.Reason != "" || refused(s) {
		return
	}
	failed, running, ended := false, false, true
	for _, status := range s.ContainerStatuses {
		state := status.State
		running = running || state.Running != nil
		ended = ended && state.Terminated != nil
		failed = failed || state.Terminated != nil && state.Terminated.ExitCode != 0
	}
	pending := c.pending(s)
	again := c.initializesAgain(s)
	if again {
		c.checked.Count[PhasesAgain]++
	}
	switch {
	case s.Phase == corev1.PodPending && running && pending == "" && !c.heldBack(s):
		c.wrong("the phase is Pending, but a container runs and none is to start")
	case s.Phase == corev1.PodRunning && pending != "":
		if again {
			c.kind = PhasesAgain
		}
		c.wrong("the phase is Running, but container %s has not run", pending)
	case s.Phase == corev1.PodRunning && c.initializes(s):
		c.wrong("the phase is Running, but a sidecar has not started, and no other container exists")
	case s.Phase == corev1.PodSucceeded && (!ended || failed):
		c.wrong("the phase is Succeeded, but not all containers have")
	case terminal(s.Phase) && running:
		c.wrong("the phase is %s, but a container runs", s.Phase)
	case s.Phase == corev1.PodFailed && ended && !failed && len(c.spec.InitContainers) == 0:
		c.wrong("the phase is Failed, but all containers succeeded")
	}
}

// heldBack reports whether the kubelet ended the pod before it showed that it runs, by its deadline or another way.
// Until the containers have ended, it keeps the phase that the API has (pkg/kubelet/status/status_manager.go
// mergePodStatus).
func (c *checker) heldBack(s corev1.PodStatus) bool {
	deadline := c.spec.ActiveDeadlineSeconds
	late := deadline != nil && s.StartTime != nil &&
		c.until >= s.StartTime.Add(time.Duration(*deadline)*time.Second).UnixNano()
	return !c.ran && (c.ended || late)
}

// pending returns a container that has not run yet, or "". An init container runs until it has ended.
func (c *checker) pending(s corev1.PodStatus) string {
	for _, container := range c.spec.InitContainers {
		status := statusOf(s, container.Name)
		if first(status) || !sidecar(container) && status.State.Running != nil {
			return container.Name
		}
	}
	for _, container := range c.spec.Containers {
		if first(statusOf(s, container.Name)) {
			return container.Name
		}
	}
	return ""
}

// initializesAgain reports whether an init container runs, though one of the containers after it has run.
func (c *checker) initializesAgain(s corev1.PodStatus) bool {
	return slices.ContainsFunc(s.ContainerStatuses,
		func(s corev1.ContainerStatus) bool { return s.State.Waiting == nil }) &&
		slices.ContainsFunc(c.spec.InitContainers, func(container corev1.Container) bool {
			status := statusOf(s, container.Name)
			return !sidecar(container) && status != nil && status.State.Running != nil
		})
}

// initializes reports whether a sidecar that runs has yet to start, while the runtime has none of the other containers.
func (c *checker) initializes(s corev1.PodStatus) bool {
	none := !slices.ContainsFunc(s.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.State.Waiting == nil || s.ContainerID != ""
	})
	return none && slices.ContainsFunc(c.spec.InitContainers, func(container corev1.Container) bool {
		status := statusOf(s, container.Name)
		return sidecar(container) && status.State.Running != nil && !complete(container, status)
	})
}

// first reports whether a container waits for its first start.
func first(s *corev1.ContainerStatus) bool {
	return s == nil || s.State.Waiting != nil && s.LastTerminationState.Terminated == nil
}

// nextPhase checks that an end is for good (kubelet_pods.go generateAPIPodStatus). A pod that runs may be Pending
// again: its init containers run once more after its sandbox is lost, and its sidecars after all containers restart.
func (c *checker) nextPhase(before, v *timeline.Version) {
	was, is := before.Status.Phase, v.Status.Phase
	if announced := announcedBy(before.Status); terminal(is) && announced != "" && announced != is {
		c.wrong("the phase is %s, but the conditions before it said %s", is, announced)
	}
	if was != is && terminal(was) {
		c.wrong("the phase went from %s to %s", was, is)
	}
}

// addresses compares the single addresses with the lists (kubelet_pods.go generateAPIPodStatus).
func (c *checker) addresses(v *timeline.Version) {
	s := v.Status
	if refused(s) {
		return
	}
	switch {
	case s.HostIP == "":
		c.wrong("hostIP is unset")
	case len(s.HostIPs) > 0 && s.HostIPs[0].IP != s.HostIP:
		c.wrong("hostIP is %s, but hostIPs begin with %s", s.HostIP, s.HostIPs[0].IP)
	case s.PodIP == "" && len(s.PodIPs) > 0, s.PodIP != "" && (len(s.PodIPs) == 0 || s.PodIPs[0].IP != s.PodIP):
		c.wrong("podIP is %q, but podIPs are %v", s.PodIP, s.PodIPs)
	case len(s.PodIPs) > 1 && sixth(s.PodIPs[1].IP) == sixth(s.HostIP):
		c.wrong("podIPs are %v, the first should have the family of hostIP %s", s.PodIPs, s.HostIP)
	}
	for _, status := range s.ContainerStatuses {
		if status.State.Running != nil && s.PodIP == "" {
			c.wrong("container %s runs, but the pod has no podIP", status.Name)
		}
	}
}

// sixth reports whether an address is one of IPv6.
func sixth(ip string) bool { return strings.Contains(ip, ":") }

func (c *checker) sameAddresses(before, v *timeline.Version) {
	was, is := before.Status, v.Status
	switch {
	case c.rejected:
	case was.HostIP != "" && is.HostIP != was.HostIP, len(was.HostIPs) > 0 && !slices.Equal(is.HostIPs, was.HostIPs):
		c.wrong("hostIP went from %v to %v", was.HostIPs, is.HostIPs)
	case was.PodIP != "" && is.PodIP != "" && is.PodIP != was.PodIP && survives(was, is):
		c.wrong("podIP went from %s to %s", was.PodIP, is.PodIP)
	}
}

// survives reports whether a container runs in both statuses. It lives as long as its sandbox, which has the podIP.
func survives(was, is corev1.PodStatus) bool {
	return slices.ContainsFunc(is.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		before := statusOf(was, s.Name)
		runs := s.State.Running != nil && before != nil && before.State.Running != nil
		return runs && before.ContainerID == s.ContainerID
	})
}

// class compares the qosClass with that of the pod's first version, which the API server computed. The specification of
// a trial does not say it: other clusters give their pods requests and limits.
func (c *checker) class(v *timeline.Version) {
	if v.Status.QOSClass != c.qos {
		c.wrong("the qosClass is %s, expected %s", v.Status.QOSClass, c.qos)
	}
}

// generations checks that the kubelet has observed no generation that the pod does not have. A probe's result may have
// conditions observe a newer one than the status (pkg/kubelet/status/status_manager.go SetContainerReadiness).
func (c *checker) generations(v *timeline.Version) {
	check := func(what string, observed int64) {
		if observed > v.Generation {
			c.wrong("%s observed generation %d, but the pod has %d", what, observed, v.Generation)
		}
	}
	check("the status", v.Status.ObservedGeneration)
	for _, kind := range kubelets {
		if is := conditionOf(v.Status, kind); is != nil {
			check("condition "+string(kind), is.ObservedGeneration)
			if is.ObservedGeneration == 0 && v.Status.ObservedGeneration != 0 {
				c.wrong("condition %s observed no generation, but the status did", kind)
			}
		}
	}
}

func (c *checker) nextGeneration(before, v *timeline.Version) {
	if was, is := before.Status.ObservedGeneration, v.Status.ObservedGeneration; is < was {
		c.wrong("the observed generation went from %d to %d", was, is)
	}
}

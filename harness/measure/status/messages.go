package status

import (
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// The kubelet's texts that name nothing of the pod. shutdownMessage is the message of the pod and of its condition.
const (
	deadlineMessage = "Pod was active on the node longer than the specified deadline"
	preemptMessage  = "Preempted in order to admit critical pod"
	shutdownMessage = "Pod was terminated in response to imminent node shutdown."
	disruptMessage  = "Pod was preempted by Kubelet to accommodate a critical pod."
	removedMessage  = "The container is removed because RestartAllContainers in place"
	restartAll      = "RestartingAllContainers"
)

// nodeLow is the message of an eviction because of the node (pkg/kubelet/eviction/helpers.go evictionMessage).
var nodeLow = regexp.MustCompile(`^The node was low on resource: \S+\. ` +
	`(Threshold quantity: \S+, available: \S+\. )?` +
	`((Pod|Container) \S+ was using \S+, request is \S+, has larger consumption of \S+\. )*$`)

// endMessages are the forms of the message for each reason with which the kubelet ends a pod that it has admitted:
// evictions because of the node, and because of limits (eviction/helpers.go), pkg/kubelet/active_deadline.go,
// preemption/preemption.go evictPodsToFreeRequests, nodeshutdown/nodeshutdown_manager.go killPods.
var endMessages = map[string][]*regexp.Regexp{
	"Evicted": {
		nodeLow,
		regexp.MustCompile(`^Container \S+ exceeded its local ephemeral storage limit "\S+"\. $`),
		regexp.MustCompile(`^Pod ephemeral local storage usage exceeds the total limit of containers \S+\. $`),
		regexp.MustCompile(`^Usage of EmptyDir volume "\S+" exceeds the limit "\S+"\. $`),
	},
	"DeadlineExceeded": {whole(deadlineMessage)},
	"Preempting":       {whole(preemptMessage)},
	"Terminated":       {whole(shutdownMessage)},
}

func whole(text string) *regexp.Regexp { return regexp.MustCompile("^" + regexp.QuoteMeta(text) + "$") }

// namedInEviction finds the names of containers, or of volumes, in an eviction's message.
var namedInEviction = regexp.MustCompile(`Container (\S+) (?:was|exceeded)|EmptyDir volume "([^"]+)"`)

// reason checks the pod's reason and message, and that no message is one that Go could not format.
func (c *checker) reason(v *timeline.Version) {
	s := v.Status
	c.formatted("the pod", s.Message)
	for _, condition := range s.Conditions {
		c.formatted("condition "+string(condition.Type), condition.Message)
	}
	for _, status := range slices.Concat(s.InitContainerStatuses, s.ContainerStatuses) {
		if status.State.Waiting != nil {
			c.formatted("container "+status.Name, status.State.Waiting.Message)
		}
	}
	forms, known := endMessages[s.Reason]
	fits := slices.ContainsFunc(forms, func(form *regexp.Regexp) bool { return form.MatchString(s.Message) })
	switch {
	case (s.Reason == "") != (s.Message == ""):
		c.wrong("the pod's reason is %q, but its message is %q", s.Reason, s.Message)
	case s.Reason == "" || fits:
	case refused(s) && !refusal.MatchString(s.Message), !refused(s) && known:
		c.wrong("the pod's reason is %s, but its message is %q", s.Reason, s.Message)
	}
	for _, named := range namedInEviction.FindAllStringSubmatch(s.Message, -1) {
		if s.Reason == "Evicted" && !c.has(named[1], named[2]) {
			c.wrong("the pod was evicted for %q, which it does not have", named[0])
		}
	}
}

// formatted checks that a message has no trace of a wrong format (package fmt).
func (c *checker) formatted(whose, message string) {
	if strings.Contains(message, "%!") {
		c.wrong("the message of %s is %q", whose, message)
	}
}

// has reports whether the pod has a container or a volume of this name.
func (c *checker) has(container, volume string) bool {
	all := slices.Concat(c.spec.InitContainers, c.spec.Containers)
	return slices.ContainsFunc(all, func(c corev1.Container) bool { return c.Name == container }) ||
		slices.ContainsFunc(c.spec.Volumes, func(v corev1.Volume) bool { return v.Name == volume })
}

// sameReason checks that an ended pod keeps its reason and message (pkg/kubelet/kubelet_pods.go generateAPIPodStatus).
// A restarted kubelet does not know those of a static pod.
func (c *checker) sameReason(before, v *timeline.Version) {
	was, is := before.Status, v.Status
	if c.ref != "" && terminal(was.Phase) && (was.Reason != is.Reason || was.Message != is.Message) {
		c.wrong("the pod's reason went from %q (%q) to %q (%q)", was.Reason, was.Message, is.Reason, is.Message)
	}
}

// disruption compares the condition DisruptionTarget with the pod's reason. The kubelet shows its own only with the
// phase (pkg/kubelet/status/status_manager.go mergePodStatus). Limits of storage and deadlines are no disruption. A pod
// whose containers succeed nevertheless loses the reason (pkg/kubelet/kubelet_pods.go generateAPIPodStatus).
func (c *checker) disruption(v *timeline.Version) {
	s, want := v.Status, ""
	switch {
	case !terminal(s.Phase):
	case s.Reason == "Preempting":
		want = disruptMessage
	case s.Reason == "Terminated", s.Reason == "Evicted" && nodeLow.MatchString(s.Message):
		want = s.Message
	}
	is := conditionOf(s, corev1.DisruptionTarget)
	byKubelet := is != nil && is.Reason == corev1.PodReasonTerminationByKubelet
	if byKubelet && s.Phase == corev1.PodSucceeded && s.Reason == "" &&
		(is.Message == disruptMessage || is.Message == shutdownMessage || nodeLow.MatchString(is.Message)) {
		want = is.Message
	}
	switch {
	case want == "" && byKubelet:
		c.wrong("DisruptionTarget says %q, but the phase is %s and the reason %q", is.Message, s.Phase, s.Reason)
	case want != "" && !byKubelet:
		c.wrong("the pod ended with %s, but it has no DisruptionTarget of the kubelet", s.Reason)
	case want != "" && is.Message != want:
		c.wrong("the message of DisruptionTarget is %q, expected %q", is.Message, want)
	case byKubelet && is.Status != corev1.ConditionTrue:
		c.wrong("DisruptionTarget is %s", is.Status)
	}
}

// server checks what the API server writes of its own: the generation of a new pod (pkg/registry/core/pod/strategy.go
// PrepareForCreate), and the condition of one that is evicted (storage/eviction.go addConditionAndDeletePod).
func (c *checker) server(v *timeline.Version) {
	if c.first.Generation > 1 {
		c.wrong("a new pod has generation %d, expected 1", c.first.Generation)
	}
	is := conditionOf(v.Status, corev1.DisruptionTarget)
	if is != nil && is.Status == corev1.ConditionTrue && is.Reason == "EvictionByEvictionAPI" &&
		is.Message != "Eviction API: evicting" {
		c.wrong("the message of DisruptionTarget is %q after an eviction by the API", is.Message)
	}
}

// backOff is the message of CrashLoopBackOff (pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff).
var backOff = regexp.MustCompile(`^back-off (\S+) restarting failed container=(\S+) pod=(\S+_\S+\(\S+\))$`)

// waits checks why a container waits, and what the message says of it.
func (c *checker) waits(v *timeline.Version) {
	if refused(v.Status) {
		return
	}
	for _, status := range slices.Concat(v.Status.InitContainerStatuses, v.Status.ContainerStatuses) {
		if wait := status.State.Waiting; wait != nil && !c.explains(&status, wait.Reason, wait.Message) {
			c.wrong("container %s waits with %s, but the message is %q", status.Name, wait.Reason, wait.Message)
		}
		for _, end := range []*corev1.ContainerStateTerminated{
			status.State.Terminated, status.LastTerminationState.Terminated,
		} {
			if end != nil && end.ContainerID == "" && (!madeUp(end) || end.ExitCode == 0 && c.isSidecar(status.Name)) {
				c.wrong("container %s ended without an ID, with %d, %s and %q",
					status.Name, end.ExitCode, end.Reason, end.Message)
			}
		}
	}
}

// explains reports whether a reason to wait has its message (pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses;
// kuberuntime/kuberuntime_container.go startContainer; images/image_manager.go EnsureImageExists).
func (c *checker) explains(s *corev1.ContainerStatus, reason, message string) bool {
	switch reason {
	case "ContainerCreating", "PodInitializing":
		return message == "" && (reason == "PodInitializing") == (len(c.spec.InitContainers) > 0)
	case "CrashLoopBackOff":
		parts := backOff.FindStringSubmatch(message)
		return parts != nil && parts[2] == s.Name && (c.ref == "" || parts[3] == c.ref) && c.inSeries(parts[1])
	case "ImagePullBackOff":
		return strings.HasPrefix(message, `Back-off pulling image "`+c.image(s))
	case "ErrImageNeverPull":
		return strings.HasPrefix(message, `Container image "`+c.image(s)) &&
			strings.HasSuffix(message, `" is not present with pull policy of Never`)
	case restartAll:
		last := s.LastTerminationState.Terminated
		return message == removedMessage && last != nil && last.Reason == restartAll
	case "CreateContainerConfigError":
		parts := missingKey.FindStringSubmatch(message)
		return message != "" && (parts == nil || c.ref == "" || strings.Contains(c.ref, "_"+parts[1]+"("))
	case "PostStartHookError":
		parts := hook.FindStringSubmatch(message)
		return message != "" && (parts == nil || parts[1] == s.Name && (c.ref == "" || parts[2] == c.ref))
	case "ErrImagePull", "RunContainerError", "CreateContainerError":
		return message != ""
	}
	return true
}

// missingKey finds the namespace of an object without a key (pkg/kubelet/kubelet_pods.go makeEnvironmentVariables), and
// hook whose postStart hook failed (pkg/kubelet/lifecycle/handlers.go Run).
var (
	missingKey = regexp.MustCompile(`^couldn't find key \S+ in (?:Secret|ConfigMap) (\S+)/\S+$`)
	hook       = regexp.MustCompile(`lifecycle hook \(.*\) for Container "(\S+)" in Pod "(\S+)" failed`)
)

// image returns the image that a container without an earlier one waits for. Of another one the status names that of
// its newest container.
func (c *checker) image(s *corev1.ContainerStatus) string {
	if s.ContainerID != "" {
		return ""
	}
	return s.Image
}

// inSeries reports whether a back-off doubles from ten seconds or from one, or is the longest one of its node.
func (c *checker) inSeries(text string) bool {
	is, err := time.ParseDuration(text)
	if err != nil || is <= 0 || c.longest > 0 && is > c.longest {
		return false
	}
	for _, first := range []time.Duration{time.Second, 10 * time.Second} {
		for doubled := first; doubled <= is; doubled *= 2 {
			if is == doubled {
				return true
			}
		}
	}
	c.longest = is
	return true
}

// madeUp reports whether the kubelet made up this end: it found no container that it knew, and none of an init
// container though later ones exist.
func madeUp(e *corev1.ContainerStateTerminated) bool {
	const gone = "The container could not be located when the pod was "
	switch e.Reason {
	case "ContainerStatusUnknown":
		return e.ExitCode == 137 && (e.Message == gone+"terminated" ||
			e.Message == gone+"deleted.  The container used to be Running")
	case restartAll:
		return e.ExitCode == 137 && (e.Message == removedMessage || e.Message == gone+"terminated")
	}
	return e.ExitCode == 0 && e.Reason == "Completed" && strings.HasPrefix(e.Message, "Unable to get init container")
}

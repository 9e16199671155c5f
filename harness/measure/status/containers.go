package status

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// containers checks the list of statuses, and the fields of each.
func (c *checker) containers(v *timeline.Version) {
	if refused(v.Status) {
		return
	}
	c.list("init container", c.spec.InitContainers, v.Status.InitContainerStatuses, false)
	c.list("container", c.spec.Containers, v.Status.ContainerStatuses, true)
}

// list compares statuses with containers. Those of init containers are in the order of the specification, the others
// in that of their names (pkg/kubelet/types/types.go SortedContainerStatuses, SortInitContainerStatuses).
func (c *checker) list(what string, all []corev1.Container, statuses []corev1.ContainerStatus, sorted bool) {
	var want, is []string
	for _, container := range all {
		want = append(want, container.Name)
	}
	for _, s := range statuses {
		is = append(is, s.Name)
	}
	if sorted {
		slices.Sort(want)
	}
	if !slices.Equal(want, is) {
		c.wrong("the statuses of each %s are %v, expected %v", what, is, want)
		return
	}
	for i := range statuses {
		at := slices.IndexFunc(all, func(container corev1.Container) bool { return container.Name == statuses[i].Name })
		c.container(all[at], &statuses[i], !sorted)
	}
}

func (c *checker) container(spec corev1.Container, s *corev1.ContainerStatus, init bool) {
	states := 0
	for _, is := range []bool{s.State.Waiting != nil, s.State.Running != nil, s.State.Terminated != nil} {
		if is {
			states++
		}
	}
	if states != 1 {
		c.wrong("container %s has %d states", s.Name, states)
		return
	}
	if s.Image == "" {
		c.wrong("container %s has no image", s.Name)
	}
	if run := s.State.Running; run != nil {
		switch {
		case s.ContainerID == "" || s.ImageID == "":
			c.wrong("container %s runs without an ID of the container or its image", s.Name)
		case run.StartedAt.IsZero():
			c.wrong("container %s runs without startedAt", s.Name)
		case c.until < run.StartedAt.UnixNano(): // cut to whole seconds, so never too late
			c.wrong("container %s starts only at %s", s.Name, run.StartedAt.UTC().Format(time.TimeOnly))
		case s.Started == nil && (!init || sidecar(spec)):
			c.wrong("container %s runs, but started is unset", s.Name)
		case s.Started != nil && *s.Started && !probed(spec) && !s.Ready && (!init || sidecar(spec)):
			c.wrong("container %s has started and has no probe for that, but is not ready", s.Name)
		}
	}
	if s.State.Waiting != nil && s.State.Waiting.Reason == "" {
		c.wrong("container %s waits without a reason", s.Name)
	}
	for _, e := range []*corev1.ContainerStateTerminated{s.State.Terminated, s.LastTerminationState.Terminated} {
		c.end(s, e)
		c.message(spec, e)
	}
	ended := s.State.Terminated
	switch {
	case s.Ready && s.Started != nil && !*s.Started && spec.StartupProbe == nil && (!init || sidecar(spec)):
		c.wrong("container %s is ready, but has not started", s.Name)
	case s.Ready && s.State.Running == nil && (!init || sidecar(spec)):
		c.wrong("container %s is ready, but does not run", s.Name)
	case init && !sidecar(spec) && s.Ready != (ended != nil && ended.ExitCode == 0) && !keptReady(s):
		c.wrong("init container %s has ready %v, but succeeded is %v", s.Name, s.Ready, !s.Ready)
	case s.State.Running == nil && s.Started != nil && *s.Started:
		c.wrong("container %s has started, but does not run", s.Name)
	case ended != nil && ended.ContainerID != "" && ended.ContainerID != s.ContainerID:
		c.wrong("container %s is %s, but the one that ended is %s", s.Name, s.ContainerID, ended.ContainerID)
	case s.RestartCount == 0 && s.State.Running != nil && s.LastTerminationState.Terminated != nil:
		c.wrong("container %s has a lastState, but restartCount 0", s.Name)
	}
}

// keptReady reports whether the kubelet removed an init container that had succeeded, to restart all containers. Its
// status stays ready until the next start (pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses).
func keptReady(s *corev1.ContainerStatus) bool {
	return s.Ready && s.State.Waiting != nil && s.State.Waiting.Reason == restartAll
}

// probed reports whether a probe decides when a container that has started becomes ready: its readiness probe, or the
// startup probe of a life that inherited started from the one before.
func probed(spec corev1.Container) bool {
	return spec.ReadinessProbe != nil || spec.StartupProbe != nil
}

// end checks a container's end. Those that the kubelet made up have no container and no times. containerd notes a start
// when it has started the process, which may have ended in the second before (internal/cri/server/container_start.go).
func (c *checker) end(s *corev1.ContainerStatus, e *corev1.ContainerStateTerminated) {
	switch {
	case e == nil || e.ContainerID == "":
	case e.Reason == "":
		c.wrong("container %s ended without a reason", s.Name)
	case e.StartedAt.IsZero() || e.FinishedAt.IsZero():
		c.wrong("container %s ended without startedAt or finishedAt", s.Name)
	case e.FinishedAt.Add(time.Duration(cutToSeconds)).Before(e.StartedAt.Time):
		c.wrong("container %s finished before it started", s.Name)
	case e.ExitCode == 0 && e.Reason != "Completed", e.ExitCode != 0 && e.Reason == "Completed":
		c.wrong("container %s ended with %d and the reason %s", s.Name, e.ExitCode, e.Reason)
	}
}

// message checks the message of a process's end, if the process wrote a message or a log
// (pkg/kubelet/kuberuntime/kuberuntime_container.go convertToKubeContainerStatus, getTerminationMessage). One that was
// killed may have no message.
func (c *checker) message(spec corev1.Container, e *corev1.ContainerStateTerminated) {
	if e == nil || e.Reason != "Completed" && e.Reason != "Error" || e.ExitCode == 137 && e.Message == "" {
		return
	}
	run, err := victim.ParseRun(spec.Args)
	if err != nil || run.Message == "" && run.Log == "" {
		return
	}
	want := run.Message
	logs := spec.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError
	if want == "" && e.ExitCode != 0 && logs {
		want = run.Log + "\n"
	}
	if e.Message != want {
		c.wrong("container %s ended with the message %q, expected %q", spec.Name, e.Message, want)
	}
}

// lastEnds compares restartCount and lastState with the version before.
func (c *checker) lastEnds(before, v *timeline.Version) {
	for i, all := range [][]corev1.ContainerStatus{v.Status.InitContainerStatuses, v.Status.ContainerStatuses} {
		for j := range all {
			if was := statusOf(before.Status, all[j].Name); was != nil {
				c.lastEnd(was, &all[j], i == 0)
			}
		}
	}
}

// lastEnd checks one container. The kubelet removes dead init containers, so that it may know nothing of an earlier end
// (pkg/kubelet/kuberuntime/kuberuntime_container.go pruneInitContainersBeforeStart). Of a static pod's container that
// somebody removed, a restarted kubelet knows not even that it started. Nor does any kubelet, if a static pod whose
// file was removed has lost its containers and logs before the file returns.
func (c *checker) lastEnd(was, is *corev1.ContainerStatus, init bool) {
	ended, last := was.State.Terminated, is.LastTerminationState.Terminated
	forgotten := c.ref == "" && is.RestartCount == 0 && last == nil
	switch {
	case is.RestartCount < was.RestartCount && (c.ref != "" || is.ContainerID != ""):
		c.wrong("restartCount of container %s went from %d to %d", is.Name, was.RestartCount, is.RestartCount)
	case is.RestartCount > was.RestartCount && is.State.Running != nil && is.ContainerID == was.ContainerID:
		c.wrong("restartCount of container %s grew, but the container is the same", is.Name)
	case ended != nil && is.State.Terminated == nil && is.RestartCount <= was.RestartCount+1:
		madeUp := last == nil && init || last != nil && last.ContainerID == ""
		another := forgotten && is.ContainerID != was.ContainerID
		if !madeUp && !another && (last == nil || last.ContainerID != ended.ContainerID ||
			last.ExitCode != ended.ExitCode ||
			!last.StartedAt.Equal(&ended.StartedAt)) {
			c.wrong("the end of container %s is not its lastState", is.Name)
		}
	case ended != nil && is.State.Terminated != nil && ended.ContainerID == is.State.Terminated.ContainerID &&
		(ended.ExitCode != is.State.Terminated.ExitCode || !ended.StartedAt.Equal(&is.State.Terminated.StartedAt)):
		c.wrong("the end of container %s changed", is.Name)
	case was.State.Running != nil && is.State.Terminated != nil && was.ContainerID == is.State.Terminated.ContainerID &&
		!was.State.Running.StartedAt.Equal(&is.State.Terminated.StartedAt):
		c.wrong("startedAt of container %s changed with its end", is.Name)
	case was.State.Running != nil && is.State.Running != nil && was.RestartCount == is.RestartCount:
		switch another := was.ContainerID != is.ContainerID; {
		case another && !forgotten:
			c.wrong("container %s is another one, but restartCount is the same", is.Name)
		case !another && !was.State.Running.StartedAt.Equal(&is.State.Running.StartedAt):
			c.wrong("startedAt of container %s changed", is.Name)
		}
	}
}

// keptEnds checks that the status keeps the end of an init container that the kubelet removed
// (pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses). A restarted kubelet does not know that of a static pod.
func (c *checker) keptEnds(before, v *timeline.Version) {
	if c.ref == "" {
		return
	}
	for _, is := range v.Status.InitContainerStatuses {
		was := statusOf(before.Status, is.Name)
		ended := was != nil && was.State.Terminated != nil && is.State.Terminated == nil
		if ended && is.LastTerminationState.Terminated == nil {
			c.wrong("the end of init container %s is not its lastState", is.Name)
		}
	}
}

// forGood checks that no version takes back an end after which the pod's policy restarts nothing
// (pkg/kubelet/status/status_manager.go checkContainerStateTransition). A restarted kubelet does not know the ends of a
// static pod.
func (c *checker) forGood(before, v *timeline.Version) {
	all, policy := slices.Concat(c.spec.InitContainers, c.spec.Containers), c.spec.RestartPolicy
	onFailure := policy == corev1.RestartPolicyOnFailure
	if c.ref == "" || !onFailure && policy != corev1.RestartPolicyNever ||
		slices.ContainsFunc(all, podspec.RestartsAll) {
		return
	}
	for _, container := range all {
		was, is := statusOf(before.Status, container.Name), statusOf(v.Status, container.Name)
		if container.RestartPolicy != nil || was == nil || is == nil || was.State.Terminated == nil {
			continue
		}
		code := was.State.Terminated.ExitCode
		if is.State.Terminated == nil && !(onFailure && code != 0) {
			c.wrong("container %s had ended with %d for good, but no longer has", is.Name, code)
		}
	}
}

// resources compares the resources of a container that has ended with those allocated to it
// (convertToAPIContainerStatuses).
func (c *checker) resources(v *timeline.Version) {
	for _, s := range slices.Concat(v.Status.InitContainerStatuses, v.Status.ContainerStatuses) {
		ended := s.State.Terminated
		switch {
		case s.ContainerID == "" || len(s.AllocatedResources) == 0:
		case s.Resources == nil || len(s.Resources.Requests) == 0:
			c.wrong("container %s has allocatedResources, but no resources", s.Name)
		case ended != nil && ended.ContainerID == s.ContainerID &&
			!apiequality.Semantic.DeepEqual(s.Resources.Requests, s.AllocatedResources):
			c.wrong("container %s ended, but its resources are not those allocated", s.Name)
		}
	}
}

// nextResources checks those of a container that runs on. In a pod that was not changed they stay the same. Two
// statuses without a resize have the memory that is allocated. The runtime may round the CPU.
func (c *checker) nextResources(before, v *timeline.Version) {
	for _, is := range slices.Concat(v.Status.InitContainerStatuses, v.Status.ContainerStatuses) {
		was := statusOf(before.Status, is.Name)
		if was == nil || was.ContainerID != is.ContainerID || was.State.Running == nil || is.State.Running == nil {
			continue
		}
		kept := apiequality.Semantic.DeepEqual(was.AllocatedResources, is.AllocatedResources)
		switch {
		case v.Generation == 1 && !(kept && apiequality.Semantic.DeepEqual(was.Resources, is.Resources)):
			c.wrong("the resources of container %s changed without a resize", is.Name)
		case !kept || len(is.AllocatedResources) == 0 || is.Resources == nil:
		case resizing(before.Status) || resizing(v.Status):
		case !is.Resources.Requests.Memory().Equal(*is.AllocatedResources.Memory()):
			c.wrong("container %s requests %s of memory, but %s is allocated",
				is.Name, is.Resources.Requests.Memory(), is.AllocatedResources.Memory())
		}
	}
}

func resizing(s corev1.PodStatus) bool {
	return conditionOf(s, corev1.PodResizePending) != nil || conditionOf(s, corev1.PodResizeInProgress) != nil
}

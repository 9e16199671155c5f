package event

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// lives checks that each life has its event Started (kuberuntime_container.go startContainer).
func (c *checker) lives() {
	for _, container := range c.containers() {
		events := len(c.reported(container.Name, "Started"))
		lives := 0
		for life := c.Life(container.Name, 1); life != nil; life = c.Life(container.Name, life.Number+1) {
			if life.Started == nil || !c.over(*life.Started) {
				continue
			}
			if lives++; lives > events {
				c.wrong(life.Started.At, "life %d of container %s started, but event Started came %d times",
					life.Number, container.Name, events)
			}
		}
	}
}

// kills checks that each life that was killed has its event Killing (kuberuntime_container.go killContainer). The
// kubelet runs the preStop hook, and the container runtime sends the signal.
func (c *checker) kills() {
	if c.has("SandboxChanged") { // what ended the sandbox may have stopped its containers
		return
	}
	for _, container := range c.containers() {
		events := len(c.reported(container.Name, "Killing"))
		kills := 0
		for life := c.Life(container.Name, 1); life != nil; life = c.Life(container.Name, life.Number+1) {
			sign := life.SIGTERM()
			if len(life.Hooks) > 0 {
				sign = &life.Hooks[0].Began
			}
			if sign == nil || !c.over(*sign) {
				continue
			}
			if kills++; kills > events {
				c.wrong(sign.At, "life %d of container %s was killed, but event Killing came %d times", life.Number,
					container.Name, events)
			}
		}
	}
}

// failedProbes checks that each probe that got a failing answer has its event Unhealthy (prober/prober.go probe). An
// exec probe whose answer the kubelet did not get may be one of three tries (runProbeWithRetries, maxProbeRetries).
func (c *checker) failedProbes() {
	for _, container := range c.containers() {
		for kind, probe := range probes(&container) {
			if probe == nil {
				continue
			}
			events, tries := 0, 1
			if probe.Exec != nil {
				tries = 3
			}
			for _, e := range c.reported(container.Name, "Unhealthy") {
				if strings.HasPrefix(e.Message, kind+" probe ") {
					events += tries
				}
			}
			failed := 0
			for life := c.Life(container.Name, 1); life != nil; life = c.Life(container.Name, life.Number+1) {
				for _, p := range life.Probes {
					if p.For != strings.ToLower(kind) || !strings.ContainsAny(p.Answer, "FNU") || !c.over(p.At) {
						continue
					}
					if failed++; failed > events {
						c.wrong(p.At.At, "%s probe %d of container %s failed, but event Unhealthy came %d times",
							p.For, failed, container.Name, events/tries)
					}
				}
			}
		}
	}
}

// waiting checks that a container whose start failed has the events of that (kuberuntime_container.go startContainer,
// kuberuntime_manager.go doBackOff, images/image_manager.go EnsureImageExists).
func (c *checker) waiting() {
	for _, v := range c.Versions {
		if !c.over(v.At) {
			continue
		}
		for _, s := range append(append([]corev1.ContainerStatus{}, v.Status.InitContainerStatuses...),
			v.Status.ContainerStatuses...) {
			reason := ""
			if s.State.Waiting != nil {
				reason = s.State.Waiting.Reason
			} else if s.State.Terminated != nil {
				reason = s.State.Terminated.Reason
			}
			for _, want := range failures[reason] {
				if !c.reports(s.Name, want) {
					c.wrong(v.At.At, "container %s has the state %s, but no event %s begins with %q", s.Name, reason,
						want.reason, want.message)
				}
			}
		}
	}
}

// failures are the events of failed starts by the reason of the state. A message is how the event's begins. StartError
// is containerd's reason of a container that could not be started.
var failures = map[string][]form{
	"CreateContainerConfigError": {{"Failed", warning, "Error: "}},
	"CreateContainerError":       {{"Failed", warning, "Error: "}},
	"RunContainerError":          {{"Failed", warning, "Error: "}},
	"StartError":                 {{"Failed", warning, "Error: "}},
	"ErrImagePull": {
		{"Pulling", normal, "Pulling image "}, {"Failed", warning, "Failed to pull image "},
		{"Failed", warning, "Error: ErrImagePull"},
	},
	"ImagePullBackOff": {
		{"BackOff", normal, "Back-off pulling image "}, {"Failed", warning, "Error: ImagePullBackOff"},
	},
	"ErrImageNeverPull": {
		{"ErrImageNeverPull", warning, "Container image "}, {"Failed", warning, "Error: ErrImageNeverPull"},
	},
	"InvalidImageName": {
		{"InspectFailed", warning, "Failed to apply default image tag "},
		{"Failed", warning, "Error: InvalidImageName"},
	},
	"CrashLoopBackOff": {{"BackOff", warning, "Back-off restarting failed container"}},
	"PostStartHookError": {
		{"FailedPostStartHook", warning, ""}, {"Killing", normal, "FailedPostStartHook"},
	},
}

func (c *checker) reports(container string, want form) bool {
	for _, e := range c.all {
		mine := e.Container == container || e.Path == "" // an image can be that of a volume
		if mine && e.Reason == want.reason && e.Type == want.kind && strings.HasPrefix(e.Message, want.message) {
			return true
		}
	}
	return false
}

// ended checks that a pod that the kubelet ended or refused has an event with the same reason and message (kubelet.go
// rejectPod, eviction/eviction_manager.go evictPod, preemption/preemption.go evictPodsToFreeRequests,
// active_deadline.go ShouldEvict).
func (c *checker) ended() {
	for _, v := range c.Versions {
		s := v.Status
		_, refused := strings.CutPrefix(s.Message, "Pod was rejected: ")
		known := s.Reason == "Evicted" || s.Reason == "Preempting" || s.Reason == "DeadlineExceeded"
		if s.Phase != corev1.PodFailed || !refused && !known || !c.over(v.At) {
			continue
		}
		found := false
		for _, e := range c.all {
			found = found || e.Path == "" && e.Reason == s.Reason && strings.HasSuffix(s.Message, e.Message)
		}
		if !found {
			c.wrong(v.At.At, "the pod failed with reason %s, but no event has that reason and its message", s.Reason)
		}
	}
}

// sandboxes checks that a pod whose sandbox was lost and made again has the event of that (kuberuntime_manager.go
// SyncPod; status/generate.go GeneratePodReadyToStartContainersCondition).
func (c *checker) sandboxes() {
	ready, lost := false, false
	for _, v := range c.Versions {
		for _, is := range v.Status.Conditions {
			if is.Type != corev1.PodReadyToStartContainers {
				continue
			}
			now := is.Status == corev1.ConditionTrue
			lost = lost || ready && !now
			if ready = now; ready && lost && c.over(v.At) && !c.has("SandboxChanged") {
				c.wrong(v.At.At, "the pod lost its sandbox and has one again, but no event SandboxChanged came")
			}
		}
	}
}

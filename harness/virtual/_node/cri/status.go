package cri

import (
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// The reasons of an exit (server/helpers.go).
const (
	completed  = "Completed"
	failed     = "Error"
	oomKilled  = "OOMKilled"
	startError = "StartError"
)

// startErrorCode is the exit code of a container that could not start (server/helpers.go, errorStartExitCode).
const startErrorCode = 128

// status returns the answer of ContainerStatus (container_status.go, toCRIContainerStatus).
func (c *container) status() *runtimeapi.ContainerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	status := &runtimeapi.ContainerStatus{
		Id:          c.id,
		Metadata:    c.config.GetMetadata(),
		State:       c.stateNow(),
		CreatedAt:   c.createdAt.UnixNano(),
		ExitCode:    c.exitCode,
		Image:       &runtimeapi.ImageSpec{Image: c.image.reference},
		ImageRef:    c.image.id,
		ImageId:     c.image.id,
		Reason:      c.reason,
		Message:     c.message,
		Labels:      c.config.GetLabels(),
		Annotations: c.config.GetAnnotations(),
		Mounts:      c.config.GetMounts(),
		LogPath:     c.logPath(),
		Resources:   c.resources,
		User:        &runtimeapi.ContainerUser{},
		StopSignal:  runtimeapi.Signal(runtimeapi.Signal_value[c.stopSignal()]),
	}
	if c.main != nil {
		status.StartedAt = c.main.startedAt.UnixNano()
	}
	if status.State == runtimeapi.ContainerState_CONTAINER_EXITED {
		status.FinishedAt = c.finishedAt.UnixNano()
		if status.Reason == "" {
			status.Reason = completed
			if status.ExitCode != 0 {
				status.Reason = failed
			}
		}
	}
	return status
}

// listed returns the container's entry in ListContainers (container_list.go, toCRIContainer).
func (c *container) listed() *runtimeapi.Container {
	return &runtimeapi.Container{
		Id:           c.id,
		PodSandboxId: c.sandbox.id,
		Metadata:     c.config.GetMetadata(),
		Image:        c.config.GetImage(),
		ImageRef:     c.image.id,
		ImageId:      c.image.id,
		State:        c.state(),
		CreatedAt:    c.createdAt.UnixNano(),
		Labels:       c.config.GetLabels(),
		Annotations:  c.config.GetAnnotations(),
	}
}

func (r *Runtime) listContainers(filter *runtimeapi.ContainerFilter) []*runtimeapi.Container {
	var listed []*runtimeapi.Container
	for _, c := range r.allContainers() {
		l := c.listed()
		inState := filter.GetState() == nil || filter.GetState().GetState() == l.State
		if inState && matches(filter.GetId(), l.Id) && matches(filter.GetPodSandboxId(), l.PodSandboxId) &&
			selects(filter.GetLabelSelector(), l.Labels) {
			listed = append(listed, l)
		}
	}
	return listed
}

package cri

import (
	"slices"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// status is toCRIContainerStatus (container_status.go).
func (c *container) status() *criapi.ContainerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	status := &criapi.ContainerStatus{
		Id:          c.id,
		Metadata:    c.config.GetMetadata(),
		State:       c.stateNow(),
		CreatedAt:   c.createdAt.UnixNano(),
		ExitCode:    c.exitCode,
		Image:       &criapi.ImageSpec{Image: c.image.reference},
		ImageRef:    c.image.id,
		ImageId:     c.image.id,
		Reason:      c.reason,
		Message:     c.message,
		Labels:      c.config.GetLabels(),
		Annotations: c.config.GetAnnotations(),
		Mounts:      c.config.GetMounts(),
		LogPath:     c.logPath(),
		Resources:   c.resources,
	}
	complete(status, c.stopSignal())
	if c.main != nil {
		status.StartedAt = c.main.startedAt.UnixNano()
	}
	if status.State == criapi.ContainerState_CONTAINER_EXITED {
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

// listed is toCRIContainer (container_list.go).
func (c *container) listed() *criapi.Container {
	return &criapi.Container{
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

func (r *Runtime) listContainers(filter *criapi.ContainerFilter) []*criapi.Container {
	var listed []*criapi.Container
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

// stats answers ContainerStats, with only a writable layer of a stopped container (container_stats_list.go,
// linuxContainerMetrics).
func (r *Runtime) stats(c *container) *criapi.ContainerStats {
	stats := r.options.Stats(c.view())
	stats.Attributes = &criapi.ContainerAttributes{
		Id:          c.id,
		Metadata:    c.config.GetMetadata(),
		Labels:      c.config.GetLabels(),
		Annotations: c.config.GetAnnotations(),
	}
	if c.running() == nil {
		stats.Cpu, stats.Memory, stats.Swap = nil, nil, nil
	}
	return stats
}

// listStats lists dead containers, as containerd does. containerd lists in no order; here the newest comes first.
func (r *Runtime) listStats(filter *criapi.ContainerStatsFilter) []*criapi.ContainerStats {
	var listed []*criapi.ContainerStats
	for _, c := range slices.Backward(r.allContainers()) {
		if matches(filter.GetId(), c.id) && matches(filter.GetPodSandboxId(), c.sandbox.id) &&
			selects(filter.GetLabelSelector(), c.config.GetLabels()) {
			listed = append(listed, r.stats(c))
		}
	}
	return listed
}

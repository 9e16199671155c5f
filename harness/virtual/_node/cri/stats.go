package cri

import (
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// stats returns the answer of ContainerStats. A container that does not run has only a writable layer
// (container_stats_list.go, linuxContainerMetrics).
func (r *Runtime) stats(c *container) *runtimeapi.ContainerStats {
	stats := r.options.Stats(c.view())
	stats.Attributes = &runtimeapi.ContainerAttributes{
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

func (r *Runtime) listStats(filter *runtimeapi.ContainerStatsFilter) []*runtimeapi.ContainerStats {
	var listed []*runtimeapi.ContainerStats
	for _, c := range r.allContainers() {
		if matches(filter.GetId(), c.id) && matches(filter.GetPodSandboxId(), c.sandbox.id) &&
			selects(filter.GetLabelSelector(), c.config.GetLabels()) {
			listed = append(listed, r.stats(c))
		}
	}
	return listed
}

// sandboxStats returns the answer of PodSandboxStats: the running containers and their sum (sandbox_stats_linux.go,
// podSandboxStats).
func (r *Runtime) sandboxStats(s *sandbox) *runtimeapi.PodSandboxStats {
	var cpu, memory uint64
	linux := &runtimeapi.LinuxPodSandboxStats{}
	for _, c := range r.containersOf(s.id) {
		if c.running() == nil {
			continue
		}
		stats := r.stats(c)
		cpu += stats.GetCpu().GetUsageCoreNanoSeconds().GetValue()
		memory += stats.GetMemory().GetWorkingSetBytes().GetValue()
		linux.Containers = append(linux.Containers, stats)
	}
	now, workingSet := time.Now().UnixNano(), &runtimeapi.UInt64Value{Value: memory}
	linux.Cpu = &runtimeapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: cpu}}
	linux.Memory = &runtimeapi.MemoryUsage{
		Timestamp:       now,
		WorkingSetBytes: workingSet,
		UsageBytes:      workingSet,
		RssBytes:        workingSet,
	}
	return &runtimeapi.PodSandboxStats{
		Attributes: &runtimeapi.PodSandboxAttributes{
			Id:          s.id,
			Metadata:    s.config.GetMetadata(),
			Labels:      s.config.GetLabels(),
			Annotations: s.config.GetAnnotations(),
		},
		Linux: linux,
	}
}

func (r *Runtime) listSandboxStats(filter *runtimeapi.PodSandboxStatsFilter) []*runtimeapi.PodSandboxStats {
	var listed []*runtimeapi.PodSandboxStats
	for _, s := range r.allSandboxes() {
		if matches(filter.GetId(), s.id) && selects(filter.GetLabelSelector(), s.config.GetLabels()) {
			listed = append(listed, r.sandboxStats(s))
		}
	}
	return listed
}

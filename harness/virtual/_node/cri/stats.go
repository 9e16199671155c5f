package cri

import (
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// stats is what ContainerStats says (container_stats_list.go, containerMetrics).
func (r *Runtime) stats(c *container) *runtimeapi.ContainerStats {
	now, usage := time.Now().UnixNano(), r.options.Usage(c.view())
	stats := &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{
			Id: c.id, Metadata: c.config.GetMetadata(), Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(),
		},
		WritableLayer: &runtimeapi.FilesystemUsage{
			Timestamp:  now,
			FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: r.options.ImageFS},
			UsedBytes:  &runtimeapi.UInt64Value{Value: usage.LayerBytes},
			InodesUsed: &runtimeapi.UInt64Value{Value: usage.LayerInodes},
		},
	}
	if c.running() != nil {
		stats.Cpu, stats.Memory = cpu(now, usage), memory(now, usage)
	}
	return stats
}

func cpu(now int64, usage Usage) *runtimeapi.CpuUsage {
	return &runtimeapi.CpuUsage{
		Timestamp:            now,
		UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: uint64(usage.CPU)},
		UsageNanoCores:       &runtimeapi.UInt64Value{},
	}
}

func memory(now int64, usage Usage) *runtimeapi.MemoryUsage {
	bytes := &runtimeapi.UInt64Value{Value: usage.Memory}
	return &runtimeapi.MemoryUsage{Timestamp: now, WorkingSetBytes: bytes, UsageBytes: bytes, RssBytes: bytes}
}

func (r *Runtime) listStats(filter *runtimeapi.ContainerStatsFilter) []*runtimeapi.ContainerStats {
	var listed []*runtimeapi.ContainerStats
	for _, c := range r.allContainers() {
		if matches(filter.GetId(), c.id) && matches(filter.GetPodSandboxId(), c.sandbox.id) && selects(filter.GetLabelSelector(), c.config.GetLabels()) {
			listed = append(listed, r.stats(c))
		}
	}
	return listed
}

// sandboxStats is what PodSandboxStats says: the sum of the containers that run (sandbox_stats_linux.go, podSandboxStats).
func (r *Runtime) sandboxStats(s *sandbox) *runtimeapi.PodSandboxStats {
	now := time.Now().UnixNano()
	var sum Usage
	linux := &runtimeapi.LinuxPodSandboxStats{}
	for _, c := range r.containersOf(s.id) {
		if c.running() == nil {
			continue
		}
		usage := r.options.Usage(c.view())
		sum.CPU += usage.CPU
		sum.Memory += usage.Memory
		linux.Containers = append(linux.Containers, r.stats(c))
	}
	linux.Cpu, linux.Memory = cpu(now, sum), memory(now, sum)
	return &runtimeapi.PodSandboxStats{
		Attributes: &runtimeapi.PodSandboxAttributes{
			Id: s.id, Metadata: s.config.GetMetadata(), Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations(),
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

//go:build !kubelet1_37

package cadvisor

import (
	"github.com/google/cadvisor/cache/memory"
	v1 "github.com/google/cadvisor/info/v1"
	v2 "github.com/google/cadvisor/info/v2"
)

type (
	MachineInfo  = v1.MachineInfo
	VersionInfo  = v1.VersionInfo
	CPUStats     = v1.CpuStats
	CPUUsage     = v1.CpuUsage
	MemoryStats  = v1.MemoryStats
	ProcessStats = v1.ProcessStats

	RequestOptions = v2.RequestOptions
	FsInfo         = v2.FsInfo
	ContainerInfo  = v2.ContainerInfo
	ContainerSpec  = v2.ContainerSpec
	ContainerStats = v2.ContainerStats
	MemorySpec     = v2.MemorySpec
	CPUInstStats   = v2.CpuInstStats
	CPUInstUsage   = v2.CpuInstUsage

	// RequestedInfo is what GetRequestedContainersInfo returns.
	RequestedInfo = v1.ContainerInfo
)

var ErrDataNotFound = memory.ErrDataNotFound

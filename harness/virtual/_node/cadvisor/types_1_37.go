//go:build kubelet1_37

package cadvisor

import (
	"github.com/google/cadvisor/lib/cache/memory"
	"github.com/google/cadvisor/lib/model"
)

type (
	MachineInfo  = model.MachineInfo
	VersionInfo  = model.VersionInfo
	CPUStats     = model.CpuStats
	CPUUsage     = model.CpuUsage
	MemoryStats  = model.MemoryStats
	ProcessStats = model.ProcessStats

	RequestOptions = model.RequestOptions
	FsInfo         = model.FsInfo
	ContainerInfo  = model.ContainerInfo
	ContainerSpec  = model.ContainerSpec
	ContainerStats = model.ContainerStats
	MemorySpec     = model.MemorySpec
	CPUInstStats   = model.CpuInstStats
	CPUInstUsage   = model.CpuInstUsage

	// RequestedInfo is what GetRequestedContainersInfo returns.
	RequestedInfo = model.ContainerInfo
)

var ErrDataNotFound = memory.ErrDataNotFound

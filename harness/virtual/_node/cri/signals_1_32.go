//go:build !kubelet1_33

package cri

import criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

// ownSignal returns no signal: in these versions only an image has a stop signal.
func ownSignal(*criapi.ContainerConfig) string { return "" }

func complete(*criapi.ContainerStatus, string) {}

//go:build kubelet1_33

package cri

import (
	"strings"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// signalPrefix begins a signal's name in CRI since 1.37.
const signalPrefix = "SIGNAL_"

// SignalOf returns the number of a signal, such as that of "SIGTERM".
func SignalOf(name string) criapi.Signal {
	number, ok := criapi.Signal_value[signalPrefix+name]
	if !ok {
		number = criapi.Signal_value[name]
	}
	return criapi.Signal(number)
}

// ownSignal returns the stop signal that the pod gives a container, or "".
func ownSignal(config *criapi.ContainerConfig) string {
	if own := config.GetStopSignal(); own != 0 {
		return strings.TrimPrefix(own.String(), signalPrefix)
	}
	return ""
}

func complete(status *criapi.ContainerStatus, stopSignal string) {
	status.User, status.StopSignal = &criapi.ContainerUser{}, SignalOf(stopSignal)
}

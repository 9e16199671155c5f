package cri

import "time"

// The durations of the runtime's actions. They are fixed, so that a scenario runs alike every time; of the size that
// a node shows; and odd, so that their results rarely fall on a tick of the kubelet.
//
// Calls that only read (lists, statuses, stats, images) take no time. The kubelet makes them with mutexes held
// (kubelet/container, runtimeCache.GetPods; kubelet/pleg, GenericPLEG.Relist), and a bubble's time stops for good
// when a goroutine waits for a mutex whose holder waits for time.
const (
	// sandboxStart is the start of a pause container and its network.
	sandboxStart = 87131 * time.Microsecond
	// sandboxStop is their end.
	sandboxStop = 31373 * time.Microsecond
	// containerCreate is the creation of a container's snapshot and bundle.
	containerCreate = 23719 * time.Microsecond
	// containerRemove is the removal of both.
	containerRemove = 9157 * time.Microsecond
	// containerStart is from the call to the first instruction of the process, by shim and runc.
	containerStart = 58273 * time.Microsecond
	// programStart is from a program's first instruction to its hello to the recorder.
	programStart = 3593 * time.Microsecond
	// execStart is from the call to the first instruction of an exec'd process, by runc.
	execStart = 34687 * time.Microsecond
	// signalDelivery is from the decision to send a signal to its arrival, by shim and runc.
	signalDelivery = 1123 * time.Microsecond
	// exitNoticed is from a process' death until the runtime has noticed it: the shim reaps the process and
	// containerd handles the event.
	exitNoticed = 4211 * time.Microsecond
	// execNoticed is the same for an exec'd process. One that dies with its container is noticed before it.
	execNoticed = 3877 * time.Microsecond
	// handshake is from a dial to the arrival of the connection.
	handshake = 411 * time.Microsecond
	// pullRefused is a registry's answer that an image does not exist.
	pullRefused = 13331 * time.Microsecond
	// exhaustion is the time to fill a container's memory to its limit.
	exhaustion = 93911 * time.Microsecond
	// filling is the time to fill a folder.
	filling = 217 * time.Millisecond
)

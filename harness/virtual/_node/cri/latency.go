package cri

import "time"

// What takes time, and how long: fixed, so that a scenario runs alike every time, of the size that a node
// shows, and odd, so that what follows from them rarely falls on the same instant as a tick of the kubelet.
//
// Calls that only read (lists, statuses, stats, images present) take none at all. The kubelet makes them
// with mutexes held (kubelet/container, runtimeCache.GetPods; kubelet/pleg, GenericPLEG.Relist), and a
// bubble's time stands still for good when a goroutine waits for a mutex whose holder waits for time.
const (
	// sandboxStart is a pause container and its network.
	sandboxStart = 87131 * time.Microsecond
	// sandboxStop is their end.
	sandboxStop = 31373 * time.Microsecond
	// containerCreate is the snapshot and the bundle of a container.
	containerCreate = 23719 * time.Microsecond
	// containerRemove is the end of both.
	containerRemove = 9157 * time.Microsecond
	// containerStart is from the call to the first instruction of the process, by shim and runc.
	containerStart = 58273 * time.Microsecond
	// programStart is from a program's first instruction to its hello to the recorder.
	programStart = 3593 * time.Microsecond
	// execStart is from the call to the first instruction of an exec'd process, by runc.
	execStart = 34687 * time.Microsecond
	// signalDelivery is from the decision to send a signal to its arrival in the process, by shim and runc.
	signalDelivery = 1123 * time.Microsecond
	// exitNoticed is from a process' death until the runtime knows: the shim reaps it and containerd handles the event.
	exitNoticed = 4211 * time.Microsecond
	// execNoticed is the same for an exec'd process; one that dies with its container is noticed before it.
	execNoticed = 3877 * time.Microsecond
	// handshake is from a dial to the arrival of the connection.
	handshake = 411 * time.Microsecond
	// pullRefused is a registry's answer that it does not have an image.
	pullRefused = 13331 * time.Microsecond
	// exhaustion is how long it takes to fill a container's memory to its limit.
	exhaustion = 93911 * time.Microsecond
	// filling is how long it takes to fill a folder.
	filling = 217 * time.Millisecond
)

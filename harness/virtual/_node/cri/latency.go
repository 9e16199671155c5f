package cri

import "time"

// The durations of the runtime's actions. They are fixed, so that a scenario always runs alike; of a real node's
// order; and odd, so that results rarely fall on a tick of the kubelet.
//
// Calls that only read take no time. The kubelet makes them with mutexes held (kubelet/container,
// runtimeCache.GetPods; kubelet/pleg, GenericPLEG.Relist), and a bubble's time stops for good when a goroutine
// waits for a mutex whose holder waits for time.
const (
	sandboxStart    = 87131 * time.Microsecond
	sandboxStop     = 31373 * time.Microsecond
	containerCreate = 23719 * time.Microsecond
	containerRemove = 9157 * time.Microsecond
	// containerStart and execStart end at the process' first instruction, by shim and runc.
	containerStart = 58273 * time.Microsecond
	// programStart is from a program's first instruction to its hello to the recorder.
	programStart   = 3593 * time.Microsecond
	execStart      = 34687 * time.Microsecond
	signalDelivery = 1123 * time.Microsecond
	// exitNoticed is from a death until the shim has reaped the process and containerd has handled the event.
	exitNoticed = 4211 * time.Microsecond
	// execNoticed is less, because an exec'd process that dies with its container is noticed before it.
	execNoticed = 3877 * time.Microsecond
	// handshake is from a dial to the arrival of the connection.
	handshake   = 411 * time.Microsecond
	pulled      = 371 * time.Millisecond
	pullRefused = 13331 * time.Microsecond
	exhaustion  = 93911 * time.Microsecond
	filling     = 217 * time.Millisecond
)

package victim

import (
	"strconv"
	"time"
)

// What whoever plays the fault program keeps to: its image on a real node, a container runtime in virtual time.
const (
	// AskFor bounds the attempts of a process besides the main process to reach it: it may come while the
	// main process starts.
	AskFor = 10 * time.Second
	// MostMemory is, in bytes, where a process that was not killed stops allocating memory: without a
	// memory limit it would take the node with it.
	MostMemory = 1 << 30
	// TCPSettle is how long after a TCP probe its answer is left in place: the kernel answers within
	// microseconds, on whatever core the packet came to, and the next probe is at least a second away.
	TCPSettle = 20 * time.Millisecond
	// TCPLinger bounds how long the connection of a successful TCP probe is kept for the prober to end it.
	TCPLinger = time.Second
	// FillFile is the name of the file in Run.FillDir that holds Run.FillBytes.
	FillFile = "fill"
)

// FillFileOf is the name of one of Run.FillFiles files, from 0.
func FillFileOf(number int64) string { return FillFile + "-" + strconv.FormatInt(number, 10) }

// StopSignals are what a container runtime may send to stop a container: SIGTERM, or what the image's
// STOPSIGNAL says. They all do what Run says of SIGTERM. For no other one there is a handler.
func StopSignals() []string { return []string{"SIGTERM", "SIGINT", "SIGQUIT", StopSignal} }

// TCPHold is how long the answer to a TCP probe stays in place before next, that of the one after it, takes
// its place. A SYN that is dropped comes again until its prober gives up: a port that answered by then
// would end the hanging.
func (r Run) TCPHold(answer, next Answer) time.Duration {
	if answer == Hang && next != Hang {
		return r.TCPTimeout + TCPSettle
	}
	return TCPSettle
}

// StopSignalHold is how long the mark of a stop signal, and what it leads to, is held back, so that the
// mark of the probe that caused it comes first. The kernel refuses a TCP probe before the fault program
// knows of it, and the kubelet's SIGTERM can follow in 8 ms; every other probe is marked before it is
// answered.
func (r Run) StopSignalHold() time.Duration {
	if r.TCPPort == 0 {
		return 0
	}
	return 50 * time.Millisecond
}

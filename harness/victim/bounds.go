package victim

import (
	"strconv"
	"time"
)

// Limits for every player of the fault program: its image on a real node, a container runtime in virtual time.
const (
	// AskFor is how long a hook or probe process tries to reach the main process, which may still be starting.
	AskFor = 10 * time.Second
	// MostMemory, in bytes, is where a process that was not killed stops allocating memory. Without a memory limit it
	// would endanger the node.
	MostMemory = 1 << 30
	// TCPSettle is how long the answer stays in place after a TCP probe. The kernel answers within microseconds, on
	// any core, and the next probe is at least a second away.
	TCPSettle = 20 * time.Millisecond
	// TCPLinger is how long the connection of a successful TCP probe stays open for the prober to end it.
	TCPLinger = time.Second
	// FillFile is the name of the file in Run.FillDir that holds Run.FillBytes.
	FillFile = "fill"
)

// FillFileOf returns the name of one of Run.FillFiles files, from 0.
func FillFileOf(number int64) string { return FillFile + "-" + strconv.FormatInt(number, 10) }

// StopSignals returns the signals that a container runtime may send to stop a container: SIGTERM, or the image's
// STOPSIGNAL. All have the effect that Run describes for SIGTERM.
func StopSignals() []string { return []string{"SIGTERM", "SIGINT", "SIGQUIT", StopSignal} }

// TCPHold returns how long the answer to a TCP probe stays in place before the next one. A dropped SYN is sent again
// until its prober gives up, so a port that answered by then would end the hanging.
func (r Run) TCPHold(answer, next Answer) time.Duration {
	if answer == Hang && next != Hang {
		return r.TCPTimeout + TCPSettle
	}
	return TCPSettle
}

// StopSignalHold returns how long the mark of a stop signal is delayed, so that the mark of the probe that caused it
// comes first. The kernel refuses a TCP probe before the fault program knows of it, and the kubelet's SIGTERM can
// follow in 8 ms. All other probes are marked before their answer.
func (r Run) StopSignalHold() time.Duration {
	if r.TCPPort == 0 {
		return 0
	}
	return 50 * time.Millisecond
}

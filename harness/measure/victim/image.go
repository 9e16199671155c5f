package victim

import (
	"strconv"
	"time"
)

// Program is the fault program's path in its image. LayerDir is a folder there that every user can write to.
// MessageFile is the termination message file, as the API server sets it (corev1.TerminationMessagePathDefault).
const (
	Program     = "/fault"
	LayerDir    = "/layer"
	MessageFile = "/dev/termination-log"
)

// Further images of the fault program, as a container's image before its deployment, which puts the full reference
// in their place. An empty image is the default one.
const (
	// OtherImage is the same program in an image with another ID.
	OtherImage = "fault-other"
	// UnpullableImage becomes mark.UnpullableImage, whose pulls the node's recorder refuses and marks.
	UnpullableImage = "unpullable"
	// SlowImage becomes an image of the same registry, which refuses it after SlowPull.
	SlowImage = "slow"
	// InvalidImage is no reference of an image.
	InvalidImage = "Invalid:image:name"
	// StopSignalImage is the same program with the STOPSIGNAL StopSignal.
	StopSignalImage = "fault-stop-signal"
)

// SlowPull is how long the registry takes to refuse SlowImage.
const SlowPull = 12 * time.Second

// Key is the one key of ConfigMaps and Secrets that trials create.
const Key = "key"

// StopSignal is a signal that no runtime or kubelet sends by itself.
const StopSignal = "SIGUSR1"

// The environment of every victim container; the downward API fills all but the container's name.
const (
	// EnvRecorder is the recorder's address (status.hostIP), with or without a port.
	EnvRecorder  = "PODCLOCK_RECORDER"
	EnvPod       = "PODCLOCK_POD"
	EnvUID       = "PODCLOCK_UID"
	EnvContainer = "PODCLOCK_CONTAINER"
	// EnvService is the address, with its port, that a client's requests go to (Run.Calls). Others lack it.
	EnvService = "PODCLOCK_SERVICE"
)

// Exit codes of the fault program's own failures, which no behaviour may use.
const (
	ExitUsage      = 120
	ExitNoRecorder = 121
	ExitNoMain     = 122
	// ExitNotServing: the port is taken, or TCP lacks CAP_NET_RAW.
	ExitNotServing = 123
	// ExitNotKilled: the container has no memory limit.
	ExitNotKilled = 124
)

// The fault program's commands: the first word of its arguments.
const (
	RunCommand   = "run"
	HookCommand  = "hook"
	ProbeCommand = "probe"
	// PulledCommand ends at once, with 0. A container that runs it shows that the image is on the node.
	PulledCommand = "pulled"
)

// Limits for every player of the fault program.
const (
	// AskFor is how long a hook or probe process tries to reach the main process.
	AskFor = 10 * time.Second
	// MostMemory, in bytes, is where a process without a memory limit stops, for the node's sake.
	MostMemory = 1 << 30
	// TCPSettle is how long the answer to a TCP probe is kept after it. The kernel answers within microseconds, and
	// the next probe is at least a second away.
	TCPSettle = 20 * time.Millisecond
	// TCPLinger is how long a successful TCP probe's connection waits for the prober to end it.
	TCPLinger = time.Second
	// CallEvery is the time between two connections of a client. CallTimeout bounds each.
	CallEvery   = 5 * time.Millisecond
	CallTimeout = time.Second
	// RequestPause is how long no request comes before the last one is marked. Of two pods behind a Service that picks
	// one at random, one misses 20 connections in a row once in a million.
	RequestPause = 100 * time.Millisecond
	// FillFile is the file in Run.FillDir that holds Run.FillBytes.
	FillFile = "fill"
)

// RequestPath is the path of a client's requests on Run.HTTPPort. ServedPort is that port of a Service's pods.
const (
	RequestPath = "/request"
	ServedPort  = 8080
)

// FillFileOf returns the name of one of Run.FillFiles files, from 0.
func FillFileOf(number int64) string { return FillFile + "-" + strconv.FormatInt(number, 10) }

// StopSignals returns the signals that may stop a container: SIGTERM, or the image's STOPSIGNAL.
func StopSignals() []string { return []string{"SIGTERM", "SIGINT", "SIGQUIT", StopSignal} }

// TCPHold returns how long a TCP probe's answer is kept before the next one. A dropped SYN is sent again until its
// prober gives up, so a port that answered by then would end the hanging.
func (r Run) TCPHold(answer, next Answer) time.Duration {
	if answer == Hang && next != Hang {
		return r.TCPTimeout + TCPSettle
	}
	return TCPSettle
}

// StopSignalHold returns the delay of a stop signal's mark, so that the mark of the probe that caused it comes
// first: the kernel refuses a TCP probe before the fault program knows of it, and SIGTERM can follow in 8 ms.
func (r Run) StopSignalHold() time.Duration {
	if r.TCPPort == 0 {
		return 0
	}
	return 50 * time.Millisecond
}

// PartOf is a label of all that podclock creates. Its value is podclock.
const PartOf = "app.kubernetes.io/part-of"

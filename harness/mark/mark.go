// Package mark is the wire format between the programs inside a victim pod, the recorder on their node, and
// the harness.
//
// A victim process (its main program, one of its hooks, one of its exec probes) opens one TCP connection to
// the recorder of its own node, says who it is (Hello), is told which life it belongs to (Welcome), and
// then writes one Line per mark. When the process dies, by whatever signal, the kernel closes the
// connection: the recorder writes the mark Gone, and that is the death.
//
// The recorder stamps every arrival with one clock and numbers it (Record). The harness reads Records in
// Batches, by number; a missing number is lost data. Everything is JSON, one value per line. The package
// holds types and names only: it knows no socket, no cluster and no formula.
package mark

import "time"

// Role says which kind of process inside the victim pod a connection belongs to.
type Role string

const (
	// Run is the container's main process: its connection's end is the container's death.
	Run Role = "run"
	// Hook is one run of a preStop or postStart hook.
	Hook Role = "hook"
	// Probe is one run of an exec probe.
	Probe Role = "probe"
)

// Kind says what happened.
type Kind string

// Kinds that a victim process sends.
const (
	// Started is the first mark of a main process: its SIGTERM handler and its probe servers are in place.
	Started Kind = "started"
	// SIGTERM is the arrival of the stop signal in the main process: SIGTERM, or what the image's
	// STOPSIGNAL says instead. It is one kind for all of them, because a life has one stop signal;
	// Detail.Signal says which came.
	SIGTERM Kind = "sigterm"
	// Exiting announces that the process will now end itself; Detail.ExitCode says how.
	Exiting Kind = "exiting"
	// HookBegan and HookEnded enclose a preStop hook; a hook that hangs or is killed never ends. An HTTP
	// hook, which the main process serves, sends them on the main process' connection.
	HookBegan Kind = "hook-began"
	HookEnded Kind = "hook-ended"
	// PostStartBegan and PostStartEnded enclose a postStart hook in the same way. They are kinds of their
	// own, so that whoever counts preStop hooks never counts one of these.
	PostStartBegan Kind = "post-start-began"
	PostStartEnded Kind = "post-start-ended"
	// Probed is one probe that reached the victim, with the answer its script gives (Detail.Probe). It is
	// sent on arrival, before the answer.
	Probed Kind = "probed"
	// Followed is a prober that went where a redirect to the same host sent it: Detail.Probe is that of the
	// Probed mark of the redirect. It is no probe of its own.
	Followed Kind = "followed"
	// FillBegan and Filled enclose the filling of a volume or of the writable layer. Filled comes in any
	// case; Detail.Note is empty when all was written, and else says what stopped it, and where.
	FillBegan Kind = "fill-began"
	Filled    Kind = "filled"
)

// Kinds that the recorder writes itself.
const (
	// Connected is the arrival of a valid Hello.
	Connected Kind = "connected"
	// Gone is a connection that closed: the death of its process.
	Gone Kind = "gone"
	// Stall is a late tick of the recorder: for Detail.StallNS nanoseconds up to At the recorder, and
	// probably its node, did not run.
	Stall Kind = "stall"
	// Pressure is a sample of the node's pressure-stall information, sent about four times a second; see
	// Detail.Pressure.
	Pressure Kind = "pressure"
	// Garbage is a connection that spoke anything but this protocol and was closed. A stranger's has no
	// Identity. Where it is that of a process that said Hello before, no Gone follows: the process may live
	// on, unseen.
	Garbage Kind = "garbage"
)

// Identity names a process inside a victim pod. The victim reads it from its environment, which the downward API fills.
type Identity struct {
	// Pod is the pod's namespace/name.
	Pod string `json:"pod,omitempty"`
	// UID is the pod's metadata.uid; a pod created again under the same name is another victim.
	UID string `json:"uid,omitempty"`
	// Container is the container's name.
	Container string `json:"container,omitempty"`
	Role      Role   `json:"role,omitempty"`
}

// Hello is the first line a victim process sends.
type Hello struct {
	Identity
	// Process is a random word of the process. One that waited too long for its Welcome turns to the
	// recorder again, which finds both connections when it goes on: with the same word they are one life.
	// Without a word each is one.
	Process string `json:"process,omitempty"`
}

// Welcome is the recorder's only line to the victim.
type Welcome struct {
	// Life is the number of the container's life this process belongs to, from 1: for a main process the
	// number of main processes seen of this container so far, itself included; for a hook or probe the life
	// that is running (0 when no main process was seen yet).
	Life int `json:"life"`
	// Refused, when not empty, says why the connection is closed instead.
	Refused string `json:"refused,omitempty"`
}

// Line is one mark as its sender writes it.
type Line struct {
	// N counts the sender's lines from 1, without gaps.
	N    int  `json:"n"`
	Kind Kind `json:"kind"`
	// Sent is the sender's wall clock in nanoseconds since 1970.
	Sent   int64  `json:"sent"`
	Detail Detail `json:"detail,omitzero"`
}

// Detail is what some kinds say beyond having happened. At most one field is set.
type Detail struct {
	// ExitCode belongs to Exiting.
	ExitCode *int `json:"exitCode,omitempty"`
	// Signal belongs to SIGTERM: the signal's name, such as "SIGUSR1". Where it is empty the signal was SIGTERM.
	Signal string `json:"signal,omitempty"`
	// Probe belongs to Probed and Followed.
	Probe *ProbeDetail `json:"probe,omitempty"`
	// StallNS belongs to Stall: nanoseconds that the tick came late.
	StallNS int64 `json:"stallNS,omitempty"`
	// Pressure belongs to Pressure.
	Pressure *PressureDetail `json:"pressure,omitempty"`
	// Silence belongs to Silence.
	Silence *SilenceDetail `json:"silence,omitempty"`
	// Note belongs to Garbage, where it says what was received, shortened and quoted, and to Filled, where
	// it says what went wrong.
	Note string `json:"note,omitempty"`
}

// ProbeDetail describes one probe that reached the victim.
type ProbeDetail struct {
	// For is "liveness", "readiness" or "startup".
	For string `json:"for"`
	// Handler is "exec", "http", "tcp" or "grpc".
	Handler string `json:"handler"`
	// Index counts the probes of this For in this life, from 0: the position in the script.
	Index int `json:"index"`
	// Answer is the script's letter for it: S, F, H, L, E, R, D or W (package victim).
	Answer string `json:"answer"`
}

// PressureDetail is the cumulative stall time of the node's tasks since boot, from /proc/pressure ("some …
// total"), in nanoseconds. A kernel without pressure-stall information sends no such record.
type PressureDetail struct {
	CPUNS int64 `json:"cpuNS"`
	IONS  int64 `json:"ioNS"`
}

// Record is one mark as the recorder keeps it.
type Record struct {
	// Seq numbers the recorder's records from 1, without gaps.
	Seq uint64 `json:"seq"`
	// At is the recorder's clock when the mark arrived: nanoseconds since 1970, advancing monotonically
	// since the recorder's start.
	At int64 `json:"at"`
	// Conn numbers the recorder's connections from 1; 0 on records that belong to none.
	Conn uint64 `json:"conn,omitempty"`
	Identity
	// Life is what the Welcome said.
	Life int `json:"life,omitempty"`
	// N is the sender's number; 0 on records that the recorder wrote itself.
	N    int  `json:"n,omitempty"`
	Kind Kind `json:"kind"`
	// Sent is the sender's stamp; 0 on records that the recorder wrote itself.
	Sent   int64  `json:"sent,omitempty"`
	Detail Detail `json:"detail,omitzero"`
}

// Batch is the recorder's answer to a reader that has everything up to some number.
type Batch struct {
	// Epoch is a random word made when the recorder started; another epoch means that the recorder was
	// restarted and what it held is lost.
	Epoch string `json:"epoch"`
	// Owner is the UID of the pod that the recorder runs in. On the host's network an older recorder may
	// still answer for a new one.
	Owner string `json:"owner,omitempty"`
	// Clock is the recorder's clock when it answered.
	Clock int64 `json:"clock"`
	// Dropped is the highest number the recorder has thrown away because its memory bound was reached
	// before a reader confirmed it; 0 is none.
	Dropped uint64 `json:"dropped,omitempty"`
	// Last is the highest number given so far; records up to it that are not in this batch are in the next.
	Last    uint64   `json:"last,omitempty"`
	Records []Record `json:"records"`
}

// Ports and paths of the recorder. It listens on the node's address (host network).
const (
	// Port takes the victims' connections.
	Port = 7411
	// ReaderPort serves HTTP to the harness: ReaderPath?epoch=EPOCH&after=SEQ&wait=DURATION answers a Batch
	// with records numbered above SEQ, as soon as one of them is of a victim, at the latest after wait (at
	// most MaxWait), and throws away those up to SEQ. A SEQ of another epoch counts as 0: the answer is
	// immediate and throws away nothing. HealthPath answers 200, PullPath 404.
	ReaderPort = 7412
	ReaderPath = "/marks"
	HealthPath = "/healthz"
)

// MaxLine is the longest line, in bytes, that the recorder accepts.
const MaxLine = 4096

// HelloTimeout is how long the recorder waits for the Hello of a new connection.
const HelloTimeout = 5 * time.Second

// MaxWait is the longest wait the recorder grants a reader.
const MaxWait = 10 * time.Second

// Package mark is the wire format between the programs in a victim pod, the recorder on their node, and the harness.
//
// A victim process (its main program, a hook, an exec probe) opens one TCP connection to the recorder of its own
// node. It sends who it is (Hello), receives its life's number (Welcome), and then sends one Line per mark. When the
// process dies, by any signal, the kernel closes the connection. The recorder then writes the mark Gone: the death.
//
// The recorder stamps every arrival with one clock and numbers it (Record). The harness reads Records in Batches, by
// number; a missing number is lost data. Everything is JSON, one value per line. The package holds only types and
// names, and knows no socket, no cluster and no formula.
package mark

import "time"

// Role is the kind of process inside the victim pod that a connection belongs to.
type Role string

const (
	// Run is the container's main process. The end of its connection is the container's death.
	Run Role = "run"
	// Hook is one run of a preStop or postStart hook.
	Hook Role = "hook"
	// Probe is one run of an exec probe.
	Probe Role = "probe"
)

// Kind is what happened.
type Kind string

// Kinds that a victim process sends.
const (
	// Started is the first mark of a main process: its SIGTERM handler and its probe servers are ready.
	Started Kind = "started"
	// SIGTERM is the arrival of the stop signal in the main process: SIGTERM, or the image's STOPSIGNAL. A life has
	// one stop signal, so all share one kind; Detail.Signal names the signal.
	SIGTERM Kind = "sigterm"
	// Exiting announces that the process ends itself with Detail.ExitCode.
	Exiting Kind = "exiting"
	// HookBegan and HookEnded enclose a preStop hook. A hook that hangs or is killed never ends. The main process
	// serves an HTTP hook and sends these marks on its own connection.
	HookBegan Kind = "hook-began"
	HookEnded Kind = "hook-ended"
	// PostStartBegan and PostStartEnded enclose a postStart hook. They are separate kinds, so that nothing counts
	// them as preStop hooks.
	PostStartBegan Kind = "post-start-began"
	PostStartEnded Kind = "post-start-ended"
	// Probed is one probe that reached the victim, with the answer of its script (Detail.Probe). The victim sends it
	// on arrival, before the answer.
	Probed Kind = "probed"
	// Followed is a prober that followed a redirect to the same host. Detail.Probe is that of the redirect's Probed
	// mark. It is not a probe of its own.
	Followed Kind = "followed"
	// FillBegan and Filled enclose the filling of a volume or of the writable layer. Filled always comes. Detail.Note
	// is empty if everything was written; otherwise it says what stopped the filling, and where.
	FillBegan Kind = "fill-began"
	Filled    Kind = "filled"
)

// Kinds that the recorder writes itself.
const (
	// Connected is the arrival of a valid Hello.
	Connected Kind = "connected"
	// Gone is a connection that closed: the death of its process.
	Gone Kind = "gone"
	// LateTick is a late tick of the recorder: the recorder, and probably its node, did not run for the last
	// Detail.LateNS nanoseconds before At.
	LateTick Kind = "stall"
	// PSISample is a sample of the node's pressure-stall information, about four per second; see Detail.PSI.
	PSISample Kind = "pressure"
	// Unreadable is a connection that did not speak this protocol and was closed. It has no Identity before a Hello.
	// After a Hello no Gone follows, because the process may still live.
	Unreadable Kind = "garbage"
)

// Identity names a process inside a victim pod. The victim reads it from its environment, which the downward API
// fills.
type Identity struct {
	// Pod is the pod's namespace/name.
	Pod string `json:"pod,omitempty"`
	// UID is the pod's metadata.uid. A pod created again under the same name is another victim.
	UID string `json:"uid,omitempty"`
	// Container is the container's name.
	Container string `json:"container,omitempty"`
	Role      Role   `json:"role,omitempty"`
}

// Hello is the first line of a victim process.
type Hello struct {
	Identity
	// Process is a random word of the process. A process that waited too long for its Welcome connects again. With
	// the same word, the recorder counts both connections as one life; without a word, as two.
	Process string `json:"process,omitempty"`
}

// Welcome is the recorder's only line to the victim.
type Welcome struct {
	// Life is the number of the container's life that this process belongs to, from 1. For a main process it is the
	// number of main processes seen of this container so far. For a hook or probe it is the running life (0 before
	// any main process).
	Life int `json:"life"`
	// Refused is why the connection is closed instead, or empty.
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

// Detail is the further content of some kinds. At most one field is set.
type Detail struct {
	// ExitCode belongs to Exiting.
	ExitCode *int `json:"exitCode,omitempty"`
	// Signal belongs to SIGTERM: the signal's name, for example "SIGUSR1". Empty is SIGTERM.
	Signal string `json:"signal,omitempty"`
	// Probe belongs to Probed and Followed.
	Probe *ProbeDetail `json:"probe,omitempty"`
	// LateNS belongs to LateTick: by how many nanoseconds the tick was late.
	LateNS int64 `json:"stallNS,omitempty"`
	// PSI belongs to PSISample.
	PSI *PSIDetail `json:"pressure,omitempty"`
	// NoAnswer belongs to NoAnswer.
	NoAnswer *NoAnswerDetail `json:"silence,omitempty"`
	// Note belongs to Unreadable (what was received, shortened and quoted) and to Filled (what went wrong).
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
	// Answer is the script's letter: S, F, H, L, E, R, D or W (package victim).
	Answer string `json:"answer"`
}

// PSIDetail is the stall time of the node's tasks since boot in nanoseconds, from /proc/pressure ("some …
// total"). Kernels without pressure-stall information send no such record.
type PSIDetail struct {
	CPUNS int64 `json:"cpuNS"`
	IONS  int64 `json:"ioNS"`
}

// Record is one mark as the recorder keeps it.
type Record struct {
	// Seq numbers the recorder's records from 1, without gaps.
	Seq uint64 `json:"seq"`
	// At is the recorder's clock at the mark's arrival: nanoseconds since 1970, monotonic since the recorder's start.
	At int64 `json:"at"`
	// Conn numbers the recorder's connections from 1. It is 0 for records without a connection.
	Conn uint64 `json:"conn,omitempty"`
	Identity
	// Life is that of the Welcome.
	Life int `json:"life,omitempty"`
	// N is the sender's number, 0 for records of the recorder itself.
	N    int  `json:"n,omitempty"`
	Kind Kind `json:"kind"`
	// Sent is the sender's time stamp, 0 for records of the recorder itself.
	Sent   int64  `json:"sent,omitempty"`
	Detail Detail `json:"detail,omitzero"`
}

// Batch is the recorder's answer to a reader that has all records up to some number.
type Batch struct {
	// Epoch is a random word from the recorder's start. Another epoch means that the recorder restarted and lost its
	// records.
	Epoch string `json:"epoch"`
	// Owner is the UID of the pod that the recorder runs in. On the host's network an older recorder may still answer
	// in place of a new one.
	Owner string `json:"owner,omitempty"`
	// Clock is the recorder's clock when it answered.
	Clock int64 `json:"clock"`
	// Dropped is the highest number that the recorder dropped at its memory limit before a reader confirmed it; 0 is
	// none.
	Dropped uint64 `json:"dropped,omitempty"`
	// Last is the highest number so far. Records up to it that are not in this batch are in the next.
	Last    uint64   `json:"last,omitempty"`
	Records []Record `json:"records"`
}

// Ports and paths of the recorder. It listens on the node's address (host network).
const (
	// Port takes the victims' connections.
	Port = 7411
	// ReaderPort serves HTTP to the harness. ReaderPath?epoch=EPOCH&after=SEQ&wait=DURATION returns a Batch of the
	// records above SEQ once one of them is a victim's, at the latest after wait (at most MaxWait), and drops those
	// up to SEQ. A SEQ of another epoch counts as 0: the answer is immediate and drops nothing. HealthPath returns
	// 200, PullPath 404.
	ReaderPort = 7412
	ReaderPath = "/marks"
	HealthPath = "/healthz"
)

// MaxLine is the longest line, in bytes, that the recorder accepts.
const MaxLine = 4096

// HelloTimeout is how long the recorder waits for the Hello of a new connection.
const HelloTimeout = 5 * time.Second

// MaxWait is the longest wait that the recorder grants a reader.
const MaxWait = 10 * time.Second

// NoAnswerDetail describes a NoAnswer.
type NoAnswerDetail struct {
	// Of is the program.
	Of string `json:"of"`
	// NS is the time since its last answer in nanoseconds.
	NS int64 `json:"ns"`
}

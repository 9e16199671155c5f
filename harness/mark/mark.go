// Package mark is the wire format between the programs in a victim pod, the recorder on their node, and the
// harness.
//
// A victim process (main program, hook or exec probe) opens one TCP connection to its node's recorder. It sends who
// it is (Hello), receives its life's number (Welcome), and then sends one Line per mark. When the process dies, the
// kernel closes the connection, and the recorder writes the mark Gone: the death.
//
// The recorder stamps every arrival with one clock and numbers it (Record). The harness reads Records in Batches,
// by number; a missing number is lost data. Everything is JSON, one value per line.
package mark

import (
	"fmt"
	"time"
)

// Role is the kind of process that a connection belongs to.
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
	// SIGTERM is the arrival of the stop signal in the main process: SIGTERM, or the image's STOPSIGNAL
	// (Detail.Signal).
	SIGTERM Kind = "sigterm"
	// Exiting announces that the process ends itself with Detail.ExitCode.
	Exiting Kind = "exiting"
	// HookBegan and HookEnded enclose a preStop hook, which never ends if it hangs or is killed. The main process
	// sends an HTTP hook's marks on its own connection.
	HookBegan Kind = "hook-began"
	HookEnded Kind = "hook-ended"
	// PostStartBegan and PostStartEnded enclose a postStart hook.
	PostStartBegan Kind = "post-start-began"
	PostStartEnded Kind = "post-start-ended"
	// Probed is one probe that reached the victim, sent before the answer of its script (Detail.Probe).
	Probed Kind = "probed"
	// Followed is a prober that followed a redirect to the same host, with the redirect's Detail.Probe. It is not a
	// probe of its own.
	Followed Kind = "followed"
	// FillBegan and Filled enclose the filling of a volume or of the writable layer. Filled always comes.
	// Detail.Note is what stopped the filling, or empty.
	FillBegan Kind = "fill-began"
	Filled    Kind = "filled"
)

// Kinds that the recorder writes itself.
const (
	// Connected is the arrival of a valid Hello.
	Connected Kind = "connected"
	// Gone is a connection that closed: the death of its process.
	Gone Kind = "gone"
	// LateTick is a late tick of the recorder: it, and probably its node, did not run for Detail.LateNS up to At.
	LateTick Kind = "stall"
	// PSISample is a sample of the node's PSI, /proc/pressure (Detail.PSI), about four per second.
	PSISample Kind = "pressure"
	// Unreadable is a connection that broke this protocol and was closed. It has no Identity before a Hello. After
	// a Hello no Gone follows, because the process may still live.
	Unreadable Kind = "garbage"
)

// Identity names a process inside a victim pod, from its environment.
type Identity struct {
	// Pod is the pod's namespace/name.
	Pod string `json:"pod,omitempty"`
	// UID is the pod's metadata.uid. A pod created again under the same name is another victim.
	UID       string `json:"uid,omitempty"`
	Container string `json:"container,omitempty"`
	Role      Role   `json:"role,omitempty"`
}

// Hello is the first line of a victim process.
type Hello struct {
	Identity
	// Process is a random word. A process that waited too long for its Welcome connects again: with the same word
	// it is one life, without a word another.
	Process string `json:"process,omitempty"`
}

// Welcome is the recorder's only line to the victim.
type Welcome struct {
	// Life is the container's life that this process belongs to, from 1: the number of main processes seen so far,
	// 0 for a hook or probe before any.
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
	// LateNS is by how many nanoseconds a LateTick was late.
	LateNS int64 `json:"stallNS,omitempty"`
	// PSI belongs to PSISample.
	PSI      *PSIDetail      `json:"pressure,omitempty"`
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

// PSIDetail is the "some … total" of /proc/pressure since boot, in nanoseconds. Kernels without PSI send no such
// record.
type PSIDetail struct {
	CPUNS int64 `json:"cpuNS"`
	IONS  int64 `json:"ioNS"`
}

// Record is one mark as the recorder keeps it.
type Record struct {
	// Seq numbers the recorder's records from 1, without gaps.
	Seq uint64 `json:"seq"`
	// At is the recorder's clock at the mark's arrival: nanoseconds since 1970, monotonic since the recorder's
	// start.
	At int64 `json:"at"`
	// Conn numbers the recorder's connections from 1. It is 0 for records without a connection.
	Conn uint64 `json:"conn,omitempty"`
	Identity
	Life int `json:"life,omitempty"`
	// N and Sent are the sender's, 0 for records of the recorder itself.
	N      int    `json:"n,omitempty"`
	Kind   Kind   `json:"kind"`
	Sent   int64  `json:"sent,omitempty"`
	Detail Detail `json:"detail,omitzero"`
}

// Batch is the recorder's answer to a reader that has all records up to some number.
type Batch struct {
	// Epoch is a random word. Another epoch means that the recorder restarted and lost its records.
	Epoch string `json:"epoch"`
	// Owner is the UID of the recorder's pod. On the host's network an older recorder may answer in place of a new
	// one.
	Owner string `json:"owner,omitempty"`
	// Clock is the recorder's clock when it answered.
	Clock int64 `json:"clock"`
	// Dropped is the highest number dropped at the memory limit before a reader confirmed it, or 0.
	Dropped uint64 `json:"dropped,omitempty"`
	// Last is the highest number so far. Records up to it that are not in this batch are in the next.
	Last    uint64   `json:"last,omitempty"`
	Records []Record `json:"records"`
}

// Ports and paths of the recorder, on the node's address (host network).
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
	// the program
	Of string `json:"of"`
	// NS is the time since its last answer in nanoseconds.
	NS int64 `json:"ns"`
}

// NoAnswer is a program of the node that has not answered the recorder for Detail.NoAnswer.NS nanoseconds up to At.
// The recorder repeats it with the same beginning while the outage lasts.
const NoAnswer Kind = "silence"

// The programs that can stop answering.
const (
	Kubelet          = "kubelet"
	ContainerRuntime = "container runtime"
	// The recorder's own ticks watch TheRecorder, and the lab watches APIServer.
	TheRecorder = "recorder"
	APIServer   = "API server"
)

// The addresses that the recorder asks on its own node.
const (
	// the default address of a kubelet's health check
	KubeletAddress = "127.0.0.1:10248"
	KubeletPath    = "/healthz"
	// containerd serves its metrics here. Any answer is enough, and an unknown path costs no work.
	RuntimeAddress = "127.0.0.1:7413"
	RuntimePath    = "/"
)

// Pulled is an attempt to pull an image from the recorder, which answers like a registry without images. Its
// Identity has only Pod and Container.
const Pulled Kind = "pulled"

// PullPath is the path, as a net/http pattern, of a container runtime's request for [UnpullableImage].
const PullPath = "/v2/{namespace}/{pod}/{container}/manifests/{tag}"

// UnpullableImage returns an image that does not exist, for a container of a pod. A pull asks the node's own
// recorder, which marks it, by plain HTTP as for every registry on the runtime's host.
func UnpullableImage(namespace, pod, container string) string {
	return fmt.Sprintf("127.0.0.1:%d/%s/%s/%s:1", ReaderPort, namespace, pod, container)
}

// Package mark is the wire format between the programs in a victim pod, the recorder on their node, and the
// harness.
//
// A victim process (main program, hook or exec probe) opens one TCP connection to its node's recorder. It sends who
// it is (Hello), receives its life's number (Welcome), and then sends one Line per mark. When the process dies, the
// kernel closes the connection, and the recorder writes the mark Gone: the death.
//
// The recorder stamps every arrival with one clock and numbers it (Record). The harness reads Records in Batches; a
// missing number is lost data. Everything is JSON, one value per line.
package mark

import (
	"fmt"
	"time"
)

// Role is the kind of process that a connection belongs to.
type Role string

// The roles: Hook is one run of a preStop or postStart hook, Probe one of an exec probe.
const (
	// Run is the main process. The end of its connection is the container's death.
	Run   Role = "run"
	Hook  Role = "hook"
	Probe Role = "probe"
)

// Kind is what happened.
type Kind string

// Kinds that a victim process sends.
const (
	// Started is a main process' first mark: its SIGTERM handler and probe servers are ready.
	Started Kind = "started"
	// SIGTERM is the arrival of the stop signal, SIGTERM or the image's STOPSIGNAL (Detail.Signal), in the main
	// process.
	SIGTERM Kind = "sigterm"
	// Exiting announces the process' own exit with Detail.ExitCode.
	Exiting Kind = "exiting"
	// HookBegan and HookEnded enclose a preStop hook. One that hangs or is killed never ends. The main process
	// sends an HTTP hook's marks.
	HookBegan      Kind = "hook-began"
	HookEnded      Kind = "hook-ended"
	PostStartBegan Kind = "post-start-began"
	PostStartEnded Kind = "post-start-ended"
	// Probed is a probe that reached the victim, sent before the answer (Detail.Probe).
	Probed Kind = "probed"
	// Followed is a prober that followed a redirect to the same host (Detail.Probe). It is not a probe of its own.
	Followed Kind = "followed"
	// FillBegan and Filled enclose the filling of a folder. Filled always comes; Detail.Note is what stopped the
	// filling.
	FillBegan Kind = "fill-began"
	Filled    Kind = "filled"
	// Requested is the first request of a client, also after a pause (victim.RequestPause). LastRequest is the last one
	// before a pause, and is sent after it. It does not come if the process ends before.
	Requested   Kind = "requested"
	LastRequest Kind = "last-request"
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
	// CoreSpeed is how long the recorder's core took for a fixed computation (Detail.CoreNS), once at its start.
	CoreSpeed Kind = "core"
	// Unreadable is a connection that broke this protocol and was closed. After its Hello, if any, no Gone follows,
	// because the process may still live.
	Unreadable Kind = "garbage"
)

// Identity names a process inside a victim pod, from its environment.
type Identity struct {
	// Pod is the namespace/name.
	Pod string `json:"pod,omitempty"`
	// UID is the metadata.uid. A pod created again under the same name is another victim.
	UID       string `json:"uid,omitempty"`
	Container string `json:"container,omitempty"`
	Role      Role   `json:"role,omitempty"`
}

// Hello is the first line of a victim process.
type Hello struct {
	Identity
	// Process is a random word. A process that waited too long for its Welcome connects again: the same word is one
	// life.
	Process string `json:"process,omitempty"`
}

// Welcome is the recorder's only line to the victim.
type Welcome struct {
	// Life is the container's life of this process, from 1, or 0 for a hook or probe before any main process.
	Life int `json:"life"`
	// Refused is why the connection is closed instead.
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

// Detail is the content of some kinds. At most one field is set.
type Detail struct {
	ExitCode *int `json:"exitCode,omitempty"`
	// Signal is the name of a SIGTERM other than "SIGTERM".
	Signal string       `json:"signal,omitempty"`
	Probe  *ProbeDetail `json:"probe,omitempty"`
	// LateNS is by how many nanoseconds a LateTick was late.
	LateNS   int64           `json:"stallNS,omitempty"`
	PSI      *PSIDetail      `json:"pressure,omitempty"`
	NoAnswer *NoAnswerDetail `json:"silence,omitempty"`
	// CoreNS is the CPU time of a CoreSpeed, in nanoseconds.
	CoreNS int64 `json:"coreNS,omitempty"`
	// Note belongs to Unreadable (what was received, shortened and quoted) and to Filled (what went wrong).
	Note string `json:"note,omitempty"`
}

// ProbeDetail describes one probe that reached the victim.
type ProbeDetail struct {
	// For is "liveness", "readiness" or "startup".
	For string `json:"for"`
	// Handler is "exec", "http", "tcp" or "grpc".
	Handler string `json:"handler"`
	// Index counts the probes of this For in this life, from 0.
	Index int `json:"index"`
	// Answer is a letter of victim.Scripts.
	Answer string `json:"answer"`
}

// PSIDetail is the "some … total" of /proc/pressure since boot, in nanoseconds, if the kernel has it.
type PSIDetail struct {
	CPUNS int64 `json:"cpuNS"`
	IONS  int64 `json:"ioNS"`
}

// Record is one mark as the recorder keeps it.
type Record struct {
	// Seq numbers the recorder's records from 1, without gaps.
	Seq uint64 `json:"seq"`
	// At is the arrival on the recorder's clock: nanoseconds since 1970, monotonic since its start.
	At int64 `json:"at"`
	// Conn numbers connections from 1. It is 0 for records without one.
	Conn uint64 `json:"conn,omitempty"`
	Identity
	Life int `json:"life,omitempty"`
	// N and Sent are the sender's, or 0.
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
	// Clock is the recorder's clock at the answer.
	Clock int64 `json:"clock"`
	// Dropped is the highest number dropped at the memory limit before a reader confirmed it, or 0.
	Dropped uint64 `json:"dropped,omitempty"`
	// Last is the highest number so far. Records up to it may be in the next batch.
	Last    uint64   `json:"last,omitempty"`
	Records []Record `json:"records"`
}

// Ports and paths of the recorder, on the node's address (host network).
const (
	// Port takes the victims' connections.
	Port = 7411
	// ReaderPort serves HTTP to the harness. ReaderPath?epoch=EPOCH&after=SEQ&wait=DURATION returns a Batch of the
	// records above SEQ once one of them is a victim's, or after wait (at most MaxWait), and drops those up to SEQ.
	// A SEQ of another epoch is 0: the answer is immediate and drops nothing. HealthPath returns 200, PullPath 404.
	ReaderPort = 7412
	ReaderPath = "/marks"
	HealthPath = "/healthz"
)

// MaxLine is the longest line that the recorder accepts, in bytes.
const MaxLine = 4096

// HelloTimeout is how long the recorder waits for a Hello.
const HelloTimeout = 5 * time.Second

// MaxWait is the longest wait that the recorder grants a reader.
const MaxWait = 10 * time.Second

// NoAnswerDetail describes a NoAnswer.
type NoAnswerDetail struct {
	Of string `json:"of"`
	// NS is the time since its last answer in nanoseconds.
	NS int64 `json:"ns"`
}

// NoAnswer is a program that has not answered the recorder for Detail.NoAnswer.NS nanoseconds up to At. The
// recorder repeats it with the same beginning while the outage lasts.
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
	// KubeletAddress is a kubelet's health check by default.
	KubeletAddress = "127.0.0.1:10248"
	KubeletPath    = "/healthz"
	// RuntimeAddress serves containerd's metrics. An unknown path costs no work.
	RuntimeAddress = "127.0.0.1:7413"
	RuntimePath    = "/"
)

// Pulled is an attempt to pull an image from the recorder, which has none. Its Identity has only Pod and Container.
const Pulled Kind = "pulled"

// PullPath is the net/http pattern of a runtime's request for [UnpullableImage].
const PullPath = "/v2/{namespace}/{pod}/{container}/manifests/{tag}"

// UnpullableImage returns an image that does not exist, for a container of a pod. A pull by plain HTTP, as for
// every registry on its host, asks the node's own recorder, which marks it.
func UnpullableImage(namespace, pod, container string) string {
	return fmt.Sprintf("127.0.0.1:%d/%s/%s/%s", ReaderPort, namespace, pod, container)
}

// SlowTag is the tag of an image whose pulls the recorder refuses after victim.SlowPull.
const SlowTag = "slow"

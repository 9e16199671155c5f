package mark

// Silence is a program of the node that does not answer the recorder: for Detail.Silence.NS nanoseconds up
// to At. It is written anew while the silence lasts, each time longer from the same beginning, so that
// whoever reads knows of it before it is over.
const Silence Kind = "silence"

// The programs that can fall silent.
const (
	Kubelet          = "kubelet"
	ContainerRuntime = "container runtime"
	// TheRecorder and APIServer are watched by others than the recorder: its own ticks tell of it, and the
	// lab asks the API server.
	TheRecorder = "recorder"
	APIServer   = "API server"
)

// SilenceDetail describes a Silence.
type SilenceDetail struct {
	// Of is the program.
	Of string `json:"of"`
	// NS is how long, in nanoseconds, it has not answered: since its last answer.
	NS int64 `json:"ns"`
}

// Where the recorder asks, on its own node.
const (
	// KubeletAddress is the default address of a kubelet's health check, KubeletPath what it answers.
	KubeletAddress = "127.0.0.1:10248"
	KubeletPath    = "/healthz"
	// RuntimeAddress is where containerd is told to serve its metrics. Any answer will do, and a path that
	// it does not know makes it no work.
	RuntimeAddress = "127.0.0.1:7413"
	RuntimePath    = "/"
)

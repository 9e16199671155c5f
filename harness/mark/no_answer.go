package mark

// NoAnswer is a program of the node that has not answered the recorder for Detail.NoAnswer.NS nanoseconds up to At.
// While it lasts, the recorder sends it again and again with the same beginning, so that readers know it before its
// end.
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
	// KubeletAddress is the default address of a kubelet's health check, KubeletPath its path.
	KubeletAddress = "127.0.0.1:10248"
	KubeletPath    = "/healthz"
	// RuntimeAddress is where containerd is configured to serve its metrics. Any answer is enough, and an unknown
	// path costs it no work.
	RuntimeAddress = "127.0.0.1:7413"
	RuntimePath    = "/"
)

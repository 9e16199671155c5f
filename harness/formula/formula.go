package formula

// Component is a part of Kubernetes that has rules of its own.
type Component string

const (
	// TheKubelet is where no other component is named: its code alone decides.
	TheKubelet Component = ""
	// Runtime is what keeps containers and sends them signals, such as containerd.
	Runtime Component = "container runtime"
	// APIServer stores pods and decides what a delete request means.
	APIServer Component = "API server"
	// Controller is one of the controller manager's, such as that of taints.
	Controller Component = "controller"
)

func (c Component) String() string {
	if c == TheKubelet {
		return "kubelet"
	}
	return string(c)
}

// Formula predicts one measured quantity.
type Formula struct {
	// ID is a stable name, "area/what".
	ID string
	// Says is the formula in one sentence.
	Says string
	// Source names file and function of Kubernetes that Implemented was read in.
	Source string
	// Of is whose rule it is: the kubelet's where its code alone decides, else that of the component that
	// Source names beside it or in its place.
	Of Component
	// Implemented is what the kubelet's code computes.
	Implemented func(Input) Window
	// Documented is what the documentation promises; nil, or a nil window, where it states no number.
	Documented func(Input) *Window
	// Promise is the documentation's promise in our own words, DocumentedAt its page.
	Promise      string
	DocumentedAt string
	// Issues names where the difference between promise and code is discussed that this input shows, or is
	// exactly [NoIssueKnown]; nil is always the latter.
	Issues func(Input) string
}

// promised is a documented window that is there for every input.
func promised(w func(Input) Window) func(Input) *Window {
	return func(in Input) *Window {
		promise := w(in)
		return &promise
	}
}

// Rival is a wrong behaviour worth naming: what a kubelet that behaves so would have measured.
type Rival struct {
	// Name says what the kubelet would be doing wrong.
	Name string
	// Reference is the Kubernetes issue or pull request that knows it.
	Reference string
	// Would is the window such a kubelet would hit; nil where it never comes to what is measured.
	Would func(Input) Window
	// Never says that it does not.
	Never bool
	// WholeSeconds says that no kubelet can do it: it would have to ask the container runtime for a part of
	// a second, and StopContainerRequest.timeout holds whole ones (cri-api pkg/apis/runtime/v1/api.proto).
	// It names what somebody may expect, and can lie behind nothing that came late.
	WholeSeconds bool
}

package formula

// Component is a part of Kubernetes with rules of its own.
type Component string

const (
	// TheKubelet is the component of a formula that names no other one: the kubelet's code alone decides.
	TheKubelet Component = ""
	// Runtime runs containers and sends them signals, for example containerd.
	Runtime Component = "container runtime"
	// APIServer stores pods and decides what a delete request means.
	APIServer Component = "API server"
	// Controller is part of the controller manager, for example the one for taints.
	Controller Component = "controller"
	// Proxy routes the connections to Services on each node.
	Proxy Component = "kube-proxy"
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
	// Description is the formula in one sentence.
	Description string
	// Source names the file and function of Kubernetes in which Implemented was read.
	Source string
	// Of is the component whose rule it is.
	Of Component
	// Implemented computes what the code does.
	Implemented func(Input) Window
	// LeftToChance means that nothing that can be observed decides between the values of Implemented.
	LeftToChance bool
	// Documented computes what the documentation promises. It is nil, or returns nil, if there is no number.
	Documented func(Input) *Window
	// Promise is the documentation's promise in our own words, DocumentedAt its page.
	Promise      string
	DocumentedAt string
	// Issues returns where a difference between promise and code is discussed. Nil means [NoIssueKnown].
	Issues func(Input) string
}

func promised(w func(Input) Window) func(Input) *Window {
	return func(in Input) *Window {
		promise := w(in)
		return &promise
	}
}

// documented adds the promise of the window that the code computes.
func documented(f Formula) Formula {
	f.Documented = promised(f.Implemented)
	return f
}

// Mistake is a known wrong behaviour.
type Mistake struct {
	// Name describes what the kubelet would do wrong.
	Name string
	// Reference is its Kubernetes issue, pull request or source.
	Reference string
	// Would computes the window of such a kubelet for the formulas that list the known mistake. It is nil if Distort is
	// not, or if the measured event never happens.
	Would func(Input) Window
	// Distort changes the input of every formula of the kubelet, so that it computes the window of such a kubelet.
	Distort func(Input) Input
	// Never reports that the measured event never happens.
	Never bool
	// WholeSeconds marks a behaviour that no kubelet can have, because StopContainerRequest.timeout holds whole seconds
	// (cri-api pkg/apis/runtime/v1/api.proto). It explains an expectation, never a late value.
	WholeSeconds bool
}

func mistake(name, reference string, would func(Input) Window) Mistake {
	return Mistake{Name: name, Reference: reference, Would: would}
}

// distorted returns a known mistake that all formulas of the kubelet show.
func distorted(name, reference string, distort func(Input) Input) Mistake {
	return Mistake{Name: name, Reference: reference, Distort: distort}
}

// Of returns the window of such a kubelet for a formula that lists the known mistake.
func (r Mistake) Of(f Formula, in Input) Window {
	if r.Distort != nil {
		return f.Implemented(r.Distort(in))
	}
	return r.Would(in)
}

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

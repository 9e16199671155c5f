package formula

import "strings"

// crio is how CRI-O's name begins in a Node object. Every other runtime behaves like containerd.
const crio = "cri-o://"

// What a container runtime does after a second request to stop a container. They are no changes of Kubernetes, so
// Changes does not list them.
var (
	// StopsAgain is what containerd does.
	StopsAgain = Change{
		Name: "a second request to stop a container waits for its own timeout, and a container that stops still runs " +
			"commands",
		Reference: "containerd internal/cri/server/container_stop.go; CRI-O internal/oci/runtime_oci.go " +
			"StopLoopForContainer, container.go AddExecPID",
		Since: everyRelease, NotOn: crio,
	}
	// StopsOnce is what CRI-O does.
	StopsOnce = Change{
		Name:      "a second request to stop a container waits for the end of the first one, and no command runs",
		Reference: StopsAgain.Reference, Since: everyRelease, OnlyOn: crio,
	}
)

// everyRelease is before the first release that podclock knows.
const everyRelease = "v1.0.0"

func on(runtime, reported string) bool { return strings.HasPrefix(reported, runtime) }

// OtherRuntime returns the runtime that a Node object reports, or "" for containerd.
func OtherRuntime(reported string) string {
	if on("containerd://", reported) {
		return ""
	}
	return reported
}

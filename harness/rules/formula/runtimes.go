package formula

import "strings"

// How the names of runtimes begin in a Node object that don't do everything as containerd 2.x does. Every other runtime
// is taken for that.
const (
	crio        = "cri-o://"
	containerd1 = "containerd://1."
)

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

// StopSignalTaken is what containerd 2.3 and CRI-O do. containerd 1.7 knows only the image's stop signal.
var StopSignalTaken = Change{
	Name:      "the runtime stops a container by the signal that the kubelet names",
	Reference: "containerd internal/cri/server/container_stop.go (GetStopSignal), in 1.7 pkg/cri/sbserver",
	Since:     everyRelease, NotOn: containerd1,
}

// EndKept is what containerd does. CRI-O gives a container that has ended another end when it is asked to stop it.
var EndKept = Change{
	Name:      "a stop of a container that has ended does not change its end",
	Reference: "CRI-O internal/oci/runtime_oci.go StopContainer (Living)",
	Since:     everyRelease, NotOn: crio,
}

// OOMBesideEnd is what containerd does. CRI-O looks for the kernel's kill when a container has ended.
var OOMBesideEnd = Change{
	Name:      "the runtime learns of a kill for memory by an event of its own, which may come after that of the end",
	Reference: "containerd#8893, containerd#12372; CRI-O internal/oci/runtime_oci.go UpdateContainerStatus",
	Since:     everyRelease, NotOn: crio,
}

// everyRelease is before the first release that podclock knows.
const everyRelease = "v1.0.0"

func on(runtime, reported string) bool { return strings.HasPrefix(reported, runtime) }

// OtherRuntime returns the runtime that a Node object reports, or "" for containerd 2.x.
func OtherRuntime(reported string) string {
	if on("containerd://", reported) && !on(containerd1, reported) {
		return ""
	}
	return reported
}

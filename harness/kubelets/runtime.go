package kubelets

import (
	"slices"

	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// Runtime is a container runtime that takes the place of the node image's own on a subject's workers.
type Runtime struct {
	// Name is what a subject has after an at sign.
	Name string
	// Reports begins what a Node object has as its container runtime.
	Reports string
	// Kubelets are those that can have it. Reason is why others can't.
	Kubelets mutation.Range
	Reason   string
	// args are the kubelet's arguments for it.
	args []string
}

// Runtimes returns every runtime that podclock can build.
func Runtimes() []Runtime {
	return []Runtime{
		{
			// It does not answer RuntimeConfig, without which kubelet 1.38 does not start
			// (cmd/kubelet/app/server.go getCgroupDriverFromCRI).
			Name: "containerd-1.7", Reports: "containerd://1.7.", Kubelets: mutation.Range{Before: "v1.36.0"},
			Reason: "Kubernetes 1.35 is the last release that supports containerd 1.x",
		},
		{
			Name: "cri-o-1.34", Reports: "cri-o://1.34.", Kubelets: mutation.Range{From: "v1.34.0", Before: "v1.35.0"},
			Reason: "CRI-O has a release for each minor release of Kubernetes",
			args: []string{
				"--container-runtime-endpoint=unix:///var/run/crio/crio.sock",
				"--runtime-cgroups=/system.slice/crio.service",
			},
		},
	}
}

// FindRuntime returns the runtime of a name.
func FindRuntime(name string) (Runtime, bool) {
	all := Runtimes()
	i := slices.IndexFunc(all, func(r Runtime) bool { return r.Name == name })
	if i < 0 {
		return Runtime{}, false
	}
	return all[i], true
}

// RuntimeNames returns the names of all of [Runtimes].
func RuntimeNames() (names []string) {
	for _, r := range Runtimes() {
		names = append(names, r.Name)
	}
	return names
}

const runtimeMark = "@"

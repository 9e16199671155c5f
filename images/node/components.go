package node

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// component is a part of the node that is compiled from one Go module, pinned by the go.mod and go.sum in a
// folder of its own: so no component's dependencies meddle with another's, nor with podclock's.
type component struct {
	// Folder is where its go.mod is, below images/node.
	Folder string
	// Module is the module that gives the component its version.
	Module string
	// Programs are compiled by one run of go build.
	Programs []program
	// Cgo says that it needs a C compiler.
	Cgo bool
	// Flags are the flags of go build for a version of Module.
	Flags func(version string) []string
}

// program is one executable of a component.
type program struct {
	// Package is its main package, Name the file's name (empty: the last part of Package).
	Package, Name string
	// Folder is where it stands in the node. Empty means that it is not part of the node's file system but
	// has a container image of its own, by its name.
	Folder string
}

func (p program) name() string {
	if p.Name != "" {
		return p.Name
	}
	return path.Base(p.Package)
}

// kubernetes is apart from the others because the image is named after it and it takes longest to compile.
var kubernetes = component{
	Folder: "kubernetes", Module: "k8s.io/kubernetes", Flags: BuildFlags,
	Programs: []program{
		{Package: "k8s.io/kubernetes/cmd/kubelet", Folder: "/usr/bin"}, // where kind's unit file expects it
		{Package: "k8s.io/kubernetes/cmd/kubeadm", Folder: "/usr/bin"},
		{Package: "k8s.io/kubernetes/cmd/kubectl", Folder: "/usr/bin"},
		{Package: "k8s.io/kubernetes/cmd/kube-apiserver"},
		{Package: "k8s.io/kubernetes/cmd/kube-controller-manager"},
		{Package: "k8s.io/kubernetes/cmd/kube-scheduler"},
	},
}

// others are the components that are compiled beside Kubernetes. All are static, so they do not care for
// the C library of the host that compiled them.
var others = []component{
	{
		Folder: "containerd", Module: "github.com/containerd/containerd/v2", Flags: plainFlags,
		Programs: []program{
			{Package: "github.com/containerd/containerd/v2/cmd/containerd", Folder: "/usr/local/bin"},
			{Package: "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2", Folder: "/usr/local/bin"},
			{Package: "github.com/containerd/containerd/v2/cmd/ctr", Folder: "/usr/local/bin"},
		},
	},
	{
		Folder: "etcd", Module: "go.etcd.io/etcd/server/v3", Flags: plainFlags,
		Programs: []program{{Package: "go.etcd.io/etcd/server/v3", Name: "etcd"}},
	},
	{
		Folder: "runc", Module: "github.com/opencontainers/runc", Flags: staticCgoFlags, Cgo: true,
		Programs: []program{{Package: "github.com/opencontainers/runc", Folder: "/usr/local/sbin"}},
	},
	{
		Folder: "cni", Module: "github.com/containernetworking/plugins", Flags: plainFlags,
		Programs: []program{
			{Package: "github.com/containernetworking/plugins/plugins/ipam/host-local", Folder: "/opt/cni/bin"},
			{Package: "github.com/containernetworking/plugins/plugins/main/loopback", Folder: "/opt/cni/bin"},
			{Package: "github.com/containernetworking/plugins/plugins/main/ptp", Folder: "/opt/cni/bin"},
		},
	},
	// The sandbox's process is C code in Kubernetes and in no Go module. Ours is in podclock's own module.
	{
		Folder: "pause", Flags: plainFlags,
		Programs: []program{{Package: "github.com/podclock/podclock/images/node/pause"}},
	},
}

func plainFlags(string) []string {
	return append(commonFlags(), "-ldflags", smaller)
}

// staticCgoFlags are those of runc's own `make static`.
func staticCgoFlags(string) []string {
	return append(commonFlags(), "-tags", "seccomp,netgo,osusergo,cgo,static_build",
		"-ldflags", smaller+" -linkmode external -extldflags -static")
}

func components() []component {
	return append([]component{kubernetes}, others...)
}

// version is the version of the component's module that its go.mod requires; empty for what is podclock's own. root is
// podclock's source.
func (c component) version(root string) (string, error) {
	if c.Module == "" {
		return "", nil
	}
	file := filepath.Join(root, "images", "node", c.Folder, "go.mod")
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading which %s the node image is pinned to: %w", c.Folder, err)
	}
	mod, err := modfile.Parse(file, content, nil)
	if err != nil {
		return "", fmt.Errorf("reading which %s the node image is pinned to: %w", c.Folder, err)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == c.Module {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s; run `go get -tool` for its programs there", file, c.Module)
}

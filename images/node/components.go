package node

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// component is a part of the node that is compiled from one Go module. A folder of its own pins its go.mod
// and go.sum, so no component changes the dependencies of another or of podclock.
type component struct {
	// Folder contains its go.mod, below images/node.
	Folder string
	// Module is the module with the component's version.
	Module string
	// Programs are compiled together by one go build.
	Programs []program
	// Cgo: it needs a C compiler.
	Cgo bool
	// Flags returns the flags of go build for a version of Module.
	Flags func(version string) []string
}

// program is one executable of a component.
type program struct {
	// Package is its main package. Name is the file's name. Empty: the last part of Package.
	Package, Name string
	// Folder is its folder in the node. Empty: it is not in the node's file system, but in a container image with its
	// name.
	Folder string
}

func (p program) name() string {
	if p.Name != "" {
		return p.Name
	}
	return path.Base(p.Package)
}

// kubernetes is separate because the image has its version and it takes longest to compile.
var kubernetes = component{
	Folder: "kubernetes", Module: "k8s.io/kubernetes", Flags: BuildFlags,
	Programs: []program{
		{Package: "k8s.io/kubernetes/cmd/kubelet", Folder: "/usr/bin"}, // as in kind's unit file
		{Package: "k8s.io/kubernetes/cmd/kubeadm", Folder: "/usr/bin"},
		{Package: "k8s.io/kubernetes/cmd/kubectl", Folder: "/usr/bin"},
		{Package: "k8s.io/kubernetes/cmd/kube-apiserver"},
		{Package: "k8s.io/kubernetes/cmd/kube-controller-manager"},
		{Package: "k8s.io/kubernetes/cmd/kube-scheduler"},
	},
}

// others are the other components. All are static, so they do not depend on the C library of the compiling host.
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
	// The sandbox's process is C code in Kubernetes and in no Go module. podclock's own is in its module.
	{
		Folder: "pause", Flags: plainFlags,
		Programs: []program{{Package: "github.com/podclock/podclock/images/node/pause"}},
	},
}

func plainFlags(string) []string {
	return append(commonFlags(), "-ldflags", smaller)
}

// staticCgoFlags returns the flags of runc's own `make static`.
func staticCgoFlags(string) []string {
	return append(commonFlags(), "-tags", "seccomp,netgo,osusergo,cgo,static_build",
		"-ldflags", smaller+" -linkmode external -extldflags -static")
}

func components() []component {
	return append([]component{kubernetes}, others...)
}

// version returns the version of the component's module in its go.mod, or "" for podclock's own. root is
// podclock's source.
func (c component) version(root string) (string, error) {
	if c.Module == "" {
		return "", nil
	}
	file := filepath.Join(root, "images", "node", c.Folder, "go.mod")
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the node image's version of %s: %w", c.Folder, err)
	}
	mod, err := modfile.Parse(file, content, nil)
	if err != nil {
		return "", fmt.Errorf("reading the node image's version of %s: %w", c.Folder, err)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == c.Module {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s; run `go get -tool` for its programs in that folder", file, c.Module)
}

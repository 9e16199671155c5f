package node

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// component is compiled from one Go module. Its folder pins go.mod and go.sum, so components share no dependencies.
type component struct {
	Folder   string // below images/node
	Module   string // the module with the component's version
	Programs []program
	Cgo      bool
	// Flags returns the flags of go build for a version of Module.
	Flags func(version string) []string
}

type program struct {
	// Package is its main package. Name is the file's name, by default the last part of Package.
	Package, Name string
	// Folder is its folder in the node. Empty: it is in a container image with its name.
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
		{Package: "k8s.io/kubernetes/cmd/kube-proxy", Folder: "/usr/bin"}, // it runs only on workers of trials
		{Package: "k8s.io/kubernetes/cmd/kube-apiserver"},
		{Package: "k8s.io/kubernetes/cmd/kube-controller-manager"},
		{Package: "k8s.io/kubernetes/cmd/kube-scheduler"},
	},
}

// others are static, so the compiling host's C library does not matter.
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
	// Kubernetes' sandbox process is C code in no Go module, so podclock has its own.
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

// version returns the version of the component's module in its go.mod below root, or "" for podclock's own.
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

package node

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/semver"
)

// BuildEnv is the environment in which components are compiled: this process's own, except for what would change their
// bytes. Whoever compiles Kubernetes code with it shares the build cache with the node image, so that another kubelet
// costs only the packages that differ.
func BuildEnv(cgo bool) []string {
	enabled := "CGO_ENABLED=0"
	if cgo {
		enabled = "CGO_ENABLED=1"
	}
	return append(os.Environ(), enabled, "GOFLAGS=", "GOWORK=off")
}

// BuildFlags are the flags of `go build` for the programs of Kubernetes of a version such as v1.36.3. The version is
// stamped as Kubernetes' own build does (hack/lib/version.sh), because the kubelet reports it and kubeadm compares it.
//
// The symbol table is left out: stack traces do not need it, and without it the programs are a third smaller.
func BuildFlags(version string) []string {
	const stamp = "-X k8s.io/component-base/version."
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	return append(commonFlags(), "-ldflags", fmt.Sprintf("%s %sgitVersion=%s %sgitMajor=%s %sgitMinor=%s",
		smaller, stamp, version, stamp, major, stamp, minor))
}

const smaller = "-s -w"

// commonFlags make the outcome independent of where it is compiled. Unlike -ldflags they are part of the
// build cache's keys.
func commonFlags() []string {
	return []string{"-trimpath", "-buildvcs=false", "-mod=readonly"}
}

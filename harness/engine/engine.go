// Package engine finds this host's container engine, or installs and starts one, and finds what a cluster must adapt to
// on this host.
//
// It decides as kind does, but needs a server that answers instead of a client program. It knows no images, nodes or
// clusters, and does not change a host with a working engine.
package engine

import "sigs.k8s.io/kind/pkg/cluster"

// The engines, by the names of their client programs.
const (
	Docker  = "docker"
	Podman  = "podman"
	Nerdctl = "nerdctl"
)

// Engine is a container engine whose server answers.
type Engine struct {
	// Name is the client program: docker, podman, nerdctl, or another name of nerdctl: finch or nerdctl.lima.
	Name string
	// Version is the server's version.
	Version string
}

// Provider returns the option that makes kind use this engine. kind itself may choose an installed client whose server
// does not run.
func (e *Engine) Provider() cluster.ProviderOption {
	switch e.Name {
	case Docker:
		return cluster.ProviderWithDocker()
	case Podman:
		return cluster.ProviderWithPodman()
	default:
		return cluster.ProviderWithNerdctl(e.Name)
	}
}

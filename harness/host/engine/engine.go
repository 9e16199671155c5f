// Package engine finds this host's container engine, or installs and starts one. It decides as kind does, but needs a
// server that answers. It does not change a host with a working engine.
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
	// Name is the client program: docker, podman, nerdctl, finch or nerdctl.lima. Version is the server's.
	Name, Version string
}

// Provider makes kind use this engine. kind itself may choose a client whose server does not run.
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

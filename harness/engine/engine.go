// Package engine finds the container engine of this host, or installs and starts one, and tells what of the host a
// cluster has to adapt to.
//
// It decides as kind does, except that kind is content with a client program and this package wants a server that
// answers. It must never know of images, nodes or clusters, and never touch a host that has a working engine.
package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"sigs.k8s.io/kind/pkg/cluster"

	"github.com/podclock/podclock/harness/cache"
)

// The engines, by the names of their client programs.
const (
	Docker  = "docker"
	Podman  = "podman"
	Nerdctl = "nerdctl"
)

// Engine is a container engine whose server answers.
type Engine struct {
	// Name is the client program: docker, podman or nerdctl (or one of nerdctl's other names, finch and nerdctl.lima).
	Name string
	// Version is the server's.
	Version string
}

// Provider is the option that makes kind use this very engine. kind's own detection could choose another one, whose
// client is installed but whose server is not running.
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

// Ensure returns a container engine that answers. Where there is none it installs Docker from the
// distribution and starts it, which needs root and apt; the server outlives this process. It can be called
// again at any time, also by several processes at once. It writes exactly one line to log, saying what it
// found or did.
//
// The error is [ErrNoEngine] when the user has to install or start something.
func Ensure(ctx context.Context, log io.Writer) (*Engine, error) {
	unlock, err := cache.Lock(ctx, "engine")
	if err != nil {
		return nil, err
	}
	defer unlock()

	found := look(ctx, os.Getenv, run)
	todo, err := choose(found.situation)
	if err != nil {
		return nil, withoutEngine(err)
	}
	if todo.Step == use {
		server := found.servers[todo.Engine]
		if err := keepRuntime(ctx, server); err != nil {
			return nil, err
		}
		_, err := fmt.Fprintf(log, "container engine: found %s %s\n", todo.Engine, server.Version)
		return &Engine{Name: todo.Engine, Version: server.Version}, err
	}
	did := "started"
	if todo.Step == installThenStart {
		did = "installed and started"
		if err := install(ctx, run); err != nil {
			return nil, withoutEngine(err)
		}
	}
	server, how, err := startDocker(ctx)
	if err != nil {
		return nil, withoutEngine(err)
	}
	_, err = fmt.Fprintf(log, "container engine: %s docker %s%s\n", did, server.Version, how)
	return &Engine{Name: Docker, Version: server.Version}, err
}

// withoutEngine says what can be done where no container engine can be had.
func withoutEngine(err error) error {
	return fmt.Errorf(
		"%w. Without any container engine: make rehearse, which needs nothing but Go, runs the trials in the virtual lane",
		err,
	)
}

// runner runs a program to its end and returns what it wrote to standard output; its error holds the end of
// what went to standard error.
type runner func(ctx context.Context, name string, args ...string) (string, error)

func run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w%s", cmd, err, lastWords(err))
	}
	return string(out), nil
}

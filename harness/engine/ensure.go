package engine

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/podclock/podclock/harness/cache"
)

// Ensure returns a container engine that answers. If there is none, it installs Docker from the distribution and starts
// it, which needs root and apt. It writes to log what it did. Concurrent processes may call it.
//
// The error is [ErrNoEngine] if the user must install or start something.
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

func withoutEngine(err error) error {
	return fmt.Errorf("%w. make rehearse runs the trials in the virtual lane, without a container engine", err)
}

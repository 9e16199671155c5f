package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/host/engine/capset"
)

// Ensure returns a container engine that answers. If there is none, it installs Docker from the distribution and starts
// it, which needs root and apt. It writes to log what it did. Concurrent processes may call it.
//
// The error is [ErrNoEngine] if the user must install or start something.
func Ensure(ctx context.Context, log io.Writer) (*Engine, error) {
	logf := func(format string, args ...any) { _, _ = fmt.Fprintf(log, "container engine: "+format+"\n", args...) }
	unlock, err := cache.Lock(ctx, "engine", logf)
	if err != nil {
		return nil, err
	}
	defer unlock()
	provider := os.Getenv("KIND_EXPERIMENTAL_PROVIDER")
	name, server, reasons := firstAnswer(ctx, candidates(provider), run)
	if name != "" {
		if err := keepRuntime(ctx, server); err != nil {
			return nil, err
		}
		if _, ours := server.Runtimes[runtimeName]; !ours {
			if missing, err := capset.MissingHere(); err == nil && len(missing) > 0 { // only a hint needs the answer
				logf("no process here can get %s; if nodes end at once, stop the engine, and podclock starts "+
					"Docker with a runtime for such hosts", strings.Join(missing, ", "))
			}
		}
		logf("found %s %s", name, server.Version)
		return &Engine{Name: name, Version: server.Version}, nil
	}
	here := situation{Provider: provider, DockerHost: os.Getenv("DOCKER_HOST"), Root: os.Geteuid() == 0}
	_, here.Apt = program("apt-get")
	_, here.Dockerd = program("dockerd")
	if why := here.obstacle(); why != "" {
		return nil, withoutEngine(fmt.Errorf("%w (%s); %s", ErrNoEngine, strings.Join(reasons, "; "), why))
	}
	did := "started"
	if !here.Dockerd {
		did = "installed and started"
		if err := install(ctx, run); err != nil {
			return nil, withoutEngine(err)
		}
	}
	server, how, err := startDocker(ctx)
	if err != nil {
		return nil, withoutEngine(err)
	}
	logf("%s docker %s%s", did, server.Version, how)
	return &Engine{Name: Docker, Version: server.Version}, nil
}

func withoutEngine(err error) error {
	return fmt.Errorf("%w. make rehearse runs the trials in the virtual lane, without a container engine", err)
}

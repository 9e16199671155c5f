package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ErrNoEngine means that no container engine answers and podclock cannot install one.
var ErrNoEngine = errors.New("no container engine in reach")

const remedy = "install Docker (on Debian or Ubuntu: apt-get install docker.io) and start it, " +
	"or run as root, and podclock does so"

type situation struct {
	// Provider is KIND_EXPERIMENTAL_PROVIDER, DockerHost is DOCKER_HOST.
	Provider, DockerHost string
	// Reachable reports whether an engine's server answers. Reasons are why others did not.
	Reachable map[string]bool
	Reasons   map[string]string
	// Root: this process is root. Apt: apt-get is installed. Dockerd: dockerd is installed.
	Root, Apt, Dockerd bool
}

type step int

const (
	use              step = iota // the engine answers
	start                        // dockerd is installed and does not run
	installThenStart             // apt can install docker.io
)

type choice struct {
	Step   step
	Engine string
}

// candidates returns the engines in kind's order (pkg/cluster/provider.go DetectNodeProvider). Like kind,
// it ignores an unknown name.
func candidates(provider string) []string {
	switch provider {
	case Docker, Podman, Nerdctl, "finch", "nerdctl.lima":
		return []string{provider}
	}
	return []string{Docker, Nerdctl, Podman}
}

func choose(s situation) (choice, error) {
	engines := candidates(s.Provider)
	for _, engine := range engines {
		if s.Reachable[engine] {
			return choice{use, engine}, nil
		}
	}
	var tried []string
	for _, engine := range engines {
		tried = append(tried, fmt.Sprintf("%s: %s", engine, s.Reasons[engine]))
	}
	fail := func(format string, args ...any) (choice, error) {
		why := fmt.Sprintf(format, args...)
		return choice{}, fmt.Errorf("%w (%s); %s", ErrNoEngine, strings.Join(tried, "; "), why)
	}
	switch {
	case engines[0] != Docker:
		return fail("KIND_EXPERIMENTAL_PROVIDER=%s excludes others: start it, or unset the variable", s.Provider)
	case s.DockerHost != "":
		return fail("DOCKER_HOST=%s names a server that does not answer: start it, or unset the variable", s.DockerHost)
	case !s.Root:
		return fail(remedy)
	case s.Dockerd:
		return choice{start, Docker}, nil
	case s.Apt:
		return choice{installThenStart, Docker}, nil
	}
	return fail("there is no apt-get here: install Docker or podman with this distribution's tools and start it")
}

type finding struct {
	situation situation
	servers   map[string]server
}

// look asks the candidates until one answers, and finds what can be done if none does.
func look(ctx context.Context, getenv func(string) string, run runner) finding {
	found := finding{
		situation: situation{
			Provider: getenv("KIND_EXPERIMENTAL_PROVIDER"), DockerHost: getenv("DOCKER_HOST"),
			Reachable: map[string]bool{}, Reasons: map[string]string{}, Root: os.Geteuid() == 0,
		},
		servers: map[string]server{},
	}
	_, found.situation.Apt = program("apt-get")
	_, found.situation.Dockerd = program("dockerd")
	for _, engine := range candidates(found.situation.Provider) {
		answer, err := ask(ctx, engine, run)
		if err == nil {
			found.situation.Reachable[engine] = true
			found.servers[engine] = answer
			break
		}
		found.situation.Reasons[engine] = reason(err)
	}
	return found
}

func reason(err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "not installed"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", answerTime)
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

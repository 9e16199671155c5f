package engine

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// ErrNoEngine means that no container engine answers and podclock cannot install one.
var ErrNoEngine = errors.New("no container engine in reach")

const remedy = "install Docker (on Debian or Ubuntu: apt-get install docker.io) and start it, " +
	"or run as root, and podclock does so"

// candidates returns the engines in kind's order (pkg/cluster/provider.go DetectNodeProvider). Like kind,
// it ignores an unknown name.
func candidates(provider string) []string {
	switch provider {
	case Docker, Podman, Nerdctl, "finch", "nerdctl.lima":
		return []string{provider}
	}
	return []string{Docker, Nerdctl, Podman}
}

// firstAnswer returns the first engine whose server answers, "" if none does, and why others before it do not.
func firstAnswer(ctx context.Context, engines []string, run runner) (engine string, answer server, reasons []string) {
	for _, engine := range engines {
		answer, err := ask(ctx, engine, run)
		if err == nil {
			return engine, answer, reasons
		}
		reasons = append(reasons, engine+": "+reason(err))
	}
	return "", server{}, reasons
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

// situation is what decides whether podclock can start Docker on a host without an engine.
type situation struct {
	// Provider is KIND_EXPERIMENTAL_PROVIDER, DockerHost is DOCKER_HOST.
	Provider, DockerHost string
	// Root: this process is root. Apt: apt-get is installed. Dockerd: dockerd is installed.
	Root, Apt, Dockerd bool
}

// obstacle returns why podclock cannot start Docker, or "".
func (s situation) obstacle() string {
	switch {
	case candidates(s.Provider)[0] != Docker:
		const format = "KIND_EXPERIMENTAL_PROVIDER=%s excludes others: start it, or unset the variable"
		return fmt.Sprintf(format, s.Provider)
	case s.DockerHost != "":
		const format = "DOCKER_HOST=%s names a server that does not answer: start it, or unset the variable"
		return fmt.Sprintf(format, s.DockerHost)
	case !s.Root:
		return remedy
	case !s.Dockerd && !s.Apt:
		return "there is no apt-get here: install Docker or podman with this distribution's tools and start it"
	}
	return ""
}

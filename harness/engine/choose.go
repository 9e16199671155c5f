package engine

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoEngine means that no container engine is in reach and none can be installed by us.
var ErrNoEngine = errors.New("no container engine in reach")

// remedy ends every error that a user has to act on.
const remedy = "install Docker (on Debian or Ubuntu: apt-get install docker.io) and start it, " +
	"or run as root so that it can be done for you"

// situation is everything the choice of an engine depends on.
type situation struct {
	// Provider is KIND_EXPERIMENTAL_PROVIDER, DockerHost is DOCKER_HOST.
	Provider, DockerHost string
	// Reachable answers whether the named engine's server answers, and Reasons say why those that were asked did not.
	Reachable map[string]bool
	Reasons   map[string]string
	// Root, Apt and Dockerd say what can be done about it: we are root, apt-get is there, dockerd is there.
	Root, Apt, Dockerd bool
}

// step is what Ensure has to do.
type step int

const (
	use              step = iota // the engine is reachable
	start                        // dockerd is installed, nobody runs it
	installThenStart             // docker.io comes from apt
)

// choice is the outcome of choose.
type choice struct {
	Step   step
	Engine string
}

// candidates lists the engines kind would consider, in kind's order (kind: pkg/cluster/provider.go
// DetectNodeProvider and pkg/internal/runtime GetDefault). As there, an unknown name is ignored.
func candidates(provider string) []string {
	switch provider {
	case Docker, Podman, Nerdctl, "finch", "nerdctl.lima":
		return []string{provider}
	}
	return []string{Docker, Nerdctl, Podman}
}

// choose picks the first reachable engine, else the way to a Docker of our own, else says what the user must do.
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
	fail := func(why string) (choice, error) {
		return choice{}, fmt.Errorf("%w (%s); %s", ErrNoEngine, strings.Join(tried, "; "), why)
	}
	switch {
	case engines[0] != Docker:
		return fail(
			fmt.Sprintf("KIND_EXPERIMENTAL_PROVIDER=%s rules out others: start it, or unset the variable", s.Provider),
		)
	case s.DockerHost != "":
		return fail(
			fmt.Sprintf(
				"DOCKER_HOST=%s names a server that does not answer: start it, or unset the variable",
				s.DockerHost,
			),
		)
	case !s.Root:
		return fail(remedy)
	case s.Dockerd:
		return choice{start, Docker}, nil
	case s.Apt:
		return choice{installThenStart, Docker}, nil
	}
	return fail("there is no apt-get here: install Docker or podman by the means of this distribution and start it")
}

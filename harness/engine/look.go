package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// answerTime bounds how long an engine's server may take to answer. A local server needs milliseconds; a
// dead remote one would hold its client for minutes.
const answerTime = 10 * time.Second

// pollInterval is how often a wait looks again.
const pollInterval = 100 * time.Millisecond

// server is what an engine says of itself.
type server struct {
	Version        string
	DefaultRuntime string
	Runtimes       map[string]struct{ Path string }
}

// finding is what look saw.
type finding struct {
	situation situation
	servers   map[string]server
}

// look asks every candidate until one answers, and sees what could be done if none does. It changes nothing.
func look(ctx context.Context, getenv func(string) string, run runner) finding {
	found := finding{
		situation: situation{
			Provider: getenv("KIND_EXPERIMENTAL_PROVIDER"), DockerHost: getenv("DOCKER_HOST"),
			Reachable: map[string]bool{}, Reasons: map[string]string{},
			Root: os.Geteuid() == 0},
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

// ask makes an engine's server answer.
func ask(ctx context.Context, engine string, run runner) (server, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	out, err := run(ctx, engine, "info", "--format", "{{json .}}")
	if err != nil {
		return server{}, err
	}
	return parseInfo(out)
}

// parseInfo reads what `info --format '{{json .}}'` printed. Docker's client exits with 0 and lists ServerErrors where
// no server answers; podman keeps its version elsewhere.
func parseInfo(out string) (server, error) {
	var info struct {
		ServerVersion  string
		DefaultRuntime string
		Runtimes       map[string]struct{ Path string }
		ServerErrors   []string
		Version        struct{ Version string } `json:"version"`
	}
	if err := json.Unmarshal([]byte(out), &info); err != nil {
		return server{}, fmt.Errorf("reading its description: %w", err)
	}
	version := info.ServerVersion
	if version == "" {
		version = info.Version.Version
	}
	if len(info.ServerErrors) > 0 {
		return server{}, errors.New(strings.Join(info.ServerErrors, ", "))
	}
	if version == "" {
		return server{}, errors.New("its server names no version")
	}
	return server{version, info.DefaultRuntime, info.Runtimes}, nil
}

// reason makes one short line of why an engine is of no use.
func reason(err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "not installed"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", answerTime)
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// systemFolders hold the programs of the administrator. Root's PATH may lack them, after su without a login shell.
var systemFolders = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

// program finds a program on the PATH or in the system folders.
func program(name string) (file string, found bool) {
	if file, err := exec.LookPath(name); err == nil {
		return file, true
	}
	for _, folder := range systemFolders {
		if file, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return file, true
		}
	}
	return "", false
}

// lastWords is the end of what a failed program wrote to standard error.
func lastWords(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || len(exit.Stderr) == 0 {
		return ""
	}
	text := strings.TrimSpace(string(exit.Stderr))
	if cut := len(text) - 600; cut > 0 {
		text = "…" + text[cut:]
	}
	return ": " + text
}

// poll asks done until it says yes or fails, or ctx ends.
func poll(ctx context.Context, done func() (bool, error)) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

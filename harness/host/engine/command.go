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

const (
	// answerTime is how long an engine's server may take to answer. A client of a dead remote server waits for minutes.
	answerTime   = 10 * time.Second
	pollInterval = 100 * time.Millisecond
)

// runner returns a program's output. The error contains the end of its standard error.
type runner func(ctx context.Context, name string, args ...string) (string, error)

func run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w%s", cmd, err, errorOutput(err))
	}
	return string(out), nil
}

func errorOutput(err error) string {
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

// systemFolders contain the administrator's programs. The PATH of root may lack them.
var systemFolders = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

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

type server struct {
	Version  string
	Runtimes map[string]struct{ Path string }
}

func ask(ctx context.Context, engine string, run runner) (server, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	out, err := run(ctx, engine, "info", "--format", "{{json .}}")
	if err != nil {
		return server{}, err
	}
	return parseInfo(out)
}

// parseInfo reads the output of info --format '{{json .}}'. Without a server, Docker's client exits with 0 and lists
// ServerErrors. podman has its version in another field.
func parseInfo(out string) (server, error) {
	var info struct {
		ServerVersion string
		Runtimes      map[string]struct{ Path string }
		ServerErrors  []string
		Version       struct{ Version string } `json:"version"`
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
		return server{}, errors.New("its server reports no version")
	}
	return server{version, info.Runtimes}, nil
}

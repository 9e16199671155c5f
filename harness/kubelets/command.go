package kubelets

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Output runs a command and returns its standard output. The error contains the first lines of its standard error.
func Output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, FirstLines(string(exit.Stderr)))
	}
	return out, err
}

// FirstLines returns the first ten lines of a command's output as one line.
func FirstLines(output string) string {
	const most = 10
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d lines more", len(lines)-most))
	}
	return strings.Join(lines, "; ")
}

const versionTimeout = 10 * time.Second

// versionLine is what component-base/version/verflag PrintAndExitIfRequested prints.
var versionLine = regexp.MustCompile(`^Kubernetes (v\S+)\s*$`)

// AskVersion runs a program with arguments that make it print its version, and returns the version.
func AskVersion(ctx context.Context, program string, args ...string) (string, error) {
	late := fmt.Errorf("it did not print its version and end within %v", versionTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, versionTimeout, late)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second // for a child process that keeps the output open
	out, err := Output(cmd)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return "", err
	}
	printed := versionLine.FindSubmatch(out)
	if printed == nil {
		return "", fmt.Errorf("it prints %s instead of Kubernetes and a version", quoted(out))
	}
	return string(printed[1]), nil
}

func quoted(out []byte) string {
	const most = 80
	text, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(text, string(utf8.RuneError)))
}

package nodes

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

const (
	portTaken = "a port of networking.apiServerPort or extraPortMappings is taken: " +
		"change it with KIND_CONFIG or free it"
	diskFull   = "the engine's disk is full: free some space there"
	engineGone = "the container engine ended: start it and try again"
)

// remedies map messages to what the user can do. The first match counts.
var remedies = []struct{ symptom, remedy string }{
	{"port is already allocated", portTaken},
	{"address already in use", portTaken},
	{"no space left on device", diskFull},
	{"disk quota exceeded", diskFull},
	{"unable to apply caps", "this host's root lacks a capability that a privileged container needs: " +
		"start the engine through podclock, which adapts it"},
	{"cannot connect to the docker daemon", engineGone},
	{"unable to connect to podman", engineGone},
	{"executable file not found", "the container engine's client is not installed: install it"},
	{"permission denied while trying to connect",
		"this user may not use the container engine: join its group or use sudo"},
	{"pull access denied", "the node image can't be pulled: check NODE_IMAGE, or set NODE_IMAGE=build"},
	{"failed to pull image", "the node image can't be pulled: check NODE_IMAGE, or set NODE_IMAGE=build " +
		"if no registry can be reached"},
	{"too many open files", "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches on the host"},
	{"could not find a log line", "a node did not boot within kind's 30 s: the host may be overloaded, " +
		"or its control groups unusual; read the node's log"},
	{"is already in use by container", "a container of that name exists: " +
		"remove it if it is yours, or choose another name (CLUSTER=<name>)"},
	{"all predefined address pools", "the engine has no free subnet for a network: remove unused networks"},
}

// explained replaces the text of an error of kind.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// Explain adds to an error of kind what the failed command printed and the remedy, and shortens the command line.
// Explain(nil) is nil.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	text, output := err.Error(), ""
	var failed *kindexec.RunError
	if errors.As(err, &failed) {
		output = string(failed.Output)
		command := strings.Join(failed.Command[:min(len(failed.Command), 2)], " ")
		short := fmt.Sprintf("%s: %v: %s", command, failed.Inner, errorLines(output))
		text = strings.Replace(text, failed.Error(), short, 1)
	}
	symptoms := strings.ToLower(err.Error() + "\n" + output)
	for _, r := range remedies {
		if strings.Contains(symptoms, r.symptom) {
			text += "; " + r.remedy
			break
		}
	}
	return &explained{text: text, err: err}
}

// Because puts the cause of a context's end before an error that it brought about. It returns the error
// unchanged if the context has not ended.
func Because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w (%w)", cause, err)
}

var errorLine = regexp.MustCompile(`^[EF][0-9]{4} |(?i:error:|error response|panic:|fatal|cannot connect)`)

// errorLines returns the last three lines with errors, or the last three lines.
func errorLines(s string) string {
	const n = 3
	var found []string
	for line := range strings.Lines(s) {
		if errorLine.MatchString(strings.TrimSpace(line)) {
			found = append(found, strings.TrimSpace(line)+"\n")
		}
	}
	if len(found) == 0 {
		return LastLines(s, n)
	}
	// A process that systemd restarts logs the same lines each time.
	return LastLines(strings.Join(slices.Compact(found), ""), n)
}

// LastLines returns the last n lines that are not blank, as one line.
func LastLines(s string, n int) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// remedies map what engines, kubeadm and nodes print to what to do about it.
// The first that matches is given.
var remedies = []struct{ symptom, remedy string }{
	{
		"port is already allocated",
		"a port of networking.apiServerPort or extraPortMappings is taken: change it in kind-config.yaml or free it",
	},
	{
		"address already in use",
		"a port of networking.apiServerPort or extraPortMappings is taken: change it in kind-config.yaml or free it",
	},
	{"no space left on device", "the engine's disk is full: free some space there"},
	{"disk quota exceeded", "the engine's disk is full: free some space there"},
	{
		"unable to apply caps",
		"this host's root lacks a capability that a privileged container asks for: start the engine through podclock, which adapts it",
	},
	{"cannot connect to the docker daemon", "the container engine went away: start it and try again"},
	{"unable to connect to podman", "the container engine went away: start it and try again"},
	{"executable file not found", "the container engine's client is not installed"},
	{
		"permission denied while trying to connect",
		"this user may not use the container engine: join its group or use sudo",
	},
	{"pull access denied", "the node image can't be pulled: check NODE_IMAGE, or set NODE_IMAGE=build"},
	{
		"failed to pull image",
		"the node image can't be pulled: check NODE_IMAGE, or set NODE_IMAGE=build where no registry is in reach",
	},
	{"too many open files", "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches on the host"},
	{
		"could not find a log line",
		"a node did not boot within kind's 30 s: the host may be overloaded or its control groups unusual; look at the node's log",
	},
	{
		"is already in use by container",
		"a container of that name is left over: remove it if it is yours, or choose another name (CLUSTER=<name>)",
	},
	{"all predefined address pools", "the engine has no free subnet for a network: remove unused networks"},
}

// explained is a kind error in words of use to a user: without a command line
// of a screen's length, with what the command printed, and with the remedy.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// explain makes an error of kind's an [explained] one. kind's errors name the
// whole command that failed and leave out what it printed.
func explain(err error) error {
	if err == nil {
		return nil
	}
	text, output := err.Error(), ""
	var run *kindexec.RunError
	if errors.As(err, &run) {
		output = string(run.Output)
		command := strings.Join(run.Command[:min(len(run.Command), 2)], " ")
		text = strings.Replace(
			text,
			run.Error(),
			fmt.Sprintf("%s: %v: %s", command, run.Inner, tellingLines(output)),
			1,
		)
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

// because gives the cause of a context's end instead of what it broke: killed
// commands and refused connections explain nothing.
func because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w (%w)", cause, err)
}

// errorLine matches the lines in which klog, kubeadm, Go and the engines speak
// of errors, among stack traces and progress.
var errorLine = regexp.MustCompile(`^[EF][0-9]{4} |(?i:error:|error response|panic:|fatal|cannot connect)`)

// tellingLines returns the last three lines that speak of errors, or just the
// last three if none does.
func tellingLines(s string) string {
	const n = 3
	var telling []string
	for line := range strings.Lines(s) {
		if errorLine.MatchString(strings.TrimSpace(line)) {
			telling = append(telling, strings.TrimSpace(line)+"\n")
		}
	}
	if len(telling) == 0 {
		return lastLines(s, n)
	}
	// A process that is started again and again says the same again and again.
	return lastLines(strings.Join(slices.Compact(telling), ""), n)
}

// lastLines returns the last n lines that are not blank, joined to one.
func lastLines(s string, n int) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

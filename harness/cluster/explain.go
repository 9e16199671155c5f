package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// remedies map what engines, kubeadm and nodes print to what to do about it.
// The first that matches is given.
var remedies = []struct{ symptom, remedy string }{
	{"port is already allocated", "a port of networking.apiServerPort or extraPortMappings is taken: change it in kind-config.yaml or free it"},
	{"address already in use", "a port of networking.apiServerPort or extraPortMappings is taken: change it in kind-config.yaml or free it"},
	{"no space left on device", "the engine's disk is full: free some space there"},
	{"disk quota exceeded", "the engine's disk is full: free some space there"},
	{"unable to apply caps", "this host's root lacks a capability that a privileged container asks for: start the engine through podclock, which adapts it"},
	{"cannot connect to the docker daemon", "the container engine went away: start it and try again"},
	{"unable to connect to podman", "the container engine went away: start it and try again"},
	{"executable file not found", "the container engine's client is not installed"},
	{"permission denied while trying to connect", "this user may not use the container engine: join its group or use sudo"},
	{"pull access denied", "the node image can't be pulled: check NODE_IMAGE, or set NODE_IMAGE=build"},
	{"failed to pull image", "the node image can't be pulled: check NODE_IMAGE, or set NODE_IMAGE=build where no registry is in reach"},
	{"too many open files", "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches on the host"},
	{"could not find a log line", "a node did not boot within kind's 30 s: the host may be overloaded or its control groups unusual; look at the node's log"},
	{"is already in use by container", "a container of that name is left over: remove it if it is yours, or choose another name (CLUSTER=<name>)"},
	{"all predefined address pools", "the engine has no free subnet for a network: remove unused networks"},
}

// explain adds the output of the command that failed, which kind's errors
// leave out, and the remedy.
func explain(err error) error {
	if err == nil {
		return nil
	}
	output := ""
	if run := kindexec.RunErrorForError(err); run != nil {
		output = string(run.Output)
	}
	text := strings.ToLower(err.Error() + "\n" + output)
	if tail := lastLines(output, 3); tail != "" {
		err = fmt.Errorf("%w: %s", err, tail)
	}
	for _, r := range remedies {
		if strings.Contains(text, r.symptom) {
			return fmt.Errorf("%w; %s", err, r.remedy)
		}
	}
	return err
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

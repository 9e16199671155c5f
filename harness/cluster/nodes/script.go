package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	kind "sigs.k8s.io/kind/pkg/cluster/nodes"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

const (
	// commandTimeout bounds one command on a node.
	commandTimeout = time.Minute
	// diagnoseTimeout bounds the search for the reasons of a failed boot.
	diagnoseTimeout = 20 * time.Second
	// pollInterval is the time between two looks at the API server or a node.
	pollInterval = 200 * time.Millisecond
)

// boundNode gives kind's helpers, which take no context, a context.
type boundNode struct {
	kind.Node
	ctx context.Context
}

func (n boundNode) Command(name string, args ...string) kindexec.Cmd {
	return n.CommandContext(n.ctx, name, args...)
}

// script is a shell script to run on a node. It stops at the first command that fails.
type script struct {
	text  string
	args  []string // $1 and up
	stdin io.Reader
	limit time.Duration // 0: commandTimeout
}

// run runs a script on a node and returns what it printed, without spaces around it.
func run(ctx context.Context, n kind.Node, s script) (string, error) {
	if s.limit == 0 {
		s.limit = commandTimeout
	}
	late := fmt.Errorf("node %s did not answer within %v", n, s.limit)
	ctx, cancel := context.WithTimeoutCause(ctx, s.limit, late)
	defer cancel()
	var out, diagnostics strings.Builder
	cmd := n.CommandContext(ctx, "sh", append([]string{"-euc", s.text, "sh"}, s.args...)...)
	if s.stdin != nil {
		cmd.SetStdin(s.stdin)
	}
	if err := cmd.SetStdout(&out).SetStderr(&diagnostics).Run(); err != nil {
		var failed *kindexec.RunError
		if errors.As(err, &failed) {
			err = failed.Inner // without the script
		}
		return "", Because(ctx, fmt.Errorf("%w: %s", err, LastLines(out.String()+"\n"+diagnostics.String(), 3)))
	}
	return strings.TrimSpace(out.String()), nil
}

// Run runs a shell script on a node and returns what it printed. The script stops at the first command that fails.
// If the context or the limit ends first, the script runs on: it must undo itself what has to be undone.
func (s *Set) Run(ctx context.Context, nodeName string, limit time.Duration, text string) (string, error) {
	n, err := s.Node(nodeName)
	if err != nil {
		return "", err
	}
	out, err := run(ctx, n, script{text: text, limit: limit})
	if err != nil {
		return out, fmt.Errorf("node %s: %w", nodeName, err)
	}
	return out, nil
}

// kubeletJournal returns the last errors that a node's kubelet logged, or its last lines if none is an error.
func kubeletJournal(ctx context.Context, n kind.Node) string {
	out, err := run(ctx, n, script{text: `journalctl --unit kubelet --no-pager --output cat --lines 100`})
	if err != nil {
		return fmt.Sprintf("its journal can't be read: %v", err)
	}
	return errorLines(out)
}

// kubeletRestarts returns how often systemd restarted a node's kubelet since its last start on purpose.
func kubeletRestarts(ctx context.Context, n kind.Node) (int, error) {
	out, err := run(ctx, n, script{text: `systemctl show --property NRestarts --value kubelet`})
	count := 0
	if err == nil {
		count, err = strconv.Atoi(out)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the restarts of the kubelet of node %s: %w", n, err)
	}
	return count, nil
}

// BrokenKubelets returns an error that names the kubelets that ended, and why. kind and kubeadm report only that
// something does not answer.
func BrokenKubelets(ctx context.Context, all []kind.Node) error {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	var errs []error
	for _, n := range all {
		if count, err := kubeletRestarts(ctx, n); err == nil && count > 0 {
			ended := fmt.Errorf("the kubelet of node %s ended %d times: %s", n, count, kubeletJournal(ctx, n))
			errs = append(errs, ended)
		}
	}
	return errors.Join(errs...)
}

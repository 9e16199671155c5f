package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// boundNode makes kind's helpers, which know no context, end with one.
type boundNode struct {
	nodes.Node
	ctx context.Context
}

func (n boundNode) Command(name string, args ...string) kindexec.Cmd {
	return n.CommandContext(n.ctx, name, args...)
}

// runScript runs a shell script on a node and returns what it printed. It
// stops at the first command that fails. Arguments are $1 and up.
func runScript(
	ctx context.Context,
	n nodes.Node,
	limit time.Duration,
	stdin io.Reader,
	script string,
	args ...string,
) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("node %s did not answer within %v", n, limit))
	defer cancel()
	var out, diagnostics strings.Builder
	cmd := n.CommandContext(ctx, "sh", append([]string{"-euc", script, "sh"}, args...)...)
	if stdin != nil {
		cmd.SetStdin(stdin)
	}
	if err := cmd.SetStdout(&out).SetStderr(&diagnostics).Run(); err != nil {
		var run *kindexec.RunError
		if errors.As(err, &run) {
			err = run.Inner // without the script
		}
		cause := fmt.Errorf("%w: %s", err, lastLines(out.String()+"\n"+diagnostics.String(), 3))
		return "", because(ctx, cause)
	}
	return strings.TrimSpace(out.String()), nil
}

// kubeletJournal returns what the kubelet of a node logged last of errors, or
// else just last.
func kubeletJournal(ctx context.Context, n nodes.Node) string {
	out, err := runScript(ctx, n, commandTimeout, nil, `journalctl --unit kubelet --no-pager --output cat --lines 100`)
	if err != nil {
		return fmt.Sprintf("its journal can't be read: %v", err)
	}
	return tellingLines(out)
}

// kubeletRestarts returns how often systemd had to start the kubelet of a node
// again since it was last started on purpose.
func kubeletRestarts(ctx context.Context, n nodes.Node) (int, error) {
	out, err := runScript(ctx, n, commandTimeout, nil, `systemctl show --property NRestarts --value kubelet`)
	if err != nil {
		return 0, fmt.Errorf("asking node %s for restarts of its kubelet: %w", n, err)
	}
	count, err := strconv.Atoi(out)
	if err != nil {
		return 0, fmt.Errorf("asking node %s for restarts of its kubelet: %w", n, err)
	}
	return count, nil
}

// brokenKubelets says which kubelets could not stay up, and why; kind and
// kubeadm only notice that something does not answer.
func brokenKubelets(ctx context.Context, all []nodes.Node) error {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	var errs []error
	for _, n := range all {
		if count, err := kubeletRestarts(ctx, n); err == nil && count > 0 {
			errs = append(
				errs,
				fmt.Errorf("the kubelet of node %s ended %d times: %s", n, count, kubeletJournal(ctx, n)),
			)
		}
	}
	return errors.Join(errs...)
}

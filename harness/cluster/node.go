package cluster

import (
	"context"
	"fmt"
	"io"
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
func runScript(ctx context.Context, n nodes.Node, limit time.Duration, stdin io.Reader, script string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("node %s did not answer within %v", n, limit))
	defer cancel()
	var out, diagnostics strings.Builder
	cmd := n.CommandContext(ctx, "sh", append([]string{"-euc", script, "sh"}, args...)...)
	if stdin != nil {
		cmd.SetStdin(stdin)
	}
	if err := cmd.SetStdout(&out).SetStderr(&diagnostics).Run(); err != nil {
		cause := fmt.Errorf("%w: %s", err, lastLines(out.String()+"\n"+diagnostics.String(), 3))
		return "", because(ctx, cause)
	}
	return strings.TrimSpace(out.String()), nil
}

// kubeletJournal returns the last lines the kubelet of a node logged.
func kubeletJournal(ctx context.Context, n nodes.Node) string {
	// No script: a node whose shell fails has no journal either.
	out, err := runScript(ctx, n, commandTimeout, nil, `journalctl --unit kubelet --no-pager --output cat --lines 5`)
	if err != nil {
		return fmt.Sprintf("its journal can't be read: %v", err)
	}
	return lastLines(out, 5)
}

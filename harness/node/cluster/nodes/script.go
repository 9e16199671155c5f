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
	commandTimeout  = time.Minute
	diagnoseTimeout = 20 * time.Second
	pollInterval    = 200 * time.Millisecond
)

// boundNode gives kind's helpers a context.
type boundNode struct {
	kind.Node
	ctx context.Context
}

func (n boundNode) Command(name string, args ...string) kindexec.Cmd {
	return n.CommandContext(n.ctx, name, args...)
}

// script is a shell script, which stops at the first command that fails.
type script struct {
	text  string
	args  []string // $1 and up
	stdin io.Reader
	limit time.Duration // 0: commandTimeout
}

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

// run runs a script on the node of a name. doing names the action in errors; it may be empty.
func (s *Set) run(ctx context.Context, nodeName, doing string, text script) (string, error) {
	n, err := s.Node(nodeName)
	if err != nil {
		return "", err
	}
	out, err := run(ctx, n, text)
	if err != nil && doing != "" {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	if err != nil {
		err = fmt.Errorf("node %s: %w", nodeName, err)
	}
	return out, err
}

// Run runs a shell script on a node and returns what it printed. The script stops at the first command that
// fails. If the context or the limit ends first, the script runs on.
func (s *Set) Run(ctx context.Context, nodeName string, limit time.Duration, text string) (string, error) {
	return s.run(ctx, nodeName, "", script{text: text, limit: limit})
}

func kubeletJournal(ctx context.Context, n kind.Node) string {
	out, err := run(ctx, n, script{text: `journalctl --unit kubelet --no-pager --output cat --lines 100`})
	if err != nil {
		return fmt.Sprintf("its journal can't be read: %v", err)
	}
	return errorLines(out)
}

// kubeletRestarts counts systemd's restarts since the last deliberate start.
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

// BrokenKubelets returns an error that names the kubelets that ended, and why. kind and kubeadm do not report it.
func BrokenKubelets(ctx context.Context, all []kind.Node) error {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	var errs []error
	for _, n := range all {
		if count, err := kubeletRestarts(ctx, n); err == nil && count > 0 {
			const format = "the kubelet of node %s ended %d times: %s"
			errs = append(errs, fmt.Errorf(format, n, count, kubeletJournal(ctx, n)))
		}
	}
	return errors.Join(errs...)
}

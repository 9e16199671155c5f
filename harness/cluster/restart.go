package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/e2e-framework/klient/wait"
)

// RestartOptions say how to restart a kubelet.
type RestartOptions struct {
	// StoppedFor is the time between the end of the old process and the start
	// of the new one. 0: as quick as systemd can.
	StoppedFor time.Duration
}

// KubeletRestart is when a kubelet was restarted, by the node's clock, which is
// this host's own unless the container engine is on another machine.
type KubeletRestart struct {
	// Stopping is just before systemd was asked to stop it.
	Stopping time.Time
	// Stopped is just after systemd saw it end.
	Stopped time.Time
	// Started is when systemd forked the new process (ExecMainStartTimestamp).
	Started time.Time
}

// RestartKubelet stops the kubelet of a node and starts it again. It does not
// wait for the new one to do anything: [Cluster.AwaitKubelet] does.
func (c *Cluster) RestartKubelet(ctx context.Context, nodeName string, o RestartOptions) (KubeletRestart, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return KubeletRestart{}, err
	}
	pause := strconv.FormatFloat(o.StoppedFor.Seconds(), 'f', -1, 64)
	out, err := runScript(ctx, n, commandTimeout+o.StoppedFor, nil, restartScript, pause)
	if err != nil {
		return KubeletRestart{}, fmt.Errorf("restarting the kubelet of node %s: %w", nodeName, err)
	}
	r, err := parseRestart(out)
	if err != nil {
		return KubeletRestart{}, fmt.Errorf("restarting the kubelet of node %s: reading when it was: %w", nodeName, err)
	}
	return r, nil
}

// restartScript restarts the kubelet with a pause of $1 seconds.
const restartScript = `
date +%s%N
systemctl stop kubelet
date +%s%N
[ "$1" = 0 ] || sleep "$1"
systemctl start kubelet
systemctl show --timestamp=us+utc --property ExecMainStartTimestamp --value kubelet
`

// parseRestart reads what [restartScript] prints.
func parseRestart(out string) (r KubeletRestart, err error) {
	lines := strings.Split(out, "\n")
	if len(lines) != 3 {
		return r, fmt.Errorf("%q is not three instants", out)
	}
	for i, at := range []*time.Time{&r.Stopping, &r.Stopped} {
		nanoseconds, err := strconv.ParseInt(lines[i], 10, 64)
		if err != nil {
			return r, err
		}
		*at = time.Unix(0, nanoseconds).UTC()
	}
	r.Started, err = time.Parse("Mon 2006-01-02 15:04:05 UTC", lines[2]) // a fraction is accepted, too
	return r, err
}

// AwaitKubelet waits until the kubelet of a node that was started at a time has
// renewed its lease and reported Ready.
func (c *Cluster) AwaitKubelet(ctx context.Context, nodeName string, started time.Time) error {
	n, err := c.Node(nodeName)
	if err != nil {
		return err
	}
	// The time stamp of a status has no fraction, that of a lease has: the old
	// kubelet can't have renewed it since.
	err = wait.For(func(ctx context.Context) (bool, error) {
		lease := &coordinationv1.Lease{}
		err := c.Client.Resources().Get(ctx, nodeName, corev1.NamespaceNodeLease, lease)
		return err == nil && lease.Spec.RenewTime != nil && lease.Spec.RenewTime.After(started), nil
	}, wait.WithContext(ctx), wait.WithTimeout(kubeletTimeout), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err != nil {
		return fmt.Errorf(
			"node %s: its restarted kubelet did not renew its lease: %w (bound %v); its last words: %s",
			nodeName,
			because(ctx, err),
			kubeletTimeout,
			kubeletJournal(ctx, n),
		)
	}
	if err := c.waitHeartbeat(ctx, n, started.Truncate(time.Second)); err != nil {
		return fmt.Errorf("node %s: %w; its kubelet's last words: %s", nodeName, err, kubeletJournal(ctx, n))
	}
	return nil
}

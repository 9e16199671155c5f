package nodes

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

// KubeletRestart is when a kubelet was restarted, by the clock of the engine's host.
type KubeletRestart struct {
	// Stopping is just before the request to stop it.
	Stopping time.Time
	// Stopped is just after systemd saw it end.
	Stopped time.Time
	// Started is when systemd forked the new process (ExecMainStartTimestamp).
	Started time.Time
}

// RestartKubelet stops a node's kubelet and starts it again. It does not wait for the new one. [Set.AwaitKubelet] does.
func (s *Set) RestartKubelet(ctx context.Context, nodeName string) (KubeletRestart, error) {
	out, err := s.run(ctx, nodeName, "restarting its kubelet", script{text: restartScript})
	if err != nil {
		return KubeletRestart{}, err
	}
	r, err := parseRestart(out)
	if err != nil {
		return KubeletRestart{}, fmt.Errorf("node %s: reading the times of its kubelet's restart: %w", nodeName, err)
	}
	return r, nil
}

// restartScript prints the three times of a [KubeletRestart].
const restartScript = `
date +%s%N
systemctl stop kubelet
date +%s%N
systemctl start kubelet
systemctl show --timestamp=us+utc --property ExecMainStartTimestamp --value kubelet
`

func parseRestart(out string) (r KubeletRestart, err error) {
	lines := strings.Split(out, "\n")
	if len(lines) != 3 {
		return r, fmt.Errorf("%q is not three times", out)
	}
	for i, at := range []*time.Time{&r.Stopping, &r.Stopped} {
		nanoseconds, err := strconv.ParseInt(lines[i], 10, 64)
		if err != nil {
			return r, err
		}
		*at = time.Unix(0, nanoseconds).UTC()
	}
	r.Started, err = time.Parse("Mon 2006-01-02 15:04:05 UTC", lines[2]) // accepts a fraction as well
	return r, err
}

// AwaitKubelet waits until a node's kubelet that started at a time has renewed its lease and reported Ready.
func (s *Set) AwaitKubelet(ctx context.Context, nodeName string, started time.Time) error {
	n, err := s.Node(nodeName)
	if err != nil {
		return err
	}
	// A lease's time has a fraction, a status' time has none, so only the lease excludes the old kubelet.
	err = wait.For(func(ctx context.Context) (bool, error) {
		lease := &coordinationv1.Lease{}
		err := s.Client.Resources().Get(ctx, nodeName, corev1.NamespaceNodeLease, lease)
		return err == nil && lease.Spec.RenewTime != nil && lease.Spec.RenewTime.After(started), nil
	}, options(ctx, kubeletTimeout)...)
	if err != nil {
		const format = "its restarted kubelet did not renew its lease: %w (limit %v)"
		err = fmt.Errorf(format, Because(ctx, err), kubeletTimeout)
	} else {
		err = s.awaitHeartbeat(ctx, n, started.Truncate(time.Second))
	}
	if err != nil {
		return fmt.Errorf("node %s: %w; its kubelet logged: %s", nodeName, err, kubeletJournal(ctx, n))
	}
	return nil
}

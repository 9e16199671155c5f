package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Daemon is one run of a program that systemd keeps running on a node.
type Daemon struct {
	// PID of its process in the node. 0: it does not run.
	PID int
	// Since is when it became active, by the kernel's monotonic clock.
	Since time.Duration
}

// Daemons are the programs that every trial on a node depends on.
type Daemons struct {
	Kubelet, Containerd Daemon
}

// String names the processes: two answers that differ mean that one of them was
// started anew.
func (d Daemons) String() string {
	return fmt.Sprintf(
		"kubelet %d since %v, containerd %d since %v",
		d.Kubelet.PID,
		d.Kubelet.Since,
		d.Containerd.PID,
		d.Containerd.Since,
	)
}

// Health asks a node which kubelet and which containerd run, and both whether
// they answer, at the cost of one command and without the API server. The error
// says which of them is dead or stands still.
func (c *Cluster) Health(ctx context.Context, nodeName string) (Daemons, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return Daemons{}, err
	}
	out, err := runScript(ctx, n, daemonsTimeout, nil, healthScript)
	if err != nil {
		return Daemons{}, fmt.Errorf("node %s: %w", nodeName, err)
	}
	d, err := parseDaemons(out)
	switch {
	case err != nil:
		return Daemons{}, fmt.Errorf("asking node %s for its kubelet and its container runtime: %w", nodeName, err)
	case d.Kubelet.PID == 0:
		return d, fmt.Errorf("node %s: its kubelet does not run", nodeName)
	case d.Containerd.PID == 0:
		return d, fmt.Errorf("node %s: its containerd does not run", nodeName)
	}
	return d, nil
}

// healthScript asks the kubelet at its health check's default address (its sync
// loop ran within 2 minutes), and containerd, which answers any request on its
// socket, if only to refuse it. Then it prints what systemd knows of both.
const healthScript = `
answer=$(curl --silent --show-error --max-time 3 http://127.0.0.1:10248/healthz 2>&1) || { echo "its kubelet gives no answer: $answer" >&2; exit 1; }
[ "$answer" = ok ] || { echo "its kubelet is not healthy: $answer" >&2; exit 1; }
curl --silent --output /dev/null --max-time 3 --http2-prior-knowledge --unix-socket /run/containerd/containerd.sock http://containerd/ ||
  { echo "its containerd gives no answer" >&2; exit 1; }
systemctl show --property Id,MainPID,ActiveEnterTimestampMonotonic kubelet containerd
`

// parseDaemons reads what systemctl show prints: a block of lines per unit.
func parseDaemons(out string) (Daemons, error) {
	units := map[string]Daemon{}
	for block := range strings.SplitSeq(out, "\n\n") {
		fields := map[string]string{}
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			fields[name] = value
		}
		var d Daemon
		var since int
		for name, to := range map[string]*int{"MainPID": &d.PID, "ActiveEnterTimestampMonotonic": &since} {
			var err error
			if *to, err = strconv.Atoi(fields[name]); err != nil {
				return Daemons{}, fmt.Errorf("reading %s of %s: %w", name, fields["Id"], err)
			}
		}
		d.Since = time.Duration(since) * time.Microsecond
		units[fields["Id"]] = d
	}
	kubelet, haveKubelet := units["kubelet.service"]
	containerd, haveContainerd := units["containerd.service"]
	if !haveKubelet || !haveContainerd {
		return Daemons{}, fmt.Errorf("systemd did not speak of both: %q", out)
	}
	return Daemons{Kubelet: kubelet, Containerd: containerd}, nil
}

package cluster

import (
	"context"
	"fmt"
)

// Health asks a node which kubelet and which containerd run, and both whether
// they answer, at the cost of one command. The error says which of them is dead
// or stands still.
func (c *Cluster) Health(ctx context.Context, nodeName string) (Daemons, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return Daemons{}, err
	}
	out, err := runScript(ctx, n, daemonsTimeout, nil, healthScript)
	if err != nil {
		return Daemons{}, fmt.Errorf("asking node %s whether its kubelet and its container runtime answer: %w", nodeName, err)
	}
	d, err := parseDaemons(out)
	switch {
	case err != nil:
		return Daemons{}, fmt.Errorf("asking node %s for its kubelet and its container runtime: %w", nodeName, err)
	case d.Kubelet.PID == 0:
		return d, fmt.Errorf("the kubelet of node %s does not run", nodeName)
	case d.Containerd.PID == 0:
		return d, fmt.Errorf("the container runtime of node %s does not run", nodeName)
	}
	return d, nil
}

// healthScript prints what systemd knows and then asks both. The kubelet's
// health is on its fixed local port (healthzPort); containerd answers any
// request on its gRPC socket, if only to refuse it.
const healthScript = `
systemctl show --property Id,MainPID,ActiveEnterTimestampMonotonic,NRestarts kubelet containerd
ask="curl --silent --output /dev/null --max-time 2"
$ask http://127.0.0.1:10248/healthz || { echo "the kubelet does not answer" >&2; exit 1; }
$ask --http2-prior-knowledge --unix-socket /run/containerd/containerd.sock http://containerd/ || { echo "containerd does not answer" >&2; exit 1; }
`

// AwaitUnpressed waits until a node is under no pressure.
func (c *Cluster) AwaitUnpressed(ctx context.Context, nodeName string) error {
	n, err := c.Node(nodeName)
	if err != nil {
		return err
	}
	if err := waitUnpressed(ctx, c.Client, n); err != nil {
		return fmt.Errorf("node %s: %w", nodeName, err)
	}
	return nil
}

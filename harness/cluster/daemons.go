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
	// Restarts is how often systemd had to start it again by itself.
	Restarts int
}

// Daemons are the programs that every trial on a node depends on.
type Daemons struct {
	Kubelet, Containerd Daemon
}

// Daemons asks a node which kubelet and which containerd run, at the cost of
// one command. Equal answers mean that neither ended in between.
func (c *Cluster) Daemons(ctx context.Context, nodeName string) (Daemons, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return Daemons{}, err
	}
	out, err := runScript(ctx, n, daemonsTimeout, nil, `systemctl show --property Id,MainPID,ActiveEnterTimestampMonotonic,NRestarts kubelet containerd`)
	if err != nil {
		return Daemons{}, fmt.Errorf("asking node %s for its kubelet and its container runtime: %w", nodeName, err)
	}
	d, err := parseDaemons(out)
	if err != nil {
		return Daemons{}, fmt.Errorf("asking node %s for its kubelet and its container runtime: %w", nodeName, err)
	}
	return d, nil
}

// Answering returns an error if the kubelet of a node or its containerd hangs:
// the kubelet's own health check (its sync loop ran within 2 minutes) or a
// simple call of containerd gives no answer within 5 s. It costs one command and
// does not go through the API server.
func (c *Cluster) Answering(ctx context.Context, nodeName string) error {
	n, err := c.Node(nodeName)
	if err != nil {
		return err
	}
	if _, err := runScript(ctx, n, commandTimeout, nil, answeringScript); err != nil {
		return fmt.Errorf("node %s: %w", nodeName, err)
	}
	return nil
}

// answeringScript asks the kubelet at the health check's default address, and
// then containerd.
const answeringScript = `
answer=$(curl --silent --show-error --max-time 5 http://127.0.0.1:10248/healthz 2>&1) || { echo "its kubelet gives no answer: $answer" >&2; exit 1; }
[ "$answer" = ok ] || { echo "its kubelet is not healthy: $answer" >&2; exit 1; }
timeout 5 ctr version > /dev/null || { echo "its containerd gives no answer" >&2; exit 1; }
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
		for name, to := range map[string]*int{"MainPID": &d.PID, "ActiveEnterTimestampMonotonic": &since, "NRestarts": &d.Restarts} {
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

// Changed says which of them ended since an earlier look, "" if none did.
func (d Daemons) Changed(earlier Daemons) string {
	var all []string
	for _, p := range []struct {
		name      string
		then, now Daemon
	}{{"kubelet", earlier.Kubelet, d.Kubelet}, {"containerd", earlier.Containerd, d.Containerd}} {
		switch {
		case p.now == p.then:
		case p.now.PID == 0:
			all = append(all, fmt.Sprintf("%s does not run any more (it was process %d)", p.name, p.then.PID))
		default:
			all = append(all, fmt.Sprintf("%s was started anew (process %d instead of %d, by systemd itself %d times since it was last started on purpose)", p.name, p.now.PID, p.then.PID, p.now.Restarts))
		}
	}
	return strings.Join(all, "; ")
}

package nodes

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const daemonsTimeout = 10 * time.Second

// Daemon is one process that systemd keeps running on a node.
type Daemon struct {
	// PID is its process ID in the node. 0: it does not run.
	PID int
	// Since is when it became active, by the kernel's monotonic clock.
	Since time.Duration
}

// Daemons are the processes that every trial on a node depends on.
type Daemons struct {
	Kubelet, Runtime Daemon
}

// String names the processes. It changes when one of them is restarted.
func (d Daemons) String() string {
	const format = "kubelet %d since %v, container runtime %d since %v"
	return fmt.Sprintf(format, d.Kubelet.PID, d.Kubelet.Since, d.Runtime.PID, d.Runtime.Since)
}

// Health returns a node's kubelet and container runtime if both answer. The error names the one that does not. Health
// does not use the API server.
func (s *Set) Health(ctx context.Context, nodeName string) (Daemons, error) {
	out, err := s.run(ctx, nodeName, "", script{text: healthScript, limit: daemonsTimeout})
	if err != nil {
		return Daemons{}, err
	}
	d, err := parseDaemons(out)
	switch {
	case err != nil:
		return Daemons{}, fmt.Errorf("reading the kubelet and the container runtime of node %s: %w", nodeName, err)
	case d.Kubelet.PID == 0:
		return d, fmt.Errorf("node %s: its kubelet does not run", nodeName)
	case d.Runtime.PID == 0:
		return d, fmt.Errorf("node %s: its container runtime does not run", nodeName)
	}
	return d, nil
}

// healthScript reads the kubelet's health check and the runtime's socket, which refuses any request but
// answers. Then it prints what systemd knows of both.
const healthScript = runtimeShell + `
answer=$(curl --silent --show-error --max-time 3 http://127.0.0.1:10248/healthz 2>&1) ||
  { echo "its kubelet gives no answer: $answer" >&2; exit 1; }
[ "$answer" = ok ] || { echo "its kubelet is not healthy: $answer" >&2; exit 1; }
curl --silent --output /dev/null --max-time 3 $http --unix-socket $socket http://runtime/ ||
  { echo "its $unit gives no answer" >&2; exit 1; }
systemctl show --property Id,MainPID,ActiveEnterTimestampMonotonic kubelet $unit
`

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
	delete(units, "kubelet.service")
	if !haveKubelet || len(units) != 1 {
		return Daemons{}, fmt.Errorf("systemd did not print both: %q", out)
	}
	d := Daemons{Kubelet: kubelet}
	for _, runtime := range units {
		d.Runtime = runtime
	}
	return d, nil
}

package nodes

import (
	"context"
	"time"
)

const healthTimeout = 10 * time.Second

// Health identifies a node's kubelet and container runtime by their process IDs and starts, in one line, if both
// answer. The error names the one that does not. Health does not use the API server.
func (s *Set) Health(ctx context.Context, nodeName string) (string, error) {
	return s.run(ctx, nodeName, "", script{text: healthScript, limit: healthTimeout})
}

// healthScript reads the kubelet's health check and the runtime's socket, which refuses any request but
// answers. Then it prints what systemd knows of both.
const healthScript = runtimeShell + `
answer=$(curl --silent --show-error --max-time 3 http://127.0.0.1:10248/healthz 2>&1) ||
  { echo "its kubelet gives no answer: $answer" >&2; exit 1; }
[ "$answer" = ok ] || { echo "its kubelet is not healthy: $answer" >&2; exit 1; }
curl --silent --output /dev/null --max-time 3 $http --unix-socket $socket http://runtime/ ||
  { echo "its $unit gives no answer" >&2; exit 1; }
echo $(for daemon in kubelet $unit; do
  echo $daemon: $(systemctl show --property MainPID,ActiveEnterTimestampMonotonic $daemon)
done)
`

package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// What an excerpt of a node's log may measure.
const (
	maxLogLines = 400
	maxLogLine  = 1000 // bytes
)

// NodeLog returns what the kubelet and the container runtime of a node logged
// between two instants, with systemd's own time stamps: only lines that contain
// one of the given texts (such as a pod's name and UID, or a container's ID),
// or all lines if none is given. The log of a busy minute is long, and searching
// it on the node disturbs what is measured there less than reading it all.
//
// An excerpt of more than 400 lines loses its middle, and a line of more than
// 1000 bytes its end; in their place stands how much that was.
func (c *Cluster) NodeLog(
	ctx context.Context,
	nodeName string,
	since, until time.Time,
	containing ...string,
) ([]string, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return nil, err
	}
	args := []string{journalTime(since), journalTime(until)}
	for _, text := range containing {
		args = append(args, "-e", text)
	}
	out, err := runScript(ctx, n, commandTimeout, nil, nodeLogScript, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of node %s: %w", nodeName, err)
	}
	return excerpt(out, maxLogLines, maxLogLine), nil
}

// nodeLogScript prints the journal from $1 to $2; the other arguments are
// grep's. A grep that finds nothing exits with 1, and what fails in front of a
// pipe goes unnoticed.
const nodeLogScript = `
since=$1 until=$2
shift 2
[ $# -gt 0 ] || set -- -e ""
log=$(journalctl --unit kubelet --unit containerd --quiet --no-pager --utc --output short-iso-precise --since "$since" --until "$until")
printf '%s\n' "$log" | grep -F "$@" || [ $? = 1 ]
`

// journalTime spells an instant as systemd reads it (systemd.time), to the
// microsecond.
func journalTime(t time.Time) string {
	return fmt.Sprintf("@%d.%06d", t.Unix(), t.Nanosecond()/1000)
}

// excerpt bounds a text by lines and by the length of a line.
func excerpt(text string, maxLines, maxLine int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if left := len(lines) - maxLines; left > 0 {
		head := lines[: maxLines/2 : maxLines/2]
		tail := lines[len(lines)-(maxLines-maxLines/2):]
		lines = append(append(head, fmt.Sprintf("[%d lines left out]", left)), tail...)
	}
	for i, line := range lines {
		if left := len(line) - maxLine; left > 0 {
			lines[i] = fmt.Sprintf("%s [%d bytes left out]", strings.ToValidUTF8(line[:maxLine], ""), left)
		}
	}
	return lines
}

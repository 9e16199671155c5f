package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Removals says when the container runtime of a node was asked, between two
// instants, to remove containers, by what their IDs begin with, as its log has
// it to the microsecond. Containers that it was not asked to remove are not in
// it.
func (c *Cluster) Removals(
	ctx context.Context,
	nodeName string,
	since, until time.Time,
	ids []string,
) (map[string]time.Time, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return nil, err
	}
	out, err := runScript(ctx, n, commandTimeout, nil, removalsScript, journalTime(since), journalTime(until))
	if err != nil {
		return nil, fmt.Errorf("reading the container runtime's log on node %s: %w", nodeName, err)
	}
	return removals(out, ids)
}

// removalsScript prints what containerd logged from $1 to $2 of removals.
const removalsScript = `
log=$(journalctl --unit containerd --quiet --no-pager --output short-unix --since "$1" --until "$2")
printf '%s\n' "$log" | grep -F 'RemoveContainer for' || [ $? = 1 ]
`

// removals finds the first line of each container.
func removals(log string, ids []string) (map[string]time.Time, error) {
	at := map[string]time.Time{}
	for line := range strings.Lines(log) {
		for _, id := range ids {
			if _, known := at[id]; known || !strings.Contains(line, id) {
				continue
			}
			stamp, _, _ := strings.Cut(line, " ")
			seconds, err := strconv.ParseFloat(stamp, 64)
			if err != nil {
				return nil, fmt.Errorf(
					"reading the container runtime's log: a line begins without its time: %.100s",
					line,
				)
			}
			at[id] = time.UnixMicro(int64(seconds * 1e6))
		}
	}
	return at, nil
}

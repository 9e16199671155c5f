package cluster

import (
	"context"
	"fmt"
	"time"
)

// Run runs a shell script on a node and returns what it printed. The script
// stops at the first command that fails. It goes on to its end when the context
// or the bound ends first: what must be undone, the script undoes itself.
func (c *Cluster) Run(ctx context.Context, nodeName string, bound time.Duration, script string) (string, error) {
	n, err := c.Node(nodeName)
	if err != nil {
		return "", err
	}
	out, err := runScript(ctx, n, bound, nil, script)
	if err != nil {
		return out, fmt.Errorf("node %s: %w", nodeName, err)
	}
	return out, nil
}

package judge

import (
	"fmt"
	"time"
)

// replacedAfter is how soon a waiting state is replaced if the kubelet finds, while it writes the state, that the
// container need not wait any more.
const replacedAfter = 100 * time.Millisecond

// skippedState applies if the API never showed a waiting state, and delay can have made the kubelet skip it.
// The kubelet sends only the newest state (status_manager.go syncBatch).
func skippedState(c *claimCase) (string, bool) {
	from, ok := c.began()
	if !ok || !c.claim.Measure.EndsWaiting() {
		return "", false
	}
	late := c.delays.Total(from, from+c.implemented.Latest)
	if late <= replacedAfter {
		return "", false
	}
	return fmt.Sprintf("%s was not shown; the API shows only the newest state, and the node's delay was up to %s",
		c.missing, duration(int64(late))), true
}

package judge

import (
	"fmt"
	"time"
)

// replacedAfter is how soon the kubelet replaces a waiting state that is over when it writes it.
const replacedAfter = 100 * time.Millisecond

// skippedState applies if delay can have made the kubelet skip a waiting state. It sends only the newest state
// (status_manager.go syncBatch).
func skippedState(c *claimCase) (string, bool) {
	from, ok := c.finding.Begins()
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

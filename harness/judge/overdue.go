package judge

import (
	"fmt"
	"time"
)

// surelyAbsent is how long after the last moment allowed a missing mark is overdue.
const surelyAbsent = 5 * time.Second

// overdue applies if an end is missing long after the last moment allowed and the node's delay.
func overdue(c *claimCase) (string, bool) {
	from, ok := c.finding.Begins()
	if !ok {
		return "", false
	}
	late := time.Duration(c.timeline.Known - from - c.implemented.Latest)
	if late <= surelyAbsent+c.delays.Total(from-int64(lookBack), c.timeline.Known) {
		return "", false
	}
	return fmt.Sprintf("%s did not come within %v after the last moment allowed",
		c.missing, late.Round(time.Second)), true
}

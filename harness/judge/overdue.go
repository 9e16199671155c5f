package judge

import (
	"fmt"
	"time"
)

// surelyAbsent is how long after the last moment allowed all marks must be known before a missing one is overdue.
const surelyAbsent = 5 * time.Second

// overdue applies if an end is still missing long after the last moment allowed, even with the node's delay.
func overdue(c *claimCase) (string, bool) {
	from, ok := c.began()
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

package judge

import (
	"fmt"
	"time"
)

// surelyAbsent is how long after the last moment allowed a missing mark is overdue.
const surelyAbsent = 5 * time.Second

// overdue applies if a value is missing long after the last moment allowed and the node's delay.
func overdue(c *claimCase) (string, bool) {
	from, latest, ok := c.due()
	if !ok {
		return "", false
	}
	late := time.Duration(c.timeline.Known - latest)
	longest := c.delays.Total(from-int64(lookBack), c.timeline.Known)
	if _, began := c.finding.Begins(); began { // a value that never came has the delay of a late one
		longest = c.delays.OfWork(from-int64(lookBack), c.timeline.Known, longestWork(c.implemented))
	}
	if late <= surelyAbsent+longest {
		return "", false
	}
	return fmt.Sprintf("%s did not come within %v after the last moment allowed",
		c.missing, late.Round(time.Second)), true
}

// due returns the last moment at which a missing value must have come, and when that time began: with the claim's
// beginning or, if that is missing or the claim has none, with the trial. The trial's time includes no wait of a fault
// for the API server's answer.
func (c *claimCase) due() (from, latest int64, ok bool) {
	if from, ok := c.finding.Begins(); ok {
		return from, from + c.implemented.Latest, true
	}
	from, ok = c.trial.Began(c.timeline)
	latest = from + int64(c.trial.Due())
	for _, f := range c.timeline.Faults {
		latest += f.At.Late
	}
	return from, latest, ok
}

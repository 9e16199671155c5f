package judge

import "fmt"

// absentInOutage applies if an outage can have delayed an end that never came.
func absentInOutage(c *claimCase) (string, bool) {
	from, latest, ok := c.due()
	if !ok {
		return "", false
	}
	outages := c.outages(from, latest+int64(surelyAbsent))
	if len(outages) == 0 {
		return "", false
	}
	first := outages[0]
	return fmt.Sprintf("%s did not come, but the %s did not answer for %s at that time",
		c.missing, first.Component, duration(first.To-first.From)), true
}

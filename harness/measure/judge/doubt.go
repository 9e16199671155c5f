package judge

import "github.com/podclock/podclock/harness/measure/timeline"

// doubted applies if the timeline has a doubt, such as a loss, that can have affected the value.
func doubted(c *claimCase) (string, bool) {
	for _, d := range c.doubts {
		if c.affectedBy(d) {
			return d.Why, true
		}
	}
	return "", false
}

// affectedBy reports whether a doubt can have affected the value. It can't if the value was complete before, or if the
// doubt is about another pod. Formulas may start from other containers of the same pod.
func (c *claimCase) affectedBy(d timeline.Doubt) bool {
	m, container := c.finding.Measured, c.claim.Measure.Container()
	if d.Container != "" && container != "" && c.trial.PodOf(d.Container) != c.trial.PodOf(container) {
		return false
	}
	return m == nil || m.To+c.claim.Measure.QuietPeriod(c.timeline) >= d.Since
}

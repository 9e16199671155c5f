package judge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// outageDoubt applies if an outage can have moved the value into a window or out of one.
func outageDoubt(c *claimCase) (string, bool) {
	m := c.finding.Measured
	outages := c.relevantOutages(c.outages(m.From, m.To))
	if len(outages) == 0 {
		return "", false
	}
	total := int64(0)
	for _, o := range outages {
		total += min(o.To, m.To) - o.From + o.Aftermath()
	}
	if c.shiftBoundedByOutage() && c.sameWithin(total) || c.amidBackOff(outages) {
		return "", false
	}
	longest := slices.MaxFunc(outages, func(a, b delay.Outage) int { return cmp.Compare(a.To-a.From, b.To-b.From) })
	return fmt.Sprintf("%s %s, but the %s did not answer for %s at that time, which could have changed the verdict",
		c.measured(), verb[c.finding.Verdict], longest.Component, duration(longest.To-longest.From)), true
}

var verb = map[trial.Verdict]string{
	trial.Conforms: "conforms", trial.Divergent: "diverges", trial.Deviates: "deviates",
}

// outages returns the outages that can have affected a value measured between two instants. A formula may start from
// the life before, so its outages count.
func (c *claimCase) outages(from, to int64) []delay.Outage {
	measure := c.claim.Measure
	container := cmp.Or(measure.Container(), trial.Main)
	if before := c.timeline.Life(container, max(1, measure.LifeNumber()-1)); before != nil && before.Connected != nil {
		from = min(from, before.Connected.At)
	}
	return c.delays.Affecting(from, to+measure.QuietPeriod(c.timeline))
}

// relevantOutages returns the outages that can have changed the value. None changes what one message holds, or makes
// reports true. Only the API server delays what it shows of a deletion.
func (c *claimCase) relevantOutages(outages []delay.Outage) []delay.Outage {
	switch {
	case c.claim.Measure.InOneMessage(), c.claim.Measure.OfReports() && c.finding.Measured.Value == 0:
		return nil
	case c.claim.Measure.OfDeletion():
		return slices.DeleteFunc(outages, func(o delay.Outage) bool { return o.Component != mark.APIServer })
	}
	return outages
}

// shiftBoundedByOutage reports whether an outage shifts the value by its own length at most. One missed probe, look of
// the eviction manager or sync shifts everything after it by a whole period.
func (c *claimCase) shiftBoundedByOutage() bool {
	return c.finding.Measured.Unit == formula.Nanoseconds && c.trial.Worker == nil &&
		!c.claim.Measure.EndsAtSync() && c.trial.LongestPeriod() == 0
}

// amidBackOff reports whether the outages are the kubelet's and in the midst of the back-off that a restart or a pull
// waited for. The kubelet compares the end of a back-off with the time whenever it looks, and the window is as wide as
// its looks are apart. So it has looked before the outages, and looks again before the window begins. A shorter
// back-off would start the container then.
func (c *claimCase) amidBackOff(outages []delay.Outage) bool {
	m, to := c.finding.Measured, c.claim.Measure.To.Event
	if !c.claim.Measure.EndsAtSync() || to != lifecycle.Started && to != lifecycle.Pulled ||
		c.finding.Verdict == trial.Deviates || c.trial.Worker != nil || c.trial.LongestPeriod() > 0 {
		return false
	}
	apart := int64(longestWork(c.implemented))
	first, last := m.From+apart, m.From+c.implemented.Earliest-apart
	return !slices.ContainsFunc(outages, func(o delay.Outage) bool {
		return o.Component != mark.Kubelet || o.From < first || o.To+o.Aftermath() > last
	})
}

// sameWithin reports whether every value within this distance gives the same verdict. Hits are compared without the
// observer's error, which an outage of the recorder enlarges.
func (c *claimCase) sameWithin(distance int64) bool {
	earliest, latest := c.finding.Measured.Value-distance, c.finding.Measured.Value+distance
	within := func(w formula.Window) bool { return w.Contains(earliest) && w.Contains(latest) }
	beside := func(w formula.Window) bool { return latest < w.Earliest || earliest > w.Latest }
	switch c.finding.Verdict {
	case trial.Conforms:
		return within(c.implemented) && (c.documented == nil || within(*c.documented))
	case trial.Divergent:
		return within(c.implemented) && beside(*c.documented)
	}
	return beside(c.finding.Implemented)
}

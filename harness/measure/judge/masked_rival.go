package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// maskedRival applies if a good value could be a rival's value that delay moved. A rival is one change of the code: one
// good finding of the trial excludes it for all.
func maskedRival(c *claimCase) (string, bool) {
	for _, r := range c.rivals() {
		would := c.finding.Measured.Widen(r.Of(c.claim.Formula, c.input))
		if c.compare(would) == late && !c.excludedRivals()[r.Name] {
			return fmt.Sprintf("%s is inside, but could be late by %s: %s", c.measured(),
				duration(c.finding.Measured.Value-would.Latest), r.Name), true
		}
	}
	return "", false
}

// instant is the longest work that a node with a free core does at once, such as a signal.
const instant = time.Millisecond

type comparison int

const (
	// alike means that the rival would measure the same, or that this is unknown.
	alike comparison = iota
	// late means that delay can explain why the value is above the rival's.
	late
	different
)

func (c *claimCase) compare(would formula.Window) comparison {
	m := c.finding.Measured
	switch {
	case would.Miss(m.Value) == 0:
		return alike
	case m.Unit != formula.Nanoseconds:
		return different
	case would.Latest >= c.finding.Implemented.Earliest || m.Value < would.Earliest:
		return alike
	case int64(c.delays.OfTask(m.From-int64(lookBack), m.To, instant)) >= m.Value-would.Latest:
		return late
	}
	return different
}

func (c *trialCase) excludedRivals() map[string]bool {
	if c.excluded != nil {
		return c.excluded
	}
	c.excluded = map[string]bool{}
	for _, claim := range c.claims {
		if !slices.Contains(hits, claim.finding.Verdict) {
			continue
		}
		for _, r := range claim.rivals() {
			if claim.compare(claim.finding.Measured.Widen(r.Of(claim.claim.Formula, claim.input))) == different {
				c.excluded[r.Name] = true
			}
		}
	}
	return c.excluded
}

// rivals returns the rivals that delay can mask or resemble.
func (c *claimCase) rivals() []formula.Rival {
	all := slices.Clone(c.claim.Rivals)
	return slices.DeleteFunc(all, func(r formula.Rival) bool { return r.Never || r.WholeSeconds })
}

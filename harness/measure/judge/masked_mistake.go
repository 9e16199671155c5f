package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// maskedMistake applies if a good value could be a known mistake's value that delay moved. A known mistake is one
// change of the code: one good finding of the trial excludes it for all.
func maskedMistake(c *claimCase) (string, bool) {
	for _, r := range c.mistakes() {
		would := c.finding.Measured.Widen(r.Of(c.claim.Formula, c.input))
		if c.compare(would) == late && !c.excludedMistakes()[r.Name] {
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
	// alike means that the known mistake would measure the same, or that this is unknown.
	alike comparison = iota
	// late means that delay can explain why the value is above the known mistake's.
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

func (c *trialCase) excludedMistakes() map[string]bool {
	if c.excluded != nil {
		return c.excluded
	}
	c.excluded = map[string]bool{}
	for _, claim := range c.claims {
		if !slices.Contains(hits, claim.finding.Verdict) {
			continue
		}
		for _, r := range claim.mistakes() {
			if claim.compare(claim.finding.Measured.Widen(r.Of(claim.claim.Formula, claim.input))) == different {
				c.excluded[r.Name] = true
			}
		}
	}
	return c.excluded
}

// mistakes returns the known mistakes that delay can mask or resemble.
func (c *claimCase) mistakes() []formula.Mistake {
	all := slices.Clone(c.claim.Mistakes)
	return slices.DeleteFunc(all, func(r formula.Mistake) bool { return r.Never || r.WholeSeconds })
}

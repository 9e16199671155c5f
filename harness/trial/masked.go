package trial

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// nextToNothing is work that a node with a free core does at once: a timer that fires, a signal.
const nextToNothing = time.Millisecond

// masked says which rival may lie behind a value inside its window: one that would have measured less, by no more than the longest time at which the node kept something
// waiting without a pause. More than that can be late on a busy node, but then nothing would be believed there; on one whose cores are never free, that time is all of it. It is
// empty where no rival may, and of what is not known as a rival it knows nothing.
func (c Claim) masked(f Finding, in formula.Input, n timeline.Noise) string {
	m := f.Measured
	if m.Unit != formula.Nanoseconds || f.Verdict != Conforms && f.Verdict != Divergent {
		return ""
	}
	for _, r := range c.Rivals {
		if r.Never {
			continue
		}
		would := m.observed(r.Would(in))
		late := m.Value - would.Latest
		if would.Latest < f.Implemented.Earliest && late > 0 && int64(n.Delayed(m.From-int64(lookBack), m.To, nextToNothing)) >= late {
			return fmt.Sprintf("%s lies inside, but the node kept work waiting: it could be as if %s, and %s late",
				m.Unit.Format(m.Value), r.Name, m.Unit.Format(late))
		}
	}
	return ""
}

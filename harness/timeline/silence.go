package timeline

import (
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/delay"
)

// patience is how long a victim waits for the recorder's Welcome before it turns to it again (images/fault
// connectOnce): what a recorder finds that stood still for longer came in an order that is lost.
const patience = time.Second

// doubtMiscounted doubts the lives that a recorder which stood still may have counted in the wrong order:
// of a process that had connected and was gone without a word when the recorder went on, and of those after
// it.
func (t *Timeline) doubtMiscounted(n delay.Record) {
	for _, name := range slices.Sorted(maps.Keys(t.Containers)) {
		c := t.Containers[name]
		for _, l := range c.Lives {
			if l.Connected == nil || l.Started != nil || l.Gone == nil {
				continue
			}
			for _, s := range n.LateTicks {
				if s.To-s.From >= int64(patience) && s.From <= l.Connected.At &&
					l.Connected.At <= s.To+int64(patience) {
					t.doubt(
						"life %d of container %s connected as the recorder went on after %v, and said nothing: lives may be counted wrongly",
						l.Number,
						c.Name,
						time.Duration(s.To-s.From).Round(time.Millisecond),
					)
				}
			}
		}
	}
}

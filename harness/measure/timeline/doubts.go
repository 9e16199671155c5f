package timeline

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
)

// doubt adds a doubt unless the timeline has it.
func (t *Timeline) doubt(container string, since int64, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(t.Doubts, func(d Doubt) bool { return d.Why == why }) {
		t.Doubts = append(t.Doubts, Doubt{Why: why, Container: container, Since: since})
	}
}

// welcomeTimeout is how long a victim waits for the recorder before it connects again (images/fault connectOnce). If
// the recorder did not run for longer, the order of connections is lost.
const welcomeTimeout = time.Second

// doubtMiscounted doubts lives that a recorder that did not run may have counted wrongly.
func (t *Timeline) doubtMiscounted(delays delay.Record) {
	for _, name := range slices.Sorted(maps.Keys(t.Containers)) {
		c := t.Containers[name]
		for _, l := range c.Lives {
			if l.Connected == nil || l.Started != nil || l.Gone == nil {
				continue
			}
			for _, s := range delays.LateTicks {
				if s.To-s.From >= int64(welcomeTimeout) && s.From <= l.Connected.At &&
					l.Connected.At <= s.To+int64(welcomeTimeout) {
					t.doubt(c.Name, s.From, "life %d of container %s connected as the recorder went on after %v, and "+
						"sent no mark: lives may be counted wrongly", l.Number, c.Name,
						time.Duration(s.To-s.From).Round(time.Millisecond))
				}
			}
		}
	}
}

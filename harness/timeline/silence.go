package timeline

import (
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// Silence is a span in which a program that trials depend on did not answer.
type Silence struct {
	// Of is the program, as package mark calls it.
	Of   string `json:"of"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// AddSilence takes over a silence, or what one that is known has become.
func (n *Noise) AddSilence(s Silence) {
	for i := len(n.Silences) - 1; i >= 0; i-- {
		if known := &n.Silences[i]; known.Of == s.Of && known.From < s.To && s.From < known.To {
			known.From, known.To = min(known.From, s.From), max(known.To, s.To)
			return
		}
	}
	n.Silences = append(n.Silences, s)
}

// Outages are the spans of at least a length in which a program did not answer: the silences, and the
// stalls of the recorder.
func (n Noise) Outages(atLeast time.Duration) []Silence {
	var all []Silence
	for _, s := range n.Silences {
		if s.To-s.From >= int64(atLeast) {
			all = append(all, s)
		}
	}
	for _, s := range n.Stalls {
		if s.To-s.From >= int64(atLeast) {
			all = append(all, Silence{Of: mark.TheRecorder, From: s.From, To: s.To})
		}
	}
	return all
}

// silent is how long, between two instants, some program or other did not answer.
func (n Noise) silent(from, to int64) int64 {
	total, until := int64(0), from
	for {
		// The next instant of a silence that is not counted yet: silences of several programs may overlap,
		// and are in no order.
		next := Silence{From: to, To: to}
		for _, s := range n.Silences {
			if s.To > until && max(s.From, until) < next.From {
				next = Silence{From: max(s.From, until), To: s.To}
			}
		}
		if next.From >= to {
			return total
		}
		total += min(next.To, to) - next.From
		until = next.To
	}
}

// patience is how long a victim waits for the recorder's Welcome before it turns to it again (images/fault
// connectOnce): what a recorder finds that stood still for longer came in an order that is lost.
const patience = time.Second

// doubtMiscounted doubts the lives that a recorder which stood still may have counted in the wrong order:
// of a process that had connected and was gone without a word when the recorder went on, and of those after
// it.
func (t *Timeline) doubtMiscounted(n Noise) {
	for _, name := range slices.Sorted(maps.Keys(t.Containers)) {
		c := t.Containers[name]
		for _, l := range c.Lives {
			if l.Connected == nil || l.Started != nil || l.Gone == nil {
				continue
			}
			for _, s := range n.Stalls {
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

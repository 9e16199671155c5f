package trial

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// nextToNothing is work that a node with a free core does at once: a timer that fires, a signal.
const nextToNothing = time.Millisecond

// unmask makes those good findings inconclusive behind which a rival may lie. A rival is one and the same
// code for all that was measured: where one finding can't be its, none is.
func (t Trial) unmask(claims []Claim, findings []Finding, tl *timeline.Timeline, n delay.Record, k formula.Kubelet) {
	type suspect struct {
		finding *Finding
		rival   string
		why     string
	}
	var suspects []suspect
	excluded := map[string]bool{}
	for i, c := range claims {
		f := &findings[i]
		if f.Verdict != Conforms && f.Verdict != Divergent {
			continue
		}
		in := t.Input(c, tl, n, k)
		for _, r := range c.Rivals {
			if r.Never || r.WholeSeconds {
				continue
			}
			switch would := f.Measured.observed(r.Would(in)); f.behind(would, n) {
			case notAtAll:
				excluded[r.Name] = true
			case late:
				suspects = append(
					suspects,
					suspect{
						f,
						r.Name,
						fmt.Sprintf(
							"%s lies inside, but the node kept work waiting: it could be as if %s, and %s late",
							f.Measured.Unit.Format(
								f.Measured.Value,
							),
							r.Name,
							f.Measured.Unit.Format(f.Measured.Value-would.Latest),
						),
					},
				)
			}
		}
	}
	for _, s := range suspects {
		if !excluded[s.rival] && s.finding.Verdict != Inconclusive {
			s.finding.Verdict, s.finding.Why = Inconclusive, s.why
		}
	}
}

// hidden is whether what a rival would measure may lie behind a good finding.
type hidden int

const (
	// alike is a rival that would measure the same, or of which it is not known.
	alike hidden = iota
	// late is one that would have measured less, by no more than the longest time at which the node kept
	// something waiting without a pause. More than that can be late on a busy node, but then nothing would
	// be believed there; on one whose cores are never free, that time is all of it.
	late
	// notAtAll is one that would have measured something else.
	notAtAll
)

func (f Finding) behind(would formula.Window, n delay.Record) hidden {
	m := f.Measured
	switch {
	case would.Miss(m.Value) == 0:
		return alike
	case m.Unit != formula.Nanoseconds:
		return notAtAll
	case would.Latest >= f.Implemented.Earliest || m.Value < would.Earliest:
		return alike
	case int64(n.OfTask(m.From-int64(lookBack), m.To, nextToNothing)) >= m.Value-would.Latest:
		return late
	default:
		return notAtAll
	}
}

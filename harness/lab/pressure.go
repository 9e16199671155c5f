package lab

import (
	"time"

	"github.com/podclock/podclock/harness/delay"
)

// recently is the time over which pressure is measured. The newest sample may be twice as old.
const recently = 2 * time.Second

// pressed reports whether some task waited for a core in more than this share of the last seconds. The kernel counts
// for the whole host, so one node's sample is enough.
func (l *site) pressed(share float64) bool {
	var newest []delay.Sample
	for _, n := range l.nodes {
		n.mu.Lock()
		samples := n.delayed.PSI
		n.mu.Unlock()
		if len(samples) > 1 && (newest == nil || samples[len(samples)-1].At > newest[len(newest)-1].At) {
			newest = samples
		}
	}
	if newest == nil {
		return false
	}
	i, last := len(newest)-1, newest[len(newest)-1]
	if time.Since(time.Unix(0, last.At)) > 2*recently {
		return false
	}
	for i > 0 && last.At-newest[i].At < int64(recently) {
		i--
	}
	return float64(last.CPUNS-newest[i].CPUNS) > share*float64(last.At-newest[i].At)
}

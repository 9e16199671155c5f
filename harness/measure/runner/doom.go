package runner

import (
	"time"

	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// doom finds out whether an attempt under way can still conform. To judge costs CPU time, so it is done once for each
// fact that the attempt waits for.
type doom struct {
	trial  trial.Trial
	awaits string
	since  time.Time
	judged bool
}

// Noticed is how long after its beginning an outage of a component is surely known (record.outageAfter, one more
// question, the way). By then, the next sample of the node's pressure has come, too.
const Noticed = 1500 * time.Millisecond

// sealed returns why the attempt can't conform any more, or "". It waits for what now.
func (d *doom) sealed(r Record, what string, now time.Time) string {
	switch {
	case d == nil:
		return ""
	case what != d.awaits:
		d.awaits, d.since, d.judged = what, now, false
	case !d.judged && now.Sub(d.since) >= Noticed:
		d.judged = true
		delays := r.Delays()
		return judge.Doomed(judge.Judge(d.trial, timeline.Build(r.Evidence, delays), delays, r.Kubelet))
	}
	return ""
}

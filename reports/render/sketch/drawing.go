// Package sketch makes drawings of attempts, from their evidence and their findings.
package sketch

import (
	"fmt"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/reports/drawing"
)

// Drawing returns the timeline of an attempt with its windows. It has a row for the pod, for each container and each
// companion, and for the node if it was disturbed. Times count from the first fault, or from the start of the first
// process if there is no fault.
func Drawing(r run.Run, o run.Outcome, a run.Attempt) drawing.Drawing {
	delays := r.DelaysOf(r.RanOn(o, a))
	s := sketch{timeline: timeline.Build(a.Evidence, delays)}
	s.chooseZero()
	s.addContainers()
	s.addPods()
	s.addNode(a.Evidence, delays)
	s.addWindows(a.Result.Findings)
	d := drawing.Drawing{
		Title: fmt.Sprintf("%s on %s: %s", o.Trial, o.Subject, a.Result.Verdict), Zero: s.zeroIs, From: s.first,
		To: s.last, Rows: s.rows(),
	}
	if len(d.Rows) == 0 {
		d.Title += ", nothing was recorded"
	}
	return d
}

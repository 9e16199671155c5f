// Package sketch makes drawings of what was recorded of attempts. It fills a drawing.Drawing from their evidence and findings.
package sketch

import (
	"fmt"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/reports/drawing"
)

// Drawing is an attempt's timeline with the windows that it was judged by: a row for the pod, one for each
// container, one for each companion, and one for the node where it was disturbed. It counts from the first
// cue, without one from the first process' start.
func Drawing(r run.Run, o run.Outcome, a run.Attempt) drawing.Drawing {
	noise := r.Noise(r.RanOn(o, a))
	s := sketch{timeline: timeline.Build(a.Evidence, noise)}
	s.chooseZero()
	s.addContainers()
	s.addPods()
	s.addNode(a.Evidence, noise)
	s.addWindows(a.Result.Findings)
	d := drawing.Drawing{
		Title: fmt.Sprintf("%s on %s: %s", o.Trial, o.Subject, a.Result.Verdict),
		Zero:  s.zeroIs,
		From:  s.first,
		To:    s.last,
		Rows:  s.rows(),
	}
	if len(d.Rows) == 0 {
		d.Title += ", nothing was recorded"
	}
	return d
}

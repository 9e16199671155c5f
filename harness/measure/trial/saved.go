package trial

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/podclock/podclock/harness/rules/formula"
)

// UnmarshalJSON reads a result. Runs of earlier revisions say cue for fault. Older ones have no points, so a time gets
// those that its claim's name has. The catalogue is no source for them: its trials may have changed, and a report of a
// saved run needs none.
func (r *Result) UnmarshalJSON(text []byte) error {
	type plain Result
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Claim = cue.ReplaceAllString(f.Claim, "fault")
		for _, p := range []*Point{&f.From, &f.To} {
			p.Event = cue.ReplaceAllString(p.Event, "fault")
		}
		if f.Implemented.Unit == formula.Nanoseconds && f.To == (Point{}) {
			f.From, f.To = pointsIn(f.Claim)
		}
	}
	return nil
}

// cue is what earlier revisions call a fault.
var cue = regexp.MustCompile(`\bcue\b`)

// pointsIn returns the points that a time is named after.
func pointsIn(claim string) (from, to Point) {
	name, apart := strings.CutSuffix(claim, "-apart")
	separator := "-to-"
	if apart {
		separator = "-and-"
	}
	i := strings.LastIndex(name, separator)
	if i < 0 {
		return Point{}, pointNamed(name)
	}
	return pointNamed(name[:i]), pointNamed(name[i+len(separator):])
}

// pointName matches the output of [Point.String].
var pointName = regexp.MustCompile(`^(?:(.+)-)??(?:` + strings.Join([]string{
	`(phase|condition|no-condition|event|node-condition|no-node-condition)-([^-]+)`,
	`(liveness|readiness|startup)-(?:([^-]+)-)??(first-probe|last-probe|probe|answered|probe-after-kubelet-restart)`,
	`([^-]+)-(waiting)`,
	`(?:(.+)-)?(created)`,
	`(start|hook-begin|hook-end|post-start-begin|post-start-end|filled|sigterm|death|pull)`,
	`(fault|fault-done|object-deleted|start-time|deletion-began)`,
}, "|") + `)(?:-no(\d+))?(?:-(\d+))?$`)

// pointNamed returns the point of a name, with its kind in lower case. An unknown name gives a point of the main
// container.
func pointNamed(name string) Point {
	m := pointName.FindStringSubmatch(name)
	if m == nil {
		return Point{Container: Main}
	}
	ofContainer := cmp.Or(m[6], m[8], m[11])
	p := Point{
		Event: cmp.Or(ofContainer, m[2], m[10], m[12]), Container: m[1], Kind: cmp.Or(m[3], m[4], m[7], m[9]),
		Answer: m[5],
	}
	p.Nth, _ = strconv.Atoi(m[13]) // the expression admits digits only
	p.LifeNumber, _ = strconv.Atoi(m[14])
	if ofContainer != "" {
		p.Container, p.LifeNumber = cmp.Or(p.Container, Main), max(1, p.LifeNumber)
	}
	return p
}
